package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.smallrye.mutiny.helpers.EmptyUniSubscription;
import io.smallrye.mutiny.helpers.UniCallbackSubscriber;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.operators.uni.UniOperatorProcessor;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * The answer to a request, which is made at each subscription. Cancelling the subscription does not cancel the future behind
 * the request, as {@code Uni.createFrom().completionStage} would: what the engine does when the answer arrives must happen in
 * any case. Instead, a request whose answer does not reach its subscriber is given up, whether it is cancelled while it is in
 * flight or before the answer is emitted.
 * <p>
 * An operator that is cancelled just as the answer is emitted may drop it, or may be passing it to a function. Nothing is given
 * up then: a permit that stays held until {@code max-hold} is better than one that is released during the work.
 *
 * @param <R> the request
 * @param <T> the answer
 */
final class AnswerUni<R, T> extends AbstractUni<T> {

    private final Supplier<R> request;
    private final Function<R, CompletionStage<T>> answer;
    private final Consumer<R> giveUp;
    private final Supplier<Executor> executorOfSubscription;

    /**
     * @param request makes the request
     * @param answer its answer
     * @param giveUp called at most once for a request whose answer does not reach its subscriber
     * @param executorOfSubscription called at the subscription, for what emits its answer
     */
    AnswerUni(Supplier<R> request, Function<R, CompletionStage<T>> answer, Consumer<R> giveUp,
            Supplier<Executor> executorOfSubscription) {
        this.request = request;
        this.answer = answer;
        this.giveUp = giveUp;
        this.executorOfSubscription = executorOfSubscription;
    }

    @Override
    public void subscribe(UniSubscriber<? super T> subscriber) {
        Executor executor = executorOfSubscription.get();
        R made;
        CompletionStage<T> pending;
        try {
            made = request.get();
            pending = answer.apply(made);
        } catch (Throwable e) {
            EmptyUniSubscription.propagateFailureEvent(subscriber, e);
            return;
        }
        Delivery delivery = new Delivery(subscriber, made);
        subscriber.onSubscribe(delivery);
        pending.whenComplete((item, failure) -> delivery.emitOn(executor, item, cause(failure)));
    }

    private enum State {
        PENDING,
        /** From the start of the emission. */
        EMITTED,
        /** Nothing more is emitted. */
        CANCELLED
    }

    private final class Delivery implements UniSubscription {

        private final UniSubscriber<? super T> subscriber;
        private final R made;
        private final AtomicReference<State> state = new AtomicReference<>(State.PENDING);

        private Delivery(UniSubscriber<? super T> subscriber, R made) {
            this.subscriber = subscriber;
            this.made = made;
        }

        private void emitOn(Executor executor, T item, Throwable failure) {
            try {
                executor.execute(() -> emit(item, failure));
            } catch (RejectedExecutionException e) {
                // For example, the event loop was closed. A subscriber without an answer would wait forever.
                if (state.compareAndSet(State.PENDING, State.CANCELLED)) {
                    giveUp.accept(made);
                    subscriber.onFailure(failure == null ? e : failure);
                }
            }
        }

        private void emit(T item, Throwable failure) {
            if (subscriber instanceof UniOperatorProcessor<?, ?> operator && operator.isCancelled()) {
                // It would drop the answer. Its call of cancel() is yet to come.
                cancel();
            } else if (state.compareAndSet(State.PENDING, State.EMITTED)) {
                if (failure == null) {
                    subscriber.onItem(item);
                } else {
                    subscriber.onFailure(failure);
                }
            }
        }

        // A UniCallbackSubscriber forwards a cancellation only if it has not accepted the answer. Operators forward it also
        // while, or long after, a function uses the answer.
        @Override
        public void cancel() {
            State before = state.getAndSet(State.CANCELLED);
            if (before == State.PENDING || before == State.EMITTED && subscriber instanceof UniCallbackSubscriber) {
                giveUp.accept(made);
            }
        }
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
