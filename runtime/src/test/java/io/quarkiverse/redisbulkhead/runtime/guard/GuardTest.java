package io.quarkiverse.redisbulkhead.runtime.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadInterruptedException;
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
    void synchronousReturnsAfterTheRelease() {
        CompletableFuture<Object> result = new CompletableFuture<>();
        CountDownLatch ran = new CountDownLatch(1);
        Thread caller = new Thread(() -> {
            try {
                result.complete(new SynchronousGuard("A#a", "reports").call(manual, () -> {
                    ran.countDown();
                    return "done";
                }));
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        });
        caller.start();
        await().atMost(10, TimeUnit.SECONDS).until(() -> !manual.all.isEmpty());
        assertThat(ran.getCount()).isEqualTo(1);

        manual.last().grant();
        await().atMost(10, TimeUnit.SECONDS).until(() -> manual.last().ends == 1);
        assertThat(result).isNotDone();
        manual.last().ended.complete(null);

        await().atMost(10, TimeUnit.SECONDS).untilAsserted(() -> assertThat(result).isCompletedWithValue("done"));
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

    /** Trap 16: the method's own exception reaches the caller. */
    @Test
    void synchronousThrowsWhatTheMethodThrows() {
        IOException own = new IOException("own");

        assertThatThrownBy(() -> new SynchronousGuard("A#a", "reports").call(automatic, () -> {
            throw own;
        })).isSameAs(own);
        assertThat(automatic.last().ends).isEqualTo(1);
    }

    /** Trap 9: an interrupted caller leaves no permit behind. */
    @Test
    void synchronousEndsItsAdmissionWhenInterrupted() throws Exception {
        AtomicBoolean stayedInterrupted = new AtomicBoolean();
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                new SynchronousGuard("A#a", "reports").call(manual, this::neverCalled);
            } catch (Throwable e) {
                stayedInterrupted.set(Thread.currentThread().isInterrupted());
                thrown.complete(e);
            }
        });
        caller.start();
        await().atMost(10, TimeUnit.SECONDS).until(() -> !manual.all.isEmpty());
        caller.interrupt();
        await().atMost(10, TimeUnit.SECONDS).until(() -> manual.last().ends == 1);
        manual.last().ended.complete(null);

        assertThat(thrown.get(10, TimeUnit.SECONDS)).isInstanceOf(BulkheadInterruptedException.class)
                .hasMessageContaining("interrupted");
        assertThat(stayedInterrupted).isTrue();
    }

    /** Trap 14: a retry acquires a new permit. */
    @Test
    void uniRetryAcquiresANewPermit() {
        Uni<Object> guarded = new AsyncGuard("reports", continuations).uni(automatic, () -> calls.incrementAndGet() < 3
                ? Uni.createFrom().failure(new IOException("again"))
                : Uni.createFrom().item("done"));

        assertThat(guarded.onFailure(IOException.class).retry().atMost(5).await().atMost(Duration.ofSeconds(10)))
                .isEqualTo("done");
        assertThat(automatic.all).hasSize(3).allMatch(admission -> admission.ends == 1);
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

    /** Trap 9, Trap 14: cancelled while waiting and while running. */
    @Test
    void cancelledUniEndsItsAdmission() {
        onAnEventLoop();
        new AsyncGuard("reports", continuations).uni(manual, this::neverCalled).subscribe()
                .withSubscriber(UniAssertSubscriber.create())
                .cancel();
        assertThat(manual.last().ends).isEqualTo(1);
        manual.last().grant();
        assertThat(calls).hasValue(0);

        AtomicBoolean cancelled = new AtomicBoolean();
        UniAssertSubscriber<Object> running = new AsyncGuard("reports", continuations)
                .uni(automatic, () -> Uni.createFrom().nothing().onCancellation().invoke(() -> cancelled.set(true)))
                .subscribe().withSubscriber(UniAssertSubscriber.create());
        running.cancel();
        assertThat(cancelled).isTrue();
        assertThat(automatic.last().ends).isEqualTo(1);
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

    /** Trap 14. */
    @Test
    void cancelledStageEndsItsAdmission() {
        CompletableFuture<Object> work = new CompletableFuture<>();
        CompletableFuture<Object> result = new AsyncGuard("reports", continuations).stage(automatic, () -> work);
        result.cancel(true);

        assertThat(work).isCancelled();
        assertThat(automatic.last().ends).isEqualTo(1);
    }

    /** Trap 14. */
    @Test
    void multiEndsItsAdmissionOnceOnFailureAndCancellation() {
        onAnEventLoop();
        IOException own = new IOException("own");
        new AsyncGuard("reports", continuations).multi(automatic, () -> Multi.createFrom().failure(own)).subscribe()
                .withSubscriber(AssertSubscriber.create(1))
                .awaitFailure(e -> assertThat(e).isSameAs(own), Duration.ofSeconds(10));
        new AsyncGuard("reports", continuations).multi(automatic, () -> {
            throw own;
        }).subscribe().withSubscriber(AssertSubscriber.create(1)).awaitFailure(e -> assertThat(e).isSameAs(own),
                Duration.ofSeconds(10));
        new AsyncGuard("reports", continuations).multi(automatic, () -> Multi.createFrom().nothing()).subscribe()
                .withSubscriber(AssertSubscriber.create(1)).cancel();
        assertThat(automatic.all).hasSize(3).allMatch(admission -> admission.ends == 1);

        new AsyncGuard("reports", continuations).multi(manual, this::neverCalled).subscribe()
                .withSubscriber(AssertSubscriber.create(1))
                .cancel();
        assertThat(manual.last().ends).isEqualTo(1);
        manual.last().grant();
        assertThat(calls).hasValue(0);

        new AsyncGuard("reports", continuations).multi(rejecting(), this::neverCalled).subscribe()
                .withSubscriber(AssertSubscriber.create(1))
                .awaitFailure(e -> assertThat(e).isSameAs(FULL), Duration.ofSeconds(10));
    }

    @Test
    void openGuardCallsTheMethod() throws Exception {
        Callable<Object> method = () -> "done";
        assertThat(Guard.open(List.of(new ManualPermit())).call(manual, method)).isEqualTo("done");
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

    private static Throwable failureOf(Uni<Object> uni) {
        return uni.subscribe().withSubscriber(UniAssertSubscriber.create()).awaitFailure(Duration.ofSeconds(10)).getFailure();
    }

    private static Throwable failureOf(CompletableFuture<Object> stage) {
        return failureOf(Uni.createFrom().completionStage(stage));
    }
}
