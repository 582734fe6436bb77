package io.quarkiverse.redisbulkhead.runtime.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.PermitLostException;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.runtime.IOThreadDetector;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** A lost permit ends its execution if the definition says so, and nothing else. */
class LossTest {

    static final Duration LONG = Duration.ofSeconds(10);

    final ManualAdmissions automatic = ManualAdmissions.automatic();
    final Continuations continuations = new Continuations(0);
    final AtomicInteger cancellations = new AtomicInteger();

    @BeforeEach
    void threadsMayBlock() {
        BlockingOperationControl.setIoThreadDetector(new IOThreadDetector[0]);
    }

    @AfterEach
    void close() {
        continuations.close();
        assertThat(Thread.interrupted()).as("leaked interrupt").isFalse();
    }

    /** Trap 16: the method's result counts, and the pending interrupt is cleared. */
    @Test
    void unnoticedInterruptDoesNotLeak() throws Exception {
        assertThat(synchronous().call(automatic, () -> {
            loseOnAnotherThread();
            return Thread.currentThread().isInterrupted();
        })).isEqualTo(true);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();

        IOException own = new IOException("own");
        assertThatThrownBy(() -> synchronous().call(automatic, () -> {
            loseOnAnotherThread();
            throw own;
        })).isSameAs(own);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void interruptByOtherCodeIsKept() throws Exception {
        assertThat(synchronous().call(automatic, () -> {
            Thread.currentThread().interrupt();
            return "done";
        })).isEqualTo("done");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void lossAfterTheEndInterruptsNothing() throws Exception {
        synchronous().call(automatic, () -> "done");
        automatic.last().permit.lose();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void withoutInterruptTheExecutionContinues() throws Exception {
        ManualAdmissions lenient = ManualAdmissions.automatic(admission -> admission.permit.interruptsOnLoss = false);
        assertThat(new SynchronousGuard("A#a", "reports").call(lenient, () -> {
            lenient.last().permit.lose();
            return Thread.currentThread().isInterrupted();
        })).isEqualTo(false);

        CompletableFuture<Object> work = new CompletableFuture<>();
        UniAssertSubscriber<Object> uni = new AsyncGuard("reports", continuations)
                .uni(lenient, () -> Uni.createFrom().completionStage(work)).subscribe()
                .withSubscriber(UniAssertSubscriber.create());
        lenient.last().permit.lose();
        uni.assertNotTerminated();
        work.complete("done");
        uni.awaitItem(LONG).assertItem("done");

        AssertSubscriber<Object> multi = new AsyncGuard("reports", continuations)
                .multi(lenient, () -> Multi.createFrom().items(1, 2)).subscribe().withSubscriber(AssertSubscriber.create(1));
        lenient.last().permit.lose();
        multi.request(1).awaitCompletion(LONG).assertItems(1, 2);
    }

    @Test
    void completedUniKeepsItsItem() {
        UniAssertSubscriber<Object> subscriber = new AsyncGuard("reports", continuations)
                .uni(automatic, () -> Uni.createFrom().item("done")).subscribe().withSubscriber(UniAssertSubscriber.create());
        automatic.last().permit.lose();
        subscriber.awaitItem(LONG).assertItem("done");
    }

    /** The source receives exactly the subscriber's requests, before and after the loss. */
    @Test
    void lossFailsMultiAndCancelsItsSource() {
        List<Long> requests = new ArrayList<>();
        AssertSubscriber<Object> subscriber = new AsyncGuard("reports", continuations)
                .multi(automatic, () -> Multi.createBy().repeating().supplier(() -> (Object) "item").indefinitely()
                        .onRequest().invoke(requests::add)
                        .onCancellation().invoke(cancellations::incrementAndGet))
                .subscribe().withSubscriber(AssertSubscriber.create(0));
        subscriber.request(2).awaitItems(2, LONG);
        subscriber.request(1).awaitItems(3, LONG).assertNotTerminated();
        assertThat(requests).containsExactly(2L, 1L);
        assertThat(cancellations).hasValue(0);

        automatic.last().permit.lose();

        subscriber.awaitFailure(LONG).assertFailedWith(PermitLostException.class, "A#a");
        assertThat(subscriber.getItems()).hasSize(3);
        assertThat(cancellations).hasValue(1);
        assertThat(requests).hasSize(2);
        assertThat(automatic.last().ends).isEqualTo(1);
        subscriber.request(1).cancel();
        assertThat(cancellations).hasValue(1);
    }

    @Test
    void terminatedMultiIgnoresTheLoss() {
        AssertSubscriber<Object> complete = new AsyncGuard("reports", continuations)
                .multi(automatic, () -> Multi.createFrom().items(1, 2, 3)).subscribe()
                .withSubscriber(AssertSubscriber.create(5));
        complete.awaitCompletion(LONG);
        automatic.last().permit.lose();
        complete.assertCompleted().assertItems(1, 2, 3);

        IOException own = new IOException("own");
        AssertSubscriber<Object> failed = new AsyncGuard("reports", continuations)
                .multi(automatic, () -> Multi.createFrom().failure(own)).subscribe().withSubscriber(AssertSubscriber.create(5));
        failed.awaitFailure(LONG);
        automatic.last().permit.lose();
        assertThat(failed.getFailure()).isSameAs(own);

        new AsyncGuard("reports", continuations)
                .multi(automatic, () -> Multi.createFrom().nothing().onCancellation().invoke(cancellations::incrementAndGet))
                .subscribe().withSubscriber(AssertSubscriber.create(5)).cancel();
        automatic.last().permit.lose();
        assertThat(cancellations).hasValue(1);
    }

    @Test
    void permitLostBeforeTheStartFailsTheCall() {
        ManualAdmissions lost = ManualAdmissions.automatic(admission -> admission.permit.lose());
        new AsyncGuard("reports", continuations).uni(lost, () -> Uni.createFrom().nothing()).subscribe()
                .withSubscriber(UniAssertSubscriber.create()).awaitFailure(LONG).assertFailedWith(PermitLostException.class);
        new AsyncGuard("reports", continuations).multi(lost, () -> Multi.createFrom().nothing()).subscribe()
                .withSubscriber(AssertSubscriber.create(1)).awaitFailure(LONG).assertFailedWith(PermitLostException.class);
        assertThatThrownBy(() -> new SynchronousGuard("A#a", "reports")
                .call(lost, () -> new CountDownLatch(1).await(10, TimeUnit.SECONDS))).isInstanceOf(InterruptedException.class);
        assertThat(lost.all).hasSize(3).allMatch(admission -> admission.ends == 1);
    }

    private SynchronousGuard synchronous() {
        return new SynchronousGuard("A#a", "reports");
    }

    private void loseOnAnotherThread() {
        Thread other = new Thread(() -> automatic.last().permit.lose());
        other.start();
        while (other.isAlive()) {
            Thread.onSpinWait();
        }
    }
}
