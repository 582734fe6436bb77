package io.quarkiverse.redisbulkhead.runtime.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.runtime.IOThreadDetector;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

class GuardTest {

    static final BulkheadFullException FULL = new BulkheadFullException("reports", 5, Duration.ofSeconds(1));

    final ManualAdmissions manual = ManualAdmissions.manual();
    final ManualAdmissions automatic = ManualAdmissions.automatic();
    final AtomicInteger calls = new AtomicInteger();
    final Continuations continuations = new Continuations(0);

    @BeforeEach
    @AfterEach
    void threadsMayBlock() {
        BlockingOperationControl.setIoThreadDetector(new IOThreadDetector[0]);
    }

    @Test
    void synchronousRejectionHasTheStackOfTheCaller() {
        ManualAdmissions rejecting = rejecting();

        assertThatThrownBy(() -> new SynchronousGuard("A#a", "reports").call(rejecting, this::neverCalled))
                .isInstanceOf(BulkheadFullException.class)
                .satisfies(e -> assertThat(e.getStackTrace()).anyMatch(
                        frame -> frame.getMethodName().contains("synchronousRejectionHasTheStackOfTheCaller")));
        assertThat(calls).hasValue(0);
    }

    @Test
    void uniEmitsAfterTheRelease() {
        onAnEventLoop();
        UniAssertSubscriber<Object> subscriber = new AsyncGuard("reports", continuations)
                .uni(manual, () -> Uni.createFrom().item("done"))
                .subscribe()
                .withSubscriber(UniAssertSubscriber.create());
        manual.last().grant();
        assertThat(manual.last().ends).isEqualTo(1);
        subscriber.assertNotTerminated();

        manual.last().ended.complete(null);

        subscriber.awaitItem(Duration.ofSeconds(10)).assertItem("done");
    }

    /** The execution is cancelled before another caller can get the permit. */
    @Test
    void cancellationStopsTheExecutionBeforeTheRelease() {
        List<Integer> endsAtCancellation = new ArrayList<>();
        Runnable cancelled = () -> endsAtCancellation.add(automatic.last().ends);
        new AsyncGuard("reports", continuations)
                .uni(automatic, () -> Uni.createFrom().nothing().onCancellation().invoke(cancelled))
                .subscribe().withSubscriber(UniAssertSubscriber.create()).cancel();
        assertThat(automatic.last().ends).isEqualTo(1);
        new AsyncGuard("reports", continuations)
                .multi(automatic, () -> Multi.createFrom().nothing().onCancellation().invoke(cancelled))
                .subscribe().withSubscriber(AssertSubscriber.create(1)).cancel();
        assertThat(automatic.last().ends).isEqualTo(1);

        assertThat(endsAtCancellation).containsExactly(0, 0);
    }

    /** Trap 14. */
    @Test
    void stageRunsAtTheCallAndCompletesAfterTheRelease() {
        onAnEventLoop();
        CompletableFuture<Object> work = new CompletableFuture<>();
        CompletableFuture<Object> result = new AsyncGuard("reports", continuations).stage(manual, () -> work);
        manual.last().grant();
        assertThat(manual.last().ends).isZero();
        work.complete("done");
        assertThat(manual.last().ends).isEqualTo(1);
        assertThat(result).isNotDone();

        manual.last().ended.complete(null);

        await().atMost(10, TimeUnit.SECONDS).untilAsserted(() -> assertThat(result).isCompletedWithValue("done"));
    }

    /** A thread that may block waits and continues itself; there may be no other thread. */
    @Test
    void asynchronousGuardsStayOnABlockingThread() throws Exception {
        CompletableFuture<Thread> ran = new CompletableFuture<>();
        CompletableFuture<Thread> emitted = new CompletableFuture<>();
        Thread caller = new Thread(() -> new AsyncGuard("reports", continuations).uni(manual, () -> {
            ran.complete(Thread.currentThread());
            return Uni.createFrom().item("done");
        }).subscribe().with(item -> emitted.complete(Thread.currentThread())));
        caller.start();
        await().atMost(10, TimeUnit.SECONDS).until(() -> !manual.all.isEmpty());

        manual.last().grant();
        assertThat(ran.get(10, TimeUnit.SECONDS)).isSameAs(caller);
        await().atMost(10, TimeUnit.SECONDS).until(() -> manual.last().ends == 1);
        manual.last().ended.complete(null);

        assertThat(emitted.get(10, TimeUnit.SECONDS)).isSameAs(caller);
    }

    private static void onAnEventLoop() {
        BlockingOperationControl.setIoThreadDetector(new IOThreadDetector[] { () -> true });
    }

    private Object neverCalled() {
        calls.incrementAndGet();
        return null;
    }

    private static ManualAdmissions rejecting() {
        return ManualAdmissions.rejecting(FULL);
    }
}
