package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.PermitLostException;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HeldPermit;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.multi.MultiSelectFirstUntilOtherOp;

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
                : stream.plug(upstream -> new MultiSelectFirstUntilOtherOp<>(upstream, failureAt(signals).toMulti()));
    }

    private static List<CompletionStage<PermitLost>> signals(List<HeldPermit> permits) {
        return permits.stream().flatMap(permit -> permit.interruption().stream()).toList();
    }

    private <T> Uni<T> failureAt(List<CompletionStage<PermitLost>> signals) {
        Executor here = continuations.here();
        return Uni.createFrom().<T> emitter(emitter -> signals.forEach(
                signal -> signal.thenAccept(loss -> emitter.fail(new PermitLostException(loss))))).emitOn(here);
    }
}
