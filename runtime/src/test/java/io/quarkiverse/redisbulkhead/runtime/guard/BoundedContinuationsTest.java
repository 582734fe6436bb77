package io.quarkiverse.redisbulkhead.runtime.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.RealTimers;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
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

    /** Trap 41: more blocking calls than threads are queued before the holder's continuation, and wait for its permit. */
    @Test
    void holderContinuesWhileBlockingCallsFillThePool() throws Exception {
        Semaphore wanted = new Semaphore(engine, spec("wanted").maxWait(Duration.ofDays(1)).build(), true);
        SynchronousGuard blocking = new SynchronousGuard("Wanted#blocking", "wanted");
        ManualAdmissions continued = ManualAdmissions.waiting();
        CompletableFuture<String> holder = new AsyncGuard("wanted", continuations).guard(() -> wanted.admit("A#holder"),
                () -> new AsyncGuard("other", continuations).uni(continued, () -> Uni.createFrom().item("continued")))
                .map(String::valueOf).subscribeAsCompletionStage();

        List<CompletableFuture<String>> others = new ArrayList<>();
        for (int i = 0; i < 2 * POOL; i++) {
            CompletableFuture<String> other = new CompletableFuture<>();
            others.add(other);
            continuations.here().execute(() -> {
                try {
                    other.complete(
                            (String) blocking.call(() -> wanted.admit("A#blocking", BlockingWait.occupies()), () -> "done"));
                } catch (Exception e) {
                    other.completeExceptionally(e);
                }
            });
        }
        continued.last().grant();

        assertThat(holder.get(30, TimeUnit.SECONDS)).isEqualTo("continued");
        for (CompletableFuture<String> other : others) {
            assertThat(other.handle((done, failure) -> failure == null || failure instanceof BulkheadFullException)
                    .get(30, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(others.stream().filter(other -> !other.isCompletedExceptionally())).hasSizeGreaterThanOrEqualTo(MAX_BLOCKED);
    }

    /** Each task blocks on a nested guarded call, whose continuation needs a thread. */
    @Test
    void tasksBlockingOnNestedCallsComplete() throws Exception {
        ManualAdmissions outer = ManualAdmissions.waiting();
        ManualAdmissions inner = ManualAdmissions.waiting();
        AsyncGuard guard = new AsyncGuard("reports", continuations);
        List<CompletableFuture<Object>> results = IntStream.range(0, 2 * POOL)
                .mapToObj(i -> guard.uni(outer, () -> {
                    Uni<Object> nested = guard.uni(inner, () -> Uni.createFrom().item("nested"));
                    return Uni.createFrom().item(nested.await().atMost(LONG));
                }).subscribeAsCompletionStage()).toList();

        outer.all.forEach(ManualAdmissions.ManualAdmission::grant);
        await().atMost(LONG).until(() -> inner.all.size() == POOL);
        for (int granted = 0; granted < 2 * POOL; granted++) {
            int next = granted;
            await().atMost(LONG).pollInterval(Duration.ofMillis(1)).until(() -> inner.all.size() > next);
            inner.all.get(next).grant();
        }

        for (CompletableFuture<Object> result : results) {
            assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("nested");
        }
        assertThat(threads()).isLessThanOrEqualTo(2 * POOL);
    }

    private static SemaphoreSpec.Builder spec(String name) {
        return SemaphoreSpec.named(name).permits(1);
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("redis-bulkhead-continuation-")).count();
    }
}
