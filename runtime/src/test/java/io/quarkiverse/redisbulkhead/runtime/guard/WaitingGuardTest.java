package io.quarkiverse.redisbulkhead.runtime.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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

/** Waiting calls free the calling thread and continue on another one. */
class WaitingGuardTest {

    static final Duration LONG = Duration.ofSeconds(10);
    static final String CONTINUATION = "redis-bulkhead-continuation-";

    final ManualAdmissions waiting = ManualAdmissions.waiting();
    final Continuations continuations = new Continuations(0);
    final AtomicInteger calls = new AtomicInteger();
    final CompletableFuture<String> ranOn = new CompletableFuture<>();

    @BeforeEach
    void threadsMayBlock() {
        BlockingOperationControl.setIoThreadDetector(new IOThreadDetector[0]);
    }

    @AfterEach
    void close() {
        continuations.close();
    }

    @Test
    void rejectedAfterTheWait() {
        BulkheadFullException full = new BulkheadFullException("reports", 5, Duration.ofSeconds(1));
        UniAssertSubscriber<Object> subscriber = new AsyncGuard("reports", continuations)
                .uni(waiting, () -> Uni.createFrom().item(run())).subscribe().withSubscriber(UniAssertSubscriber.create());

        waiting.last().reject(full);

        assertThat(subscriber.awaitFailure(LONG).getFailure()).isSameAs(full);
        assertThat(calls).hasValue(0);
        assertThat(waiting.last().ends).isEqualTo(1);
    }

    /** Trap 9, Trap 29: a permit granted after the cancellation starts no execution. */
    @Test
    void cancelledWhileWaiting() {
        new AsyncGuard("reports", continuations).uni(waiting, () -> Uni.createFrom().item(run())).subscribe()
                .withSubscriber(UniAssertSubscriber.create()).cancel();
        new AsyncGuard("reports", continuations).stage(waiting, () -> CompletableFuture.completedFuture(run())).cancel(true);
        new AsyncGuard("reports", continuations).multi(waiting, () -> Multi.createFrom().item(run())).subscribe()
                .withSubscriber(AssertSubscriber.create(1)).cancel();
        assertThat(waiting.all).hasSize(3).allMatch(admission -> admission.ends == 1);

        waiting.all.forEach(ManualAdmissions.ManualAdmission::grant);

        await().during(Duration.ofMillis(200)).atMost(LONG).until(() -> calls.get() == 0);
    }

    /** Trap 9: interrupted before the reply. */
    @Test
    void interruptedDuringTheRequest() throws Exception {
        ManualAdmissions silent = ManualAdmissions.manual();
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            new AsyncGuard("reports", continuations).uni(silent, () -> Uni.createFrom().item(run())).subscribe()
                    .with(item -> failure.complete(null), failure::complete);
            interrupted.complete(Thread.currentThread().isInterrupted());
        });
        caller.start();
        await().atMost(LONG).until(() -> !silent.all.isEmpty());

        caller.interrupt();
        await().atMost(LONG).until(() -> silent.last().ends == 1);
        silent.last().ended.complete(null);

        assertThat(failure.get(10, TimeUnit.SECONDS)).isInstanceOf(BulkheadInterruptedException.class)
                .hasMessageContaining("interrupted");
        assertThat(interrupted.get(10, TimeUnit.SECONDS)).isTrue();
        assertThat(calls).hasValue(0);
    }

    private Object run() {
        calls.incrementAndGet();
        ranOn.complete(Thread.currentThread().getName());
        return "done";
    }
}
