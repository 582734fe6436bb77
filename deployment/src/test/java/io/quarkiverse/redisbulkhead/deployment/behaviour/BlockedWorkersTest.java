package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.LockNotAcquiredException;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.deployment.OptionalExtensions;
import io.quarkiverse.redisbulkhead.deployment.behaviour.Scrape.Sample;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;

/** Trap 41: waiting calls block at most half of the worker pool, so other endpoints respond. */
class BlockedWorkersTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final int WORKERS = 8;
    private static final int CALLS = 20;

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(
                    jar -> jar.addClasses(OptionalExtensions.class, Endpoints.class, Guarded.class, Scrape.class, Sample.class))
            .setForcedDependencies(OptionalExtensions.of(OptionalExtensions.METRICS))
            .overrideConfigKey("quarkus.redis-bulkhead.store", "local")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.bounded.max-waiters", "3")
            .overrideRuntimeConfigKey("quarkus.thread-pool.max-threads", Integer.toString(WORKERS));

    @TestHTTPResource("/work")
    URI uri;

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    Guarded guarded;

    @Inject
    ExecutorService workers;

    @Inject
    Vertx vertx;

    private final HttpClient http = HttpClient.newHttpClient();
    private Permit held;

    @BeforeEach
    void acquirePermit() {
        held = bulkheads.semaphore("slow").forKey("a").acquire(LONG);
    }

    @AfterEach
    void releasePermit() {
        held.release();
        await().atMost(LONG).until(() -> bulkheads.semaphore("slow").forKey("a").status().inUse() == 0
                && bulkheads.lock("daily").owner().isEmpty());
    }

    @Test
    void waitingCallsLeaveHalfOfThePoolFree() throws Exception {
        double before = queueFull("slow");
        List<CompletableFuture<HttpResponse<String>>> calls = IntStream.range(0, CALLS).mapToObj(i -> get("/slow?key=a"))
                .toList();

        await().atMost(LONG).until(() -> calls.stream().filter(CompletableFuture::isDone).count() == CALLS - WORKERS / 2);
        await().atMost(LONG).until(() -> waiting() == WORKERS / 2);
        assertThat(calls.stream().filter(CompletableFuture::isDone).map(CompletableFuture::join)).allSatisfy(answer -> {
            assertThat(answer.statusCode()).isEqualTo(429);
            assertThat(answer.headers().firstValue("Retry-After")).isPresent();
        });
        assertThat(get("/other").get(20, TimeUnit.SECONDS).body()).isEqualTo("a worker answers");
        assertThat(get("/slow?key=b").get(20, TimeUnit.SECONDS).body()).as("a call that does not wait").isEqualTo("done");
        assertThat(queueFull("slow") - before).isEqualTo(CALLS - WORKERS / 2);

        held.release();
        for (CompletableFuture<HttpResponse<String>> call : calls) {
            call.get(20, TimeUnit.SECONDS);
        }
        assertThat(calls.stream().filter(call -> call.join().statusCode() == 200)).hasSize(WORKERS / 2);
    }

    /** Locks and permits in code block threads like guarded methods. */
    @Test
    void boundCoversAllKindsOfBlockingCalls() throws Exception {
        Permit lock = bulkheads.lock("daily").tryLock().orElseThrow();
        Stream.<Runnable> of(() -> guarded.slow("a"), () -> bulkheads.semaphore("slow").forKey("a").acquire(LONG).release(),
                () -> bulkheads.lock("daily").run(LONG, () -> {
                }), () -> bulkheads.lock("daily").lock().release()).forEach(workers::execute);
        await().atMost(LONG).until(() -> waiting() + bulkheads.lock("daily").waiters().size() == WORKERS / 2);

        assertThatThrownBy(() -> onWorker(() -> guarded.slow("a"))).hasRootCauseInstanceOf(BulkheadFullException.class)
                .hasStackTraceContaining("quarkus.redis-bulkhead.max-blocked-threads");
        assertThatThrownBy(() -> onWorker(() -> bulkheads.lock("daily").lock()))
                .hasRootCauseInstanceOf(LockNotAcquiredException.class)
                .hasStackTraceContaining("quarkus.redis-bulkhead.max-blocked-threads");
        assertThat(onWorker(() -> bulkheads.lock("daily").tryLock(LONG))).isEqualTo(Optional.empty());
        assertThat(onWorker(() -> guarded.slow("b"))).isEqualTo("done");
        lock.release();
    }

    @Test
    void boundIgnoresOtherThreadsAndUnis() throws Exception {
        ExecutorService own = Executors.newFixedThreadPool(WORKERS);
        try {
            for (int i = 0; i < WORKERS; i++) {
                own.execute(() -> guarded.slow("a"));
                workers.execute(() -> guarded.slowUni("a").subscribe().with(done -> {
                }));
                vertx.runOnContext(now -> guarded.slowUni("a").subscribe().with(done -> {
                }));
                vertx.createSharedWorkerExecutor("own", WORKERS).executeBlocking(() -> guarded.slow("a"), false);
            }
            await().atMost(LONG).until(() -> waiting() == 4 * WORKERS);
            CompletableFuture<String> onWorker = CompletableFuture.supplyAsync(() -> guarded.slow("a"), workers);
            await().atMost(LONG).until(() -> waiting() == 4 * WORKERS + 1);

            held.release();
            assertThat(onWorker.get(20, TimeUnit.SECONDS)).isEqualTo("done");
        } finally {
            own.shutdown();
            assertThat(own.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
            vertx.createSharedWorkerExecutor("own", WORKERS).close();
        }
    }

    @Test
    void boundOfOneBulkheadIncludesUnis() {
        Permit permit = bulkheads.semaphore("bounded").acquire(LONG);
        List<CompletableFuture<String>> waiting = IntStream.range(0, 3)
                .mapToObj(i -> guarded.bounded().subscribeAsCompletionStage()).toList();
        await().atMost(LONG).until(() -> bulkheads.semaphore("bounded").waiters().size() == 3);

        assertThatThrownBy(() -> guarded.bounded().await().atMost(LONG)).isInstanceOf(BulkheadFullException.class)
                .hasMessageContaining("quarkus.redis-bulkhead.\"bounded\".max-waiters");
        assertThat(queueFull("bounded")).isEqualTo(1);

        permit.release();
        assertThat(waiting).allSatisfy(call -> assertThat(call.get(20, TimeUnit.SECONDS)).isEqualTo("done"));
    }

    private <T> T onWorker(Callable<T> call) throws Exception {
        return workers.submit(call).get(20, TimeUnit.SECONDS);
    }

    private long waiting() {
        return bulkheads.semaphore("slow").forKey("a").status().waiting();
    }

    private static double queueFull(String bulkhead) {
        return Scrape.now().samples("redis_bulkhead_calls_total", "bulkhead", bulkhead, "result", "queueFull")
                .mapToDouble(Sample::value).sum();
    }

    private CompletableFuture<HttpResponse<String>> get(String path) {
        return http.sendAsync(HttpRequest.newBuilder(URI.create(uri + path)).timeout(Duration.ofSeconds(60)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Path("/work")
    public static class Endpoints {

        @Inject
        Guarded guarded;

        @GET
        @Path("/slow")
        public String slow(@QueryParam("key") String key) {
            return guarded.slow(key);
        }

        @GET
        @Path("/other")
        public String other() {
            return "a worker answers";
        }
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "slow", permits = 1, maxWait = "20s")
        String slow(@BulkheadKey String key) {
            return "done";
        }

        @RedisBulkhead(name = "slow", permits = 1, maxWait = "20s")
        Uni<String> slowUni(@BulkheadKey String key) {
            return Uni.createFrom().item("done");
        }

        @RedisBulkhead(name = "bounded", permits = 1, maxWait = "20s")
        Uni<String> bounded() {
            return Uni.createFrom().item("done");
        }
    }
}
