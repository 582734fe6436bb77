package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.smallrye.mutiny.helpers.UniCallbackSubscriber;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * The answer to a request, which is made at each subscription. Cancelling the subscription does not cancel the future behind
 * the request, as {@code Uni.createFrom().completionStage} would: what the engine does when the answer arrives must happen in
 * any case. Instead, a request whose answer does not reach its subscriber is given up, whether it is cancelled before it is
 * made, while it is in flight, before the answer is emitted, or while it is emitted.
 *
 * @param <R> the request
 * @param <T> the answer
 */
final class AnswerUni<R, T> extends AbstractUni<T> {

    private final Supplier<R> request;
    private final Function<R, CompletionStage<T>> answer;
    private final Consumer<R> giveUp;
    private final Supplier<Executor> here;

    /**
     * @param request makes the request
     * @param answer its answer
     * @param giveUp called at most once for a request whose answer does not reach its subscriber
     * @param here called at the subscription, for what emits its answer
     */
    AnswerUni(Supplier<R> request, Function<R, CompletionStage<T>> answer, Consumer<R> giveUp, Supplier<Executor> here) {
        this.request = request;
        this.answer = answer;
        this.giveUp = giveUp;
        this.here = here;
    }

    @Override
    public void subscribe(UniSubscriber<? super T> subscriber) {
        new Delivery(subscriber).begin();
    }

    private enum State {
        PENDING,
        EMITTING,
        EMITTED,
        CANCELLED
    }

    private final class Delivery implements UniSubscription {

        private final UniSubscriber<? super T> subscriber;
        // Both are guarded by this. The request is null until it has been made.
        private State state = State.PENDING;
        private R made;

        private Delivery(UniSubscriber<? super T> subscriber) {
            this.subscriber = subscriber;
        }

        private void begin() {
            Executor executor = here.get();
            subscriber.onSubscribe(this);
            if (isCancelled()) {
                return;
            }
            try {
                R now = request.get();
                if (isCancelledAfter(now)) {
                    giveUp.accept(now);
                } else {
                    answer.apply(now).whenComplete((item, failure) -> executor.execute(() -> emit(item, failure)));
                }
            } catch (Throwable e) {
                emit(null, e);
            }
        }

        private synchronized boolean isCancelled() {
            return state == State.CANCELLED;
        }

        private synchronized boolean isCancelledAfter(R now) {
            made = now;
            return state == State.CANCELLED;
        }

        private synchronized boolean passes(State from, State to) {
            boolean passes = state == from;
            state = passes ? to : state;
            return passes;
        }

        private void emit(T item, Throwable failure) {
            if (passes(State.PENDING, State.EMITTING)) {
                if (failure == null) {
                    subscriber.onItem(item);
                } else {
                    subscriber.onFailure(failure instanceof CompletionException && failure.getCause() != null
                            ? failure.getCause()
                            : failure);
                }
                passes(State.EMITTING, State.EMITTED);
            }
        }

        @Override
        public void cancel() {
            R dropped;
            synchronized (this) {
                dropped = mayHaveDroppedTheAnswer() ? made : null;
                state = State.CANCELLED;
            }
            if (dropped != null) {
                giveUp.accept(dropped);
            }
        }

        // A subscriber that is cancelled at the moment of the emission first notes that, then drops the answer, and perhaps only
        // then cancels. Some operators, such as a transformation to a Uni, also cancel long after they have used the answer. The
        // subscriber that has callbacks does not.
        private boolean mayHaveDroppedTheAnswer() {
            return state == State.PENDING || state == State.EMITTING
                    || state == State.EMITTED && subscriber instanceof UniCallbackSubscriber;
        }
    }
}
