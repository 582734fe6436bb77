package io.quarkiverse.redisbulkhead.runtime.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadInterruptedException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.PermitLostException;
import io.quarkiverse.redisbulkhead.runtime.guard.AsyncGuard.StreamStart;
import io.quarkiverse.redisbulkhead.runtime.guard.Guard.SkippingGuard;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.runtime.IOThreadDetector;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** What callers cannot see from outside: order, threads and requests in flight. */
class GuardTest {

    static final BulkheadFullException FULL = new BulkheadFullException("reports", 5, Duration.ofSeconds(1));

    static final Duration LONG = Duration.ofSeconds(10);

    final ManualAdmissions manual = ManualAdmissions.manual();
    final ManualAdmissions automatic = ManualAdmissions.automatic();
    final AtomicInteger calls = new AtomicInteger();
    final AtomicInteger cancellations = new AtomicInteger();
    final Continuations continuations = new Continuations(0);
    final AsyncGuard guard = new AsyncGuard("reports", continuations);

    @BeforeEach
    @AfterEach
    void threadsMayBlock() {
        BlockingOperationControl.setIoThreadDetector(new IOThreadDetector[0]);
    }

    @AfterEach
    void close() {
        continuations.close();
        assertThat(Thread.interrupted()).as("leaked interrupt").isFalse();
    }

    /** The execution is cancelled before another caller can get the permit. */
    @Test
    void cancellationStopsTheExecutionBeforeTheRelease() {
        List<Integer> endsAtCancellation = new ArrayList<>();
        Runnable cancelled = () -> endsAtCancellation.add(automatic.last().ends);
        guard.uni(automatic, () -> Uni.createFrom().nothing().onCancellation().invoke(cancelled))
                .subscribe().withSubscriber(UniAssertSubscriber.create()).cancel();
        assertThat(automatic.last().ends).isEqualTo(1);
        guard.multi(automatic, () -> Multi.createFrom().nothing().onCancellation().invoke(cancelled))
                .subscribe().withSubscriber(AssertSubscriber.create(1)).cancel();
        assertThat(automatic.last().ends).isEqualTo(1);

        assertThat(endsAtCancellation).containsExactly(0, 0);
    }

    @Test
    void streamWhoseCancellationFailsReturnsItsPermit() {
        RuntimeException own = new IllegalStateException("own");
        Multi<Object> stream = guard.multi(automatic, () -> Multi.createFrom().emitter(emitter -> emitter.onTermination(() -> {
            throw own;
        })));
        AssertSubscriber<Object> cancelled = stream.subscribe().withSubscriber(AssertSubscriber.create(1));
        assertThatThrownBy(cancelled::cancel).isSameAs(own);
        assertThat(automatic.last().ends).isEqualTo(1);

        AssertSubscriber<Object> lost = stream.subscribe().withSubscriber(AssertSubscriber.create(1));
        automatic.last().permit.lose();
        lost.awaitFailure(LONG).assertFailedWith(PermitLostException.class);
        assertThat(automatic.last().ends).isEqualTo(1);
    }

    /** Trap 14. */
    @Test
    void multiEndsItsAdmissionOnceOnFailureAndCancellation() {
        onAnEventLoop();
        IOException own = new IOException("own");
        guard.multi(automatic, () -> Multi.createFrom().failure(own)).subscribe().withSubscriber(AssertSubscriber.create(1))
                .awaitFailure(e -> assertThat(e).isSameAs(own), LONG);
        guard.multi(automatic, () -> {
            throw own;
        }).subscribe().withSubscriber(AssertSubscriber.create(1)).awaitFailure(e -> assertThat(e).isSameAs(own), LONG);
        guard.multi(automatic, () -> Multi.createFrom().nothing()).subscribe()
                .withSubscriber(AssertSubscriber.create(1)).cancel();
        assertThat(automatic.all).hasSize(3).allMatch(admission -> admission.ends == 1);

        guard.multi(manual, this::neverCalled).subscribe().withSubscriber(AssertSubscriber.create(1)).cancel();
        assertThat(manual.last().ends).isEqualTo(1);
        manual.last().grant();
        assertThat(calls).hasValue(0);

        guard.multi(ManualAdmissions.rejecting(FULL), this::neverCalled).subscribe().withSubscriber(AssertSubscriber.create(1))
                .awaitFailure(e -> assertThat(e).isSameAs(FULL), LONG);
    }

    /** A thread that may block waits and continues itself; there may be no other thread. */
    @Test
    void asynchronousGuardsStayOnABlockingThread() throws Exception {
        CompletableFuture<Thread> ran = new CompletableFuture<>();
        CompletableFuture<Thread> emitted = new CompletableFuture<>();
        Thread caller = new Thread(() -> guard.uni(manual, () -> {
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

    /** Trap 9, Trap 29: a permit granted after the cancellation starts no execution. */
    @Test
    void cancelledWhileWaiting() {
        ManualAdmissions waiting = ManualAdmissions.waiting();
        guard.uni(waiting, () -> Uni.createFrom().item(neverCalled())).subscribe()
                .withSubscriber(UniAssertSubscriber.create()).cancel();
        guard.stage(waiting, () -> CompletableFuture.completedFuture(neverCalled())).cancel(true);
        guard.multi(waiting, () -> Multi.createFrom().item(neverCalled())).subscribe()
                .withSubscriber(AssertSubscriber.create(1)).cancel();
        assertThat(waiting.all).hasSize(3).allMatch(admission -> admission.ends == 1);

        waiting.all.forEach(ManualAdmissions.ManualAdmission::grant);

        await().during(Duration.ofMillis(200)).atMost(LONG).until(() -> calls.get() == 0);
    }

    /** The event loop of a closed Vert.x instance takes no task any more. */
    @Test
    void resultReachesItsSubscriberAlsoWhereItCannotContinue() {
        onAnEventLoop();
        AtomicBoolean isClosed = new AtomicBoolean();
        AsyncGuard closing = new AsyncGuard("reports", new Continuations(0) {

            @Override
            Executor here() {
                return task -> {
                    if (isClosed.get()) {
                        throw new RejectedExecutionException("closed");
                    }
                    task.run();
                };
            }
        });
        UniAssertSubscriber<Object> subscriber = closing.uni(manual, () -> Uni.createFrom().item("done")).subscribe()
                .withSubscriber(UniAssertSubscriber.create());
        manual.last().grant();

        isClosed.set(true);
        manual.last().ended.complete(null);

        subscriber.assertCompleted().assertItem("done");
    }

    /** Trap 9: interrupted before the reply. */
    @Test
    void interruptedDuringTheRequest() throws Exception {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            guard.uni(manual, () -> Uni.createFrom().item(neverCalled())).subscribe()
                    .with(item -> failure.complete(null), failure::complete);
            interrupted.complete(Thread.currentThread().isInterrupted());
        });
        caller.start();
        await().atMost(LONG).until(() -> !manual.all.isEmpty());

        caller.interrupt();
        await().atMost(LONG).until(() -> manual.last().ends == 1);
        manual.last().ended.complete(null);

        assertThat(failure.get(10, TimeUnit.SECONDS)).isInstanceOf(BulkheadInterruptedException.class)
                .hasMessageContaining("interrupted");
        assertThat(interrupted.get(10, TimeUnit.SECONDS)).isTrue();
        assertThat(calls).hasValue(0);
    }

    private static SkippingGuard skipping(Guard guard) {
        return new SkippingGuard(guard, Set.of("reports"), null, full -> {
        });
    }

    /** Outages follow their policy. */
    @Test
    void skippingGuardFailsOnOtherRejections() {
        for (Exception rejection : List.of(new BulkheadUnavailableException("reports", "Redis is away", null),
                new BulkheadContendedException("reports", null), FULL)) {
            assertThatThrownBy(() -> skipping(new SynchronousGuard("A#a", "reports"))
                    .call(ManualAdmissions.rejecting(rejection), this::neverCalled)).isSameAs(rejection);
            assertThatThrownBy(() -> ((Uni<?>) skipping(guard::uni).call(ManualAdmissions.rejecting(rejection),
                    this::neverCalled)).await().atMost(LONG)).isSameAs(rejection);
        }
        assertThat(calls).hasValue(0);
    }

    /** Trap 14. */
    @Test
    void cancelledStageIsCancelledAndEndsItsAdmission() throws Exception {
        for (Guard each : List.<Guard> of(guard::stage, skipping(guard::stage))) {
            CompletableFuture<Object> running = new CompletableFuture<>();
            CompletableFuture<?> stage = (CompletableFuture<?>) each.call(automatic, () -> running);
            stage.cancel(false);

            assertThat(running).isCancelled();
            assertThat(automatic.last().ends).isEqualTo(1);
            assertThatThrownBy(stage::join).isInstanceOf(CancellationException.class);
        }
    }

    // ---- A lost permit ends its execution if the definition says so, and nothing else.

    /** Trap 16: the method's result counts, and the pending interrupt is cleared. */
    @Test
    void unnoticedInterruptDoesNotLeak() throws Exception {
        assertThat(new SynchronousGuard("A#a", "reports").call(automatic, () -> {
            loseOnAnotherThread();
            return Thread.currentThread().isInterrupted();
        })).isEqualTo(true);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();

        IOException own = new IOException("own");
        assertThatThrownBy(() -> new SynchronousGuard("A#a", "reports").call(automatic, () -> {
            loseOnAnotherThread();
            throw own;
        })).isSameAs(own);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void interruptByOtherCodeIsKept() throws Exception {
        assertThat(new SynchronousGuard("A#a", "reports").call(automatic, () -> {
            Thread.currentThread().interrupt();
            return "done";
        })).isEqualTo("done");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void lossAfterTheEndInterruptsNothing() throws Exception {
        new SynchronousGuard("A#a", "reports").call(automatic, () -> "done");
        automatic.last().permit.lose();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /** A response waits for the decision about each guarded stream in it, so there is one, although no permit is requested. */
    @Test
    void streamWithRefusedArgumentsIsDecided() {
        Multi<Object> stream = guard.multi(() -> {
            throw new IllegalArgumentException("the key is null");
        }, () -> Multi.createFrom().item("item"));
        AssertSubscriber<Object> subscriber = AssertSubscriber.create(1);
        List<Boolean> failedWhenDecided = new ArrayList<>();
        StreamStart start = new StreamStart(executor -> failedWhenDecided.add(subscriber.getFailure() != null));
        start.by(() -> stream.subscribe().withSubscriber(subscriber));
        assertThat(failedWhenDecided).containsExactly(true);
        assertThat(start.here()).isNotNull();
    }

    @Test
    void terminatedMultiIgnoresTheLoss() {
        AssertSubscriber<Object> complete = guard.multi(automatic, () -> Multi.createFrom().items(1, 2, 3)).subscribe()
                .withSubscriber(AssertSubscriber.create(5));
        complete.awaitCompletion(LONG);
        assertThat(automatic.last().ends).isEqualTo(1);
        automatic.last().permit.lose();
        complete.assertCompleted().assertItems(1, 2, 3);

        IOException own = new IOException("own");
        AssertSubscriber<Object> failed = guard
                .multi(automatic, () -> Multi.createFrom().failure(own)).subscribe().withSubscriber(AssertSubscriber.create(5));
        failed.awaitFailure(LONG);
        automatic.last().permit.lose();
        assertThat(failed.getFailure()).isSameAs(own);

        guard.multi(automatic, () -> Multi.createFrom().nothing().onCancellation().invoke(cancellations::incrementAndGet))
                .subscribe().withSubscriber(AssertSubscriber.create(5)).cancel();
        automatic.last().permit.lose();
        assertThat(cancellations).hasValue(1);
    }

    @Test
    void permitLostBeforeTheStartFailsTheCall() {
        ManualAdmissions lost = ManualAdmissions.automatic(admission -> admission.permit.lose());
        guard.uni(lost, () -> Uni.createFrom().nothing()).subscribe()
                .withSubscriber(UniAssertSubscriber.create()).awaitFailure(LONG).assertFailedWith(PermitLostException.class);
        guard.multi(lost, () -> Multi.createFrom().nothing()).subscribe()
                .withSubscriber(AssertSubscriber.create(1)).awaitFailure(LONG).assertFailedWith(PermitLostException.class);
        assertThatThrownBy(() -> new SynchronousGuard("A#a", "reports")
                .call(lost, () -> new CountDownLatch(1).await(10, TimeUnit.SECONDS))).isInstanceOf(InterruptedException.class);
        assertThat(lost.all).hasSize(3).allMatch(admission -> admission.ends == 1);
    }

    private static void onAnEventLoop() {
        BlockingOperationControl.setIoThreadDetector(new IOThreadDetector[] { () -> true });
    }

    private Object neverCalled() {
        calls.incrementAndGet();
        return null;
    }

    private void loseOnAnotherThread() {
        Thread other = new Thread(() -> automatic.last().permit.lose());
        other.start();
        while (other.isAlive()) {
            Thread.onSpinWait();
        }
    }
}
