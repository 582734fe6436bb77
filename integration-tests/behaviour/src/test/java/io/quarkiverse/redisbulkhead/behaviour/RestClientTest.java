package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkus.arc.Arc;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;

/** REST client methods are guarded by one or several annotations on the interface or its methods. */
@QuarkusTest
class RestClientTest {

    @RestClient
    Partner partner;

    @RestClient
    WholePartner whole;

    @Inject
    Gate gate;

    @Inject
    RedisBulkheads bulkheads;

    @BeforeEach
    void shut() {
        gate.shut();
    }

    @AfterEach
    void open() {
        gate.open();
    }

    @Test
    void synchronousMethod() throws Exception {
        isLimited("partner", "Partner#slow", partner::slow, partner::slow);
    }

    @Test
    void interfaceWithTheMethodsOfItsParents() throws Exception {
        isLimited("whole", "WholePartner#slow", whole::slow, whole::describe);
    }

    @Test
    void inheritedMethod() throws Exception {
        isLimited("whole", "WholePartner#describe", whole::describe,
                () -> whole.later().await().atMost(Duration.ofSeconds(10)));
    }

    @Test
    void uniMethod() throws Exception {
        isLimited("whole", "WholePartner#later", () -> whole.later().await().atMost(Duration.ofSeconds(20)), whole::slow);
    }

    @Test
    void uniMethodWithSeveralBulkheads() {
        assertThat(partner.who().await().indefinitely()).isEqualTo("[Partner#who] [Partner#who]");
        assertThat(holders("client-wide")).isEmpty();
        assertThat(holders("client-narrow")).isEmpty();
    }

    @Test
    void inheritedMethodWithItsOwnAnnotation() throws Exception {
        isLimited("client-own", "WholePartner#own", whole::own, whole::own);
    }

    @Test
    void defaultMethod() throws Exception {
        isLimited("client-default", "Partner#byDefault", partner::byDefault, partner::byDefault);
    }

    private void isLimited(String bulkhead, String method, Callable<String> first, Callable<String> second) throws Exception {
        Caller<String> running = Caller.of(first);
        await().atMost(20, TimeUnit.SECONDS).until(() -> gate.inside() == 1);

        assertThat(holders(bulkhead)).containsExactly(method);
        assertThatThrownBy(second::call).isInstanceOfSatisfying(BulkheadFullException.class,
                full -> assertThat(full.name()).isEqualTo(bulkhead));
        gate.open();

        assertThat(running.result()).isEqualTo("passed");
        assertThat(holders(bulkhead)).isEmpty();
    }

    private List<String> holders(String name) {
        return bulkheads.semaphore(name).holders().stream().map(Holder::method).toList();
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
            return Arc.container().instance(Gate.class).get().pass();
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
        Gate gate;

        @Inject
        RedisBulkheads bulkheads;

        @GET
        @Path("/slow")
        public String slow() {
            return gate.pass();
        }

        @GET
        @Path("/who")
        public String who() {
            return bulkheads.semaphore("client-wide").holders().stream().map(Holder::method).toList() + " "
                    + bulkheads.semaphore("client-narrow").holders().stream().map(Holder::method).toList();
        }
    }
}
