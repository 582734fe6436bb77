package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.local.Bulkhead;

/**
 * An operation of a caller on a bulkhead. It may be done more than once without harm, and its outcome counts when the step that
 * did it has come into force.
 *
 * @param <T> the answer
 */
final class Operation<T> {

    private final List<String> ids;
    private final Function<Bulkhead, T> action;
    private final boolean onlyRemoves;
    private final UnaryOperator<T> whenRepeated;
    private final CompletableFuture<T> answer = new CompletableFuture<>();
    private final long begunNanos = System.nanoTime();
    private T outcome;
    private StoreException refusal;
    private boolean alone;
    private boolean unknown;

    private Operation(List<String> ids, Function<Bulkhead, T> action, boolean onlyRemoves, UnaryOperator<T> whenRepeated) {
        this.ids = ids;
        this.action = action;
        this.onlyRemoves = onlyRemoves;
        this.whenRepeated = whenRepeated;
    }

    /**
     * An operation whose answer is as good when it is done again.
     *
     * @param ids the permits that it is about
     */
    static <T> Operation<T> repeatable(List<String> ids, Function<Bulkhead, T> action) {
        return new Operation<>(ids, action, false, UnaryOperator.identity());
    }

    /** An operation that answers whether it has changed something; {@code true} when it may have been done before. */
    static Operation<Boolean> changing(List<String> ids, Function<Bulkhead, Boolean> action) {
        return new Operation<>(ids, action, false, changed -> true);
    }

    /** Like {@link #changing}; it needs no memory. */
    static Operation<Boolean> removing(String id, Function<Bulkhead, Boolean> action) {
        return new Operation<>(List.of(id), action, true, changed -> true);
    }

    List<String> ids() {
        return ids;
    }

    /** Whether a server whose memory is full can do it. */
    boolean onlyRemoves() {
        return onlyRemoves;
    }

    CompletableFuture<T> answer() {
        return answer;
    }

    long begunNanos() {
        return begunNanos;
    }

    /** From now on it is done in a step of its own. */
    void separate() {
        alone = true;
    }

    boolean isAlone() {
        return alone;
    }

    /** A transaction that does it was sent and not answered. Whatever follows, it may have been done. */
    void mayBeDone() {
        unknown = true;
    }

    boolean isUnknown() {
        return unknown;
    }

    /** Does it in a step that is not in force yet. */
    void doIn(Bulkhead bulkhead) {
        refusal = null;
        try {
            T first = action.apply(bulkhead);
            outcome = unknown ? whenRepeated.apply(first) : first;
        } catch (StoreException e) {
            refusal = e;
        }
    }

    /** The step is in force. */
    void succeed() {
        if (refusal == null) {
            answer.complete(outcome);
        } else {
            fail(refusal);
        }
    }

    void fail(Throwable failure) {
        boolean saysNotDone = failure instanceof StoreException known && !known.outcomeUnknown();
        answer.completeExceptionally(
                unknown && saysNotDone ? new StoreException(failure.getMessage(), true, failure) : failure);
    }
}
