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
import java.util.concurrent.CompletionStage;
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
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Trap 15: fifty waiting calls need no thread, and the application continues to work with its two workers. */
class WaitingHoldsNoThreadTest {

    private static final int WAITERS = 50;

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Endpoints.class, Guarded.class))
            .overrideRuntimeConfigKey("quarkus.thread-pool.max-threads", "2")
            // A busy machine may delay replies from Redis.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "10s");

    @TestHTTPResource("/slow")
    URI uri;

    @Inject
    RedisBulkheads bulkheads;

    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    void onTheEventLoopAndOnWorkers() throws Exception {
        RedisSemaphore semaphore = bulkheads.semaphore("slow");
        Permit first = semaphore.acquire(Duration.ofSeconds(10));
        Permit second = semaphore.acquire(Duration.ofSeconds(10));
        List<String> kinds = List.of("/loop", "/worker", "/stage", "/multi", "/programmatic");

        List<CompletableFuture<String>> answers = IntStream.range(0, WAITERS)
                .mapToObj(i -> get(kinds.get(i % kinds.size()))).toList();
        await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(semaphore.waiters()).hasSize(WAITERS));
        assertThat(answers).noneMatch(CompletableFuture::isDone);
        assertThat(get("/other").get(10, TimeUnit.SECONDS)).isEqualTo("a worker answers");
        assertThat(Thread.getAllStackTraces().keySet()).as("threads for waiters")
                .noneMatch(thread -> thread.getName().startsWith("redis-bulkhead-continuation"));

        first.release();
        second.release();

        for (CompletableFuture<String> answer : answers) {
            assertThat(answer.get(30, TimeUnit.SECONDS)).contains("done");
        }
        await().atMost(10, TimeUnit.SECONDS).untilAsserted(() -> {
            assertThat(semaphore.holders()).isEmpty();
            assertThat(semaphore.waiters()).isEmpty();
        });
    }

    private CompletableFuture<String> get(String path) {
        return http.sendAsync(HttpRequest.newBuilder(URI.create(uri + path)).timeout(Duration.ofSeconds(60)).build(),
                HttpResponse.BodyHandlers.ofString()).thenApply(HttpResponse::body);
    }

    @Path("/slow")
    public static class Endpoints {

        @Inject
        Guarded guarded;

        @Inject
        RedisBulkheads bulkheads;

        @GET
        @Path("/loop")
        public Uni<String> loop() {
            return guarded.uni();
        }

        @GET
        @Path("/worker")
        @Blocking
        public Uni<String> worker() {
            return guarded.uni();
        }

        @GET
        @Path("/stage")
        @Blocking
        public CompletionStage<String> stage() {
            return guarded.stage();
        }

        @GET
        @Path("/multi")
        @Blocking
        public Multi<String> multi() {
            return guarded.multi();
        }

        @GET
        @Path("/programmatic")
        @Blocking
        public Uni<String> programmatic() {
            return bulkheads.semaphore("slow").acquireAsync(Duration.ofSeconds(30))
                    .chain(permit -> permit.releaseAsync().replaceWith("done"));
        }

        @GET
        @Path("/other")
        public String other() {
            return "a worker answers";
        }
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "slow", permits = 2, maxWait = "30s")
        Uni<String> uni() {
            return Uni.createFrom().item("done");
        }

        @RedisBulkhead(name = "slow", permits = 2, maxWait = "30s")
        CompletionStage<String> stage() {
            return CompletableFuture.completedStage("done");
        }

        @RedisBulkhead(name = "slow", permits = 2, maxWait = "30s")
        Multi<String> multi() {
            return Multi.createFrom().item("done");
        }
    }
}
