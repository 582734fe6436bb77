package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

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
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;

/** Trap 41: waiting calls of any kind block at most half of the worker pool, so other endpoints respond. */
class BlockedWorkersTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final int WORKERS = 8;

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Guarded.class))
            .overrideConfigKey("quarkus.redis-bulkhead.store", "local")
            .overrideRuntimeConfigKey("quarkus.thread-pool.max-threads", Integer.toString(WORKERS));

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    Guarded guarded;

    @Inject
    ExecutorService workers;

    @Inject
    Vertx vertx;

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

    private <T> T onWorker(Callable<T> call) throws Exception {
        return workers.submit(call).get(20, TimeUnit.SECONDS);
    }

    private long waiting() {
        return bulkheads.semaphore("slow").forKey("a").status().waiting();
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
    }
}
