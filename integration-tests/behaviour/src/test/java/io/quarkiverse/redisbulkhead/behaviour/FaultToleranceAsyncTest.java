package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.eclipse.microprofile.faulttolerance.Asynchronous;
import org.eclipse.microprofile.faulttolerance.Retry;
import org.eclipse.microprofile.faulttolerance.Timeout;
import org.eclipse.microprofile.faulttolerance.exceptions.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.behaviour.FaultToleranceProbe.Asks;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.common.vertx.VertxContext;
import io.smallrye.faulttolerance.api.AsynchronousNonBlocking;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;

/**
 * Fault Tolerance wraps the bulkhead: timeouts and threads. {@code fault-tolerance.adoc} names these tests.
 * <p>
 * Timeouts that should expire are short. On a slow machine one may expire before the method runs, which proves nothing;
 * such calls are repeated until the method has run.
 */
@QuarkusTest
class FaultToleranceAsyncTest extends BehaviourTestBase {

    private static final long SHORT = 500;

    @Inject
    Guarded guarded;
    @Inject
    FaultToleranceProbe probe;

    private Permit taken;

    @BeforeEach
    void reset() {
        probe.reset();
    }

    /** Trap 9. */
    @Test
    void timeoutIncludesTheWaitAndLeavesNoWaiter() {
        AtomicInteger runs = new AtomicInteger();
        try (Permit taken = take("timed")) {
            assertThatThrownBy(() -> guarded.timed(runs::incrementAndGet)).isInstanceOf(TimeoutException.class);

            // One that is left would wait for a minute.
            awaitWaiters("timed", 0);
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void timeoutInterruptsAndReleasesBeforeTheCallerSeesIt() {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        await().atMost(LONG).until(() -> {
            assertThatThrownBy(() -> guarded.timed(() -> {
                started.countDown();
                try {
                    return new CountDownLatch(1).await(20, TimeUnit.SECONDS);
                } finally {
                    interrupted.countDown();
                }
            })).isInstanceOf(TimeoutException.class);
            assertThat(inUse("timed")).isZero();
            return started.getCount() == 0;
        });
        assertThat(interrupted.getCount()).isZero();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /** Fault Tolerance does not cancel the Uni after a timeout, so the call keeps waiting until {@code maxWait}. */
    @Test
    void timeoutOfAUniFailsTheCallButNotTheWait() {
        AtomicInteger runs = new AtomicInteger();
        try (Permit taken = take("timed")) {
            assertThatThrownBy(() -> get(guarded.timedUni(() -> Uni.createFrom().item(runs.incrementAndGet()))))
                    .isInstanceOf(TimeoutException.class);
            // A process that is paused for long loses its places in the queue, and queues again.
            awaitWaiters("timed", 1);
            assertThat(runs).hasValue(0);
        }
        await().atMost(LONG).until(() -> runs.get() == 1);
    }

    @ParameterizedTest
    @ValueSource(strings = { "uni", "stage" })
    void executionKeepsItsPermitAfterATimeout(String kind) {
        CompletableFuture<Object> work = new CompletableFuture<>();
        await().atMost(LONG).until(() -> {
            Uni<Object> call = kind.equals("uni") ? guarded.timedUni(() -> Uni.createFrom().completionStage(work))
                    : Uni.createFrom().completionStage(guarded.timedStage(() -> work));
            assertThatThrownBy(() -> call.await().atMost(LONG)).isInstanceOf(TimeoutException.class);
            return inUse("timed") == 1;
        });
        work.complete("done");
        eventually(() -> assertThat(inUse("timed")).isZero());
        assertThat(work).as("not cancelled").isNotCancelled();
    }

    @Test
    void asynchronousCallWaitsOnAnotherThreadAndHoldsItsPermitUntilItEnds() throws Exception {
        CompletableFuture<Object> work = new CompletableFuture<>();
        CompletableFuture<Object> answer = waitOnEventLoop(() -> guarded.asynchronousStage(() -> work));
        assertThat(probe.requestThreads()).singleElement().isNotEqualTo(guarded.loop())
                .satisfies(thread -> assertThat(thread.getName()).startsWith("executor-thread"));
        taken.release();
        assertRunsUntilComplete(work, answer);
        assertThat(guarded.runner()).isNotEqualTo(guarded.loop());
    }

    /** Trap 15. A retried Uni needs neither annotation. */
    @ParameterizedTest
    @ValueSource(strings = { "stage", "retried uni" })
    void asynchronousNonBlockingCallWaitsWithoutBlockingTheEventLoop(String kind) throws Exception {
        CompletableFuture<Object> work = new CompletableFuture<>();
        CompletableFuture<Object> answer = waitOnEventLoop(() -> kind.equals("stage") ? guarded.nonBlockingStage(() -> work)
                : guarded.retriedUni(() -> Uni.createFrom().completionStage(work)).subscribeAsCompletionStage());
        assertThat(probe.requestThreads()).containsExactly(guarded.loop());
        taken.release();
        assertRunsUntilComplete(work, answer);
        assertThat(guarded.runner()).isEqualTo(guarded.loop());
    }

    private CompletableFuture<Object> waitOnEventLoop(Supplier<CompletionStage<Object>> call) {
        taken = take("running");
        CompletableFuture<Object> answer = onEventLoop(call);
        awaitWaiters("running", 1);
        return answer;
    }

    private void assertRunsUntilComplete(CompletableFuture<Object> work, CompletableFuture<Object> answer) throws Exception {
        eventually(() -> assertThat(holders("running")).singleElement().asString().startsWith("Guarded#"));
        assertThat(answer).isNotDone();
        work.complete("done");
        assertThat(answer.get(20, TimeUnit.SECONDS)).isEqualTo("done");
        await().atMost(LONG).until(() -> inUse("running") == 0);
    }

    private CompletableFuture<Object> onEventLoop(Supplier<CompletionStage<Object>> call) {
        CompletableFuture<Object> answer = new CompletableFuture<>();
        Context context = VertxContext.createNewDuplicatedContext(vertx.getOrCreateContext());
        context.runOnContext(nothing -> {
            guarded.loop(Thread.currentThread());
            Uni.createFrom().completionStage(call).subscribe().with(answer::complete, answer::completeExceptionally);
        });
        return answer;
    }

    @ApplicationScoped
    public static class Guarded {

        private volatile Thread loop;
        private volatile Thread runner;

        void loop(Thread thread) {
            loop = thread;
        }

        /** The event loop that called. */
        Thread loop() {
            return loop;
        }

        /** The thread that called the guarded method. */
        Thread runner() {
            return runner;
        }

        private <T> T run(Supplier<T> body) {
            runner = Thread.currentThread();
            return body.get();
        }

        @Timeout(SHORT)
        @RedisBulkhead(name = "timed", permits = 1, maxWait = "60s")
        <T> T timed(Callable<T> body) throws Exception {
            return body.call();
        }

        @Timeout(SHORT)
        @RedisBulkhead(name = "timed", permits = 1, maxWait = "60s")
        Uni<Object> timedUni(Supplier<Uni<Object>> body) {
            return body.get();
        }

        @Timeout(SHORT)
        @RedisBulkhead(name = "timed", permits = 1, maxWait = "60s")
        CompletionStage<Object> timedStage(Supplier<CompletionStage<Object>> body) {
            return body.get();
        }

        @Retry
        @Asks
        @RedisBulkhead(name = "running", permits = 1, maxWait = "60s")
        Uni<Object> retriedUni(Supplier<Uni<Object>> body) {
            return run(body);
        }

        @Asynchronous
        @Asks
        @RedisBulkhead(name = "running", permits = 1, maxWait = "60s")
        CompletionStage<Object> asynchronousStage(Supplier<CompletionStage<Object>> body) {
            return run(body);
        }

        @AsynchronousNonBlocking
        @Asks
        @RedisBulkhead(name = "running", permits = 1, maxWait = "60s")
        CompletionStage<Object> nonBlockingStage(Supplier<CompletionStage<Object>> body) {
            return run(body);
        }
    }
}
