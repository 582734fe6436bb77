package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.mutiny.Uni;

/**
 * Trap 36: waiting calls block all workers. Only an asynchronous execution can release their permit, and it must first
 * resume on a worker itself. (By default half of the workers would be free; see trap 41.)
 */
class AllWorkersBlockedTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final int WORKERS = 4;

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Endpoints.class, Guarded.class, Inner.class))
            .overrideConfigKey("quarkus.redis-bulkhead.store", "local")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.max-blocked-threads", Integer.toString(WORKERS))
            .overrideRuntimeConfigKey("quarkus.thread-pool.max-threads", Integer.toString(WORKERS));

    @TestHTTPResource("/blocked")
    URI uri;

    @Inject
    RedisBulkheads bulkheads;

    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    void executionContinuesWhenAllWorkersAreBlocked() throws Exception {
        Permit inner = bulkheads.semaphore("inner").acquire(LONG);
        CompletableFuture<String> holder = get("/holder");
        await().atMost(LONG).until(() -> bulkheads.semaphore("inner").waiters().size() == 1);
        List<CompletableFuture<String>> blocked = IntStream.range(0, WORKERS).mapToObj(i -> get("/waiter")).toList();
        await().atMost(LONG).until(() -> bulkheads.semaphore("outer").waiters().size() == WORKERS);

        inner.release();

        assertThat(holder.get(20, TimeUnit.SECONDS)).isEqualTo("went on");
        for (CompletableFuture<String> call : blocked) {
            assertThat(call.get(20, TimeUnit.SECONDS)).isEqualTo("done");
        }
        assertThat(bulkheads.semaphore("outer").status().inUse()).isZero();
    }

    private CompletableFuture<String> get(String path) {
        return http.sendAsync(HttpRequest.newBuilder(URI.create(uri + path)).timeout(Duration.ofSeconds(60)).build(),
                HttpResponse.BodyHandlers.ofString()).thenApply(HttpResponse::body);
    }

    @Path("/blocked")
    public static class Endpoints {

        @Inject
        Guarded guarded;

        @GET
        @Path("/holder")
        @Blocking
        public Uni<String> holder() {
            return guarded.holder();
        }

        @GET
        @Path("/waiter")
        public String waiter() {
            return guarded.waiter();
        }
    }

    @ApplicationScoped
    public static class Guarded {

        @Inject
        Inner inner;

        @RedisBulkhead(name = "outer", permits = 1, maxWait = "1h")
        Uni<String> holder() {
            return inner.resume();
        }

        @RedisBulkhead(name = "outer", permits = 1, maxWait = "1h")
        String waiter() {
            return "done";
        }
    }

    @ApplicationScoped
    public static class Inner {

        @RedisBulkhead(name = "inner", permits = 1, maxWait = "1h")
        Uni<String> resume() {
            return Uni.createFrom().item("went on");
        }
    }
}
