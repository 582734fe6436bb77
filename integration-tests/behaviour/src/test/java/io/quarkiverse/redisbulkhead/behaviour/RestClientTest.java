package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.testredis.Caller;
import io.quarkiverse.redisbulkhead.testredis.Gate;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;

/** REST client methods are guarded by one or several annotations on the interface or its methods. */
@QuarkusTest
class RestClientTest extends BehaviourTestBase {

    @RestClient
    Partner partner;
    @RestClient
    WholePartner whole;

    private String call(String method) {
        return switch (method) {
            case "Partner#slow" -> partner.slow();
            case "Partner#byDefault" -> partner.byDefault();
            case "WholePartner#slow" -> whole.slow();
            case "WholePartner#describe" -> whole.describe();
            case "WholePartner#later" -> get(whole.later());
            case "WholePartner#own" -> whole.own();
            default -> throw new IllegalArgumentException(method);
        };
    }

    @ParameterizedTest
    @CsvSource(useHeadersInDisplayName = true, textBlock = """
            bulkhead,       holder,                another call
            partner,        Partner#slow,          Partner#slow
            client-default, Partner#byDefault,     Partner#byDefault
            whole,          WholePartner#slow,     WholePartner#describe
            whole,          WholePartner#describe, WholePartner#later
            whole,          WholePartner#later,    WholePartner#slow
            client-own,     WholePartner#own,      WholePartner#own
            """)
    void methodIsLimited(String bulkhead, String holder, String another) throws Exception {
        Gate.shut();
        Caller<String> running = Caller.of(() -> call(holder));
        awaitInside(1);

        assertThat(holders(bulkhead)).containsExactly(holder);
        assertThatThrownBy(() -> call(another)).isInstanceOfSatisfying(BulkheadFullException.class,
                full -> assertThat(full.name()).isEqualTo(bulkhead));
        Gate.open();

        assertThat(running.result()).isEqualTo("passed");
        assertThat(holders(bulkhead)).isEmpty();
    }

    @Test
    void uniMethodWithSeveralBulkheads() {
        assertThat(get(partner.who())).isEqualTo("[Partner#who] [Partner#who]");
        assertThat(holders("client-wide")).isEmpty();
        assertThat(holders("client-narrow")).isEmpty();
    }

    @Path("/partner")
    @RegisterRestClient(configKey = "partner")
    public interface Partner {

        @GET
        @Path("/slow")
        @RedisBulkhead(name = "partner", permits = 1)
        String slow();

        @GET
        @Path("/who")
        @RedisBulkhead(name = "client-wide", permits = 5)
        @RedisBulkhead(name = "client-narrow", permits = 1)
        Uni<String> who();

        @RedisBulkhead(name = "client-default", permits = 1)
        default String byDefault() {
            return Gate.pass();
        }
    }

    public interface Described {

        @GET
        @Path("/slow")
        String describe();

        @GET
        @Path("/slow")
        @RedisBulkhead(name = "client-own", permits = 1)
        String own();
    }

    @Path("/partner")
    @RegisterRestClient(configKey = "partner")
    @RedisBulkhead(name = "whole", permits = 1)
    public interface WholePartner extends Described {

        @GET
        @Path("/slow")
        String slow();

        @GET
        @Path("/slow")
        Uni<String> later();
    }

    @Path("/partner")
    public static class Server {

        @Inject
        RedisBulkheads bulkheads;

        @GET
        @Path("/slow")
        public String slow() {
            return Gate.pass();
        }

        @GET
        @Path("/who")
        public String who() {
            return bulkheads.semaphore("client-wide").holders().stream().map(Holder::method).toList() + " "
                    + bulkheads.semaphore("client-narrow").holders().stream().map(Holder::method).toList();
        }
    }
}
