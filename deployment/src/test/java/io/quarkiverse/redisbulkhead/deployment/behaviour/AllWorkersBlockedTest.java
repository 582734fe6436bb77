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
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

import org.junit.jupiter.api.AfterEach;
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

/**
 * All workers of the application block or wait at the same time, and no call depends on another. (By default half of the
 * workers would be free; see trap 41.)
 */
class AllWorkersBlockedTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final int WORKERS = 8;
    private static final int WAITERS = 50;

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Endpoints.class, Guarded.class, Inner.class))
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.max-blocked-threads", Integer.toString(WORKERS))
            .overrideRuntimeConfigKey("quarkus.thread-pool.max-threads", Integer.toString(WORKERS))
            // A busy machine may delay replies from Redis.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "10s");

    @TestHTTPResource("/blocked/")
    URI uri;

    @Inject
    RedisBulkheads bulkheads;

    private final HttpClient http = HttpClient.newHttpClient();

    @AfterEach
    void assertNothingIsLeft() {
        for (String name : List.of("inner", "outer")) {
            await().atMost(LONG).untilAsserted(() -> {
                assertThat(bulkheads.semaphore(name).holders()).as(name).isEmpty();
                assertThat(bulkheads.semaphore(name).waiters()).as(name).isEmpty();
            });
        }
    }

    /**
     * Trap 36: only an asynchronous execution can release the permit for which all workers wait, and it must first resume on
     * a worker itself.
     */
    @Test
    void executionContinuesWhenAllWorkersAreBlocked() throws Exception {
        Permit inner = bulkheads.semaphore("inner").acquire(LONG);
        CompletableFuture<String> holder = get("holder");
        await().atMost(LONG).until(() -> bulkheads.semaphore("inner").waiters().size() == 1);
        List<CompletableFuture<String>> blocked = Stream.generate(() -> get("synchronous")).limit(WORKERS).toList();
        await().atMost(LONG).until(() -> bulkheads.semaphore("outer").waiters().size() == WORKERS);

        inner.release();

        assertThat(holder.get(20, TimeUnit.SECONDS)).isEqualTo("went on");
        assertAllDone(blocked);
    }

    /** Trap 15: fifty waiting calls need no thread, and the application continues to work with its few workers. */
    @Test
    void waitingCallsHoldNoThread() throws Exception {
        // Those of other tests end when they are idle.
        await().atMost(LONG).until(() -> continuations() == 0);
        RedisSemaphore outer = bulkheads.semaphore("outer");
        List<CompletableFuture<String>> answers;
        try (Permit taken = outer.acquire(LONG)) {
            List<String> kinds = List.of("loop", "uni", "stage", "multi", "programmatic");
            answers = IntStream.range(0, WAITERS).mapToObj(i -> get(kinds.get(i % kinds.size()))).toList();
            await().atMost(LONG).untilAsserted(() -> assertThat(outer.waiters()).hasSize(WAITERS));

            assertThat(answers).noneMatch(CompletableFuture::isDone);
            assertThat(get("other").get(20, TimeUnit.SECONDS)).isEqualTo("a worker answers");
            assertThat(continuations()).as("threads for waiters").isZero();
        }
        assertAllDone(answers);
    }

    private static long continuations() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("redis-bulkhead-continuation")).count();
    }

    private CompletableFuture<String> get(String path) {
        return http.sendAsync(HttpRequest.newBuilder(uri.resolve(path)).timeout(Duration.ofSeconds(60)).build(),
                HttpResponse.BodyHandlers.ofString()).thenApply(HttpResponse::body);
    }

    private static void assertAllDone(List<CompletableFuture<String>> answers) throws Exception {
        for (CompletableFuture<String> answer : answers) {
            assertThat(answer.get(30, TimeUnit.SECONDS)).contains("done");
        }
    }

    @Path("/blocked")
    public static class Endpoints {
        @Inject
        Guarded guarded;
        @Inject
        RedisBulkheads bulkheads;

        @GET
        @Path("/other")
        public String other() {
            return "a worker answers";
        }

        @GET
        @Path("/synchronous")
        public String synchronous() {
            return guarded.synchronous();
        }

        @GET
        @Path("/loop")
        public Uni<String> loop() {
            return guarded.uni();
        }

        /** Begins on a worker. */
        @GET
        @Path("/{kind}")
        @Blocking
        public Uni<String> later(@PathParam("kind") String kind) {
            return switch (kind) {
                case "holder" -> guarded.holder();
                case "uni" -> guarded.uni();
                case "stage" -> Uni.createFrom().completionStage(guarded.stage());
                case "multi" -> guarded.multi().toUni();
                default -> bulkheads.semaphore("outer").acquireAsync(Duration.ofSeconds(30))
                        .chain(permit -> permit.releaseAsync().map(released -> released ? "done" : "lost"));
            };
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
        String synchronous() {
            return "done";
        }

        @RedisBulkhead(name = "outer", permits = 1, maxWait = "1h")
        Uni<String> uni() {
            return Uni.createFrom().item("done");
        }

        @RedisBulkhead(name = "outer", permits = 1, maxWait = "1h")
        CompletionStage<String> stage() {
            return CompletableFuture.completedStage("done");
        }

        @RedisBulkhead(name = "outer", permits = 1, maxWait = "1h")
        Multi<String> multi() {
            return Multi.createFrom().item("done");
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
