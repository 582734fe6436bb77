package io.quarkiverse.redisbulkhead.runtime.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.runtime.IOThreadDetector;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.EmptyUniSubscription;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import io.smallrye.mutiny.operators.uni.UniOperatorProcessor;
import io.smallrye.mutiny.subscription.Cancellable;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** Trap 30: an execution continues on the context of its caller. */
class ContinuationsTest {

    static Vertx vertx;

    final Continuations continuations = new Continuations(0);

    @BeforeAll
    static void start() {
        vertx = Vertx.vertx();
    }

    @AfterAll
    static void stop() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    @BeforeEach
    void eventLoopsMayNotBlock() {
        BlockingOperationControl.setIoThreadDetector(new IOThreadDetector[] { Context::isOnEventLoopThread });
    }

    @AfterEach
    void close() {
        continuations.close();
        BlockingOperationControl.setIoThreadDetector(new IOThreadDetector[0]);
    }

    /** Already on the context, the task runs without being scheduled. */
    @Test
    void runsAtOnceOnTheSameContext() throws Exception {
        CompletableFuture<Boolean> atOnce = new CompletableFuture<>();
        vertx.runOnContext(now -> {
            boolean[] done = new boolean[1];
            continuations.here().execute(() -> done[0] = true);
            atOnce.complete(done[0]);
        });
        assertThat(atOnce.get(10, TimeUnit.SECONDS)).isTrue();
    }

    /** Callers still waiting after shutdown must not hang. */
    @Test
    void closedContinuationsRunTasksOnTheCallingThread() throws Exception {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        Executor here = continuations.here();
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        CompletableFuture<ClassLoader> seen = new CompletableFuture<>();
        Thread.currentThread().setContextClassLoader(null);
        try {
            here.execute(() -> {
                seen.complete(Thread.currentThread().getContextClassLoader());
                thread.complete(Thread.currentThread());
            });
            assertThat(seen.get(10, TimeUnit.SECONDS)).as("that of the caller").isSameAs(loader);
        } finally {
            Thread.currentThread().setContextClassLoader(loader);
        }
        continuations.close();

        await().atMost(Duration.ofSeconds(4)).until(() -> !thread.join().isAlive());
        CompletableFuture<String> late = new CompletableFuture<>();
        here.execute(() -> late.complete("done"));
        assertThat(late).isCompletedWithValue("done");
        assertThat(Uni.createFrom().item("x").emitOn(here).await().atMost(Duration.ofSeconds(10))).isEqualTo("x");
    }

    // ---- Answers that do not reach their subscriber are given up.

    private final CompletableFuture<String> reply = new CompletableFuture<>();
    private final List<CompletableFuture<String>> givenUp = new ArrayList<>();
    private final List<String> received = new ArrayList<>();

    private static Continuations on(Executor executor) {
        return new Continuations(0) {

            @Override
            Executor here() {
                return executor;
            }
        };
    }

    private Uni<String> answer(Executor executor) {
        return on(executor).answer(() -> reply, made -> made, givenUp::add);
    }

    private Uni<String> answer() {
        return answer(Runnable::run);
    }

    /**
     * Otherwise a permit would be free while the function still works with it, or a token that it has sent would be invalid.
     */
    @Test
    void cancellationWhileAFunctionUsesTheAnswerGivesNothingUp() {
        AtomicReference<Cancellable> subscription = new AtomicReference<>();
        List<Object> givenUpDuringTheWork = new ArrayList<>();
        subscription.set(answer().map(item -> {
            subscription.get().cancel();
            givenUpDuringTheWork.addAll(givenUp);
            return item;
        }).subscribe().with(received::add));

        reply.complete("permit");

        assertThat(givenUpDuringTheWork).isEmpty();
        assertThat(givenUp).isEmpty();
        assertThat(received).isEmpty();
    }

    /** The work is asynchronous: the operator is cancelled after it has received the answer. */
    @Test
    void cancellationWhileAUniUsesTheAnswerGivesNothingUp() {
        Cancellable subscription = answer().flatMap(item -> Uni.createFrom().nothing()).subscribe().with(item -> {
        });
        reply.complete("permit");

        subscription.cancel();

        assertThat(givenUp).isEmpty();
    }

    @Test
    void cancellationBeforeTheEmissionGivesUp() {
        List<Runnable> tasks = new ArrayList<>();
        Cancellable subscription = answer(tasks::add).map(String::trim).subscribe().with(received::add);
        reply.complete("permit");

        subscription.cancel();
        tasks.forEach(Runnable::run);

        assertThat(givenUp).containsExactly(reply);
        assertThat(received).isEmpty();
    }

    /** Operators note a cancellation before they forward it. */
    private static final class Operator extends UniOperatorProcessor<String, String> {

        private Operator(UniSubscriber<String> downstream) {
            super(downstream);
        }

        private Cancellable beginCancellation() {
            return getAndSetUpstreamSubscription(EmptyUniSubscription.CANCELLED)::cancel;
        }
    }

    @Test
    void answerThatACancelledOperatorWouldDropIsGivenUpOnce() {
        Operator operator = new Operator(UniAssertSubscriber.create());
        answer().subscribe().withSubscriber(operator);
        Cancellable rest = operator.beginCancellation();

        reply.complete("permit");

        assertThat(givenUp).containsExactly(reply);
        rest.cancel();
        assertThat(givenUp).containsExactly(reply);
    }

    /** As the event loop of a closed Vert.x instance does. */
    @Test
    void answerThatCannotBeEmittedFailsAndIsGivenUpOnce() {
        RejectedExecutionException rejected = new RejectedExecutionException("closed");
        UniAssertSubscriber<String> subscriber = answer(task -> {
            throw rejected;
        }).subscribe().withSubscriber(UniAssertSubscriber.create());

        reply.complete("permit");
        subscriber.cancel();

        assertThat(subscriber.getFailure()).isSameAs(rejected);
        assertThat(givenUp).containsExactly(reply);
    }

    /** The release is awaited, and answered when the event loop is closed. */
    @Test
    void resultReachesItsSubscriberWhenTheEventLoopIsClosed() {
        BlockingOperationControl.setIoThreadDetector(new IOThreadDetector[] { () -> true });
        ManualAdmissions.ManualAdmission admission = new ManualAdmissions.ManualAdmission();
        admission.grant();
        UniAssertSubscriber<String> subscriber = new AsyncGuard("reports", on(task -> {
            throw new RejectedExecutionException("closed");
        })).guard(() -> admission, () -> Uni.createFrom().item("x")).subscribe().withSubscriber(UniAssertSubscriber.create());

        admission.ended.complete(null);

        assertThat(subscriber.getItem()).isEqualTo("x");
    }
}
