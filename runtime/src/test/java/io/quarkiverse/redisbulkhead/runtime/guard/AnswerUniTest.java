package io.quarkiverse.redisbulkhead.runtime.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.EmptyUniSubscription;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import io.smallrye.mutiny.operators.uni.UniOperatorProcessor;
import io.smallrye.mutiny.subscription.Cancellable;
import io.smallrye.mutiny.subscription.UniSubscriber;

class AnswerUniTest {

    private final CompletableFuture<String> reply = new CompletableFuture<>();
    private final List<CompletableFuture<String>> givenUp = new ArrayList<>();
    private final List<String> received = new ArrayList<>();

    private Uni<String> answer(Executor executor) {
        return Continuations.answer(() -> reply, made -> made, givenUp::add, () -> executor);
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

    @Test
    void callbackThatCancelsKeepsTheAnswer() {
        AtomicReference<Cancellable> subscription = new AtomicReference<>();
        subscription.set(answer().subscribe().with(item -> {
            received.add(item);
            subscription.get().cancel();
        }));

        reply.complete("permit");
        subscription.get().cancel();

        assertThat(received).containsExactly("permit");
        assertThat(givenUp).isEmpty();
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
}
