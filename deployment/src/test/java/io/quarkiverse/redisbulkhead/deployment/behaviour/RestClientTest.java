package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** The methods of a REST client are guarded, written on the interface, one bulkhead or several. */
class RestClientTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Partner.class, Server.class, Gate.class))
            .overrideConfigKey("quarkus.rest-client.partner.url", "http://localhost:8081");

    @RestClient
    Partner partner;

    @Inject
    Gate gate;

    @Inject
    RedisBulkheads bulkheads;

    @Test
    void synchronousMethod() throws Exception {
        CompletableFuture<String> running = CompletableFuture.supplyAsync(partner::slow);
        assertThat(gate.entered().await(10, TimeUnit.SECONDS)).isTrue();

        assertThat(holders("partner")).containsExactly("Partner#slow");
        assertThatThrownBy(partner::slow).isInstanceOf(BulkheadFullException.class);
        gate.end().countDown();

        assertThat(running.get(10, TimeUnit.SECONDS)).isEqualTo("slow");
        assertThat(holders("partner")).isEmpty();
    }

    @Test
    void uniMethodWithSeveralBulkheads() {
        assertThat(partner.who().await().indefinitely()).isEqualTo("[Partner#who] [Partner#who]");
        assertThat(holders("wide")).isEmpty();
        assertThat(holders("narrow")).isEmpty();
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
        @RedisBulkhead(name = "wide", permits = 5)
        @RedisBulkhead(name = "narrow", permits = 1)
        Uni<String> who();
    }

    @ApplicationScoped
    public static class Gate {

        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);

        CountDownLatch entered() {
            return entered;
        }

        CountDownLatch end() {
            return end;
        }
    }

    @Path("/partner")
    public static class Server {

        @Inject
        Gate gate;

        @Inject
        RedisBulkheads bulkheads;

        @GET
        @Path("/slow")
        public String slow() throws InterruptedException {
            gate.entered().countDown();
            gate.end().await(10, TimeUnit.SECONDS);
            return "slow";
        }

        @GET
        @Path("/who")
        public String who() {
            return bulkheads.semaphore("wide").holders().stream().map(Holder::method).toList() + " "
                    + bulkheads.semaphore("narrow").holders().stream().map(Holder::method).toList();
        }
    }
}
