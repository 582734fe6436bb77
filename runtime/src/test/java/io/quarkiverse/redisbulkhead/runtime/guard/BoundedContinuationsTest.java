package io.quarkiverse.redisbulkhead.runtime.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.RealTimers;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.runtime.IOThreadDetector;
import io.smallrye.mutiny.Uni;

/** Trap 36: the number of continuation threads is bounded, whatever blocks them, and the queue still makes progress. */
class BoundedContinuationsTest {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int MAX_BLOCKED = 4;
    private static final int POOL = MAX_BLOCKED + Continuations.NEVER_WAITING;

    private final Continuations continuations = new Continuations(MAX_BLOCKED);
    private final Engine engine = new Engine("one", new RealTimers(), new HolderIdentity("app", "host:1"), loss -> {
    }, new WaiterLimits(MAX_BLOCKED));

    @BeforeEach
    void threadsMayBlock() {
        BlockingOperationControl.setIoThreadDetector(new IOThreadDetector[0]);
        await().atMost(LONG).until(() -> threads() == 0);
    }

    @AfterEach
    void close() {
        engine.refuseAndRejectWaiters();
        engine.close();
        continuations.close();
    }

    /** Each task blocks on a nested guarded call, whose continuation needs a thread. */
    @Test
    void tasksBlockingOnNestedCallsComplete() throws Exception {
        ManualAdmissions outer = ManualAdmissions.waiting();
        ManualAdmissions inner = ManualAdmissions.waiting();
        AsyncGuard guard = new AsyncGuard("reports", continuations);
        List<CompletableFuture<Object>> results = IntStream.range(0, 2 * POOL)
                .mapToObj(i -> guard.uni(outer, () -> {
                    Uni<Object> nested = guard.uni(() -> begin(inner), () -> Uni.createFrom().item("nested"));
                    return Uni.createFrom().item(nested.await().atMost(LONG));
                }).subscribeAsCompletionStage()).toList();

        outer.all.forEach(ManualAdmissions.ManualAdmission::grant);
        await().atMost(LONG).until(() -> begun(inner) == POOL);
        for (int granted = 0; granted < 2 * POOL; granted++) {
            int next = granted;
            await().atMost(LONG).pollInterval(Duration.ofMillis(1)).until(() -> begun(inner) > next);
            grant(inner, next);
        }

        for (CompletableFuture<Object> result : results) {
            assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("nested");
        }
        assertThat(threads()).isLessThanOrEqualTo(2 * POOL);
    }

    @Test
    void continuationThreadsCountAsWorkerThreads() throws Exception {
        CompletableFuture<Object> there = new CompletableFuture<>();
        continuations.here().execute(() -> there.complete(BlockingWait.occupies()));
        assertThat(there.get(10, TimeUnit.SECONDS).toString()).isEqualTo("WORKER_THREAD");
        assertThat(BlockingWait.occupies().toString()).isEqualTo("NO_WORKER_THREAD");
    }

    private static Admission begin(ManualAdmissions admissions) {
        synchronized (admissions) {
            return admissions.get();
        }
    }

    private static int begun(ManualAdmissions admissions) {
        synchronized (admissions) {
            return admissions.all.size();
        }
    }

    private static void grant(ManualAdmissions admissions, int number) {
        ManualAdmissions.ManualAdmission admission;
        synchronized (admissions) {
            admission = admissions.all.get(number);
        }
        admission.grant();
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("redis-bulkhead-continuation-")).count();
    }
}
