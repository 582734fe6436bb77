package io.quarkiverse.redisbulkhead.runtime.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadInterruptedException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.runtime.IOThreadDetector;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** What callers cannot see from outside: order, threads and requests in flight. */
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

    @AfterEach
    void close() {
        continuations.close();
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

    /** Trap 9, Trap 29: a permit granted after the cancellation starts no execution. */
    @Test
    void cancelledWhileWaiting() {
        ManualAdmissions waiting = ManualAdmissions.waiting();
        new AsyncGuard("reports", continuations).uni(waiting, () -> Uni.createFrom().item(neverCalled())).subscribe()
                .withSubscriber(UniAssertSubscriber.create()).cancel();
        new AsyncGuard("reports", continuations).stage(waiting, () -> CompletableFuture.completedFuture(neverCalled()))
                .cancel(true);
        new AsyncGuard("reports", continuations).multi(waiting, () -> Multi.createFrom().item(neverCalled())).subscribe()
                .withSubscriber(AssertSubscriber.create(1)).cancel();
        assertThat(waiting.all).hasSize(3).allMatch(admission -> admission.ends == 1);

        waiting.all.forEach(ManualAdmissions.ManualAdmission::grant);

        await().during(Duration.ofMillis(200)).atMost(Duration.ofSeconds(10)).until(() -> calls.get() == 0);
    }

    /** Trap 9: interrupted before the reply. */
    @Test
    void interruptedDuringTheRequest() throws Exception {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            new AsyncGuard("reports", continuations).uni(manual, () -> Uni.createFrom().item(neverCalled())).subscribe()
                    .with(item -> failure.complete(null), failure::complete);
            interrupted.complete(Thread.currentThread().isInterrupted());
        });
        caller.start();
        await().atMost(Duration.ofSeconds(10)).until(() -> !manual.all.isEmpty());

        caller.interrupt();
        await().atMost(Duration.ofSeconds(10)).until(() -> manual.last().ends == 1);
        manual.last().ended.complete(null);

        assertThat(failure.get(10, TimeUnit.SECONDS)).isInstanceOf(BulkheadInterruptedException.class)
                .hasMessageContaining("interrupted");
        assertThat(interrupted.get(10, TimeUnit.SECONDS)).isTrue();
        assertThat(calls).hasValue(0);
    }

    /** Outages follow their policy. */
    @Test
    void skippingGuardFailsOnOtherRejections() {
        AsyncGuard async = new AsyncGuard("reports", continuations);
        for (Exception rejection : List.of(new BulkheadUnavailableException("reports", "Redis is away", null),
                new BulkheadContendedException("reports", null), FULL)) {
            assertThatThrownBy(() -> new SkippingGuard(new SynchronousGuard("A#a", "reports"), null)
                    .call(ManualAdmissions.rejecting(rejection), this::neverCalled))
                    .isSameAs(rejection);
            assertThatThrownBy(() -> ((Uni<?>) new SkippingGuard(async::uni, null).call(ManualAdmissions.rejecting(rejection),
                    this::neverCalled)).await().atMost(Duration.ofSeconds(10))).isSameAs(rejection);
        }
        assertThat(calls).hasValue(0);
    }

    @Test
    void skippingGuardOfACancelledStageReleasesItsPermit() throws Exception {
        CompletableFuture<Object> running = new CompletableFuture<>();
        CompletableFuture<?> stage = (CompletableFuture<?>) new SkippingGuard(new AsyncGuard("reports", continuations)::stage,
                null).call(automatic, () -> running);

        stage.cancel(false);

        assertThat(automatic.last().ends).isEqualTo(1);
        assertThatThrownBy(stage::join).isInstanceOf(CancellationException.class);
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
