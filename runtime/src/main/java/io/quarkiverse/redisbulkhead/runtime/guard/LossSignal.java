package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow.Subscription;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.PermitLostException;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HeldPermit;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.Subscriptions;
import io.smallrye.mutiny.operators.multi.AbstractMultiOperator;
import io.smallrye.mutiny.operators.multi.MultiOperatorProcessor;
import io.smallrye.mutiny.subscription.MultiSubscriber;
import io.smallrye.mutiny.subscription.SerializedSubscriber;

/** Fails an asynchronous execution when one of its permits is lost and that is to end it. */
final class LossSignal {

    private final Continuations continuations;

    LossSignal(Continuations continuations) {
        this.continuations = continuations;
    }

    /** The execution, or its failure if a permit is lost first; the execution is cancelled then. */
    <T> Uni<T> endBy(List<HeldPermit> permits, Uni<T> execution) {
        List<CompletionStage<PermitLost>> signals = signals(permits);
        return signals.isEmpty() ? execution : Uni.combine().any().<T> of(List.of(execution, failureAt(signals)));
    }

    /** The stream, or its failure if a permit is lost first; the stream is cancelled then. */
    <T> Multi<T> endBy(List<HeldPermit> permits, Multi<T> stream) {
        List<CompletionStage<PermitLost>> signals = signals(permits);
        return signals.isEmpty() ? stream
                : stream.plug(upstream -> new UntilLost<>(upstream, signals, continuations.here()));
    }

    private static List<CompletionStage<PermitLost>> signals(List<HeldPermit> permits) {
        List<CompletionStage<PermitLost>> signals = List.of();
        for (HeldPermit permit : permits) {
            if (permit.interruption().isPresent()) {
                signals = signals.isEmpty() ? new ArrayList<>() : signals;
                signals.add(permit.interruption().get());
            }
        }
        return signals;
    }

    private <T> Uni<T> failureAt(List<CompletionStage<PermitLost>> signals) {
        Executor here = continuations.here();
        return Uni.createFrom().<T> emitter(emitter -> signals.forEach(
                signal -> signal.thenAccept(loss -> emitter.fail(new PermitLostException(loss))))).emitOn(here);
    }

    /** Passes a stream on. Mutiny's own operators that end a stream early by a failure do not cancel it. */
    private static final class UntilLost<T> extends AbstractMultiOperator<T, T> {

        private final List<CompletionStage<PermitLost>> signals;
        private final Executor here;

        private UntilLost(Multi<? extends T> stream, List<CompletionStage<PermitLost>> signals, Executor here) {
            super(stream);
            this.signals = signals;
            this.here = here;
        }

        @Override
        public void subscribe(MultiSubscriber<? super T> downstream) {
            Passage<T> passage = new Passage<>(new SerializedSubscriber<>(downstream));
            upstream.subscribe().withSubscriber(passage);
            signals.forEach(signal -> signal
                    .thenAccept(loss -> here.execute(() -> passage.end(new PermitLostException(loss)))));
        }
    }

    private static final class Passage<T> extends MultiOperatorProcessor<T, T> {

        private Passage(MultiSubscriber<? super T> downstream) {
            super(downstream);
        }

        private void end(Throwable failure) {
            Subscription stream = getAndSetUpstreamSubscription(Subscriptions.CANCELLED);
            if (stream == null) {
                Subscriptions.fail(downstream, failure);
            } else if (stream != Subscriptions.CANCELLED) {
                stream.cancel();
                downstream.onFailure(failure);
            }
        }
    }
}
