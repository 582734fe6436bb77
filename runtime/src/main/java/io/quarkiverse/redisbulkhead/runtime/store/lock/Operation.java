package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.steps.BulkheadSteps;

/**
 * Something that a caller wants done to a bulkhead. It may be done more than once without harm, and its outcome counts when
 * the step that did it has come into force.
 *
 * @param <T> the answer
 */
final class Operation<T> {

    private final List<String> ids;
    private final int atOnce;
    private final Function<BulkheadSteps, T> action;
    private final boolean repeatable;
    private final UnaryOperator<T> whenRepeated;
    private final CompletableFuture<T> answer = new CompletableFuture<>();
    private final long begunNanos = System.nanoTime();
    private T outcome;
    private boolean alone;
    private boolean unknown;

    private Operation(List<String> ids, int atOnce, Function<BulkheadSteps, T> action, boolean repeatable,
            UnaryOperator<T> whenRepeated) {
        this.ids = ids;
        this.atOnce = atOnce;
        this.action = action;
        this.repeatable = repeatable;
        this.whenRepeated = whenRepeated;
    }

    /**
     * An operation whose answer is as good when it is done again.
     *
     * @param ids the permits that it is about
     */
    static <T> Operation<T> repeatable(List<String> ids, Function<BulkheadSteps, T> action) {
        return new Operation<>(ids, ids.size(), action, true, UnaryOperator.identity());
    }

    /** An operation that answers whether it has changed something; yes, when it may have been done before. */
    static Operation<Boolean> changing(List<String> ids, Function<BulkheadSteps, Boolean> action) {
        return new Operation<>(ids, ids.size(), action, false, changed -> true);
    }

    /** The same operation, which passes on up to so many permits at once. */
    Operation<T> passingOn(int permits) {
        return new Operation<>(ids, permits, action, repeatable, whenRepeated);
    }

    /** From now on it is done in a step of its own. */
    void separate() {
        alone = true;
    }

    boolean isAlone() {
        return alone;
    }

    List<String> ids() {
        return ids;
    }

    int atOnce() {
        return atOnce;
    }

    CompletableFuture<T> answer() {
        return answer;
    }

    long begunNanos() {
        return begunNanos;
    }

    /** A transaction that does it was sent and not answered. Whatever follows, it may have been done. */
    void mayBeDone() {
        unknown = true;
    }

    boolean isUnknown() {
        return unknown;
    }

    /** Whether a later step may give a better answer, because this one saw only a part of those who wait. */
    boolean mayBeBetterLater() {
        return repeatable && !(outcome instanceof Granted);
    }

    /** Does it in a step that is not in force yet. */
    void doIn(BulkheadSteps steps) {
        T first = action.apply(steps);
        outcome = unknown ? whenRepeated.apply(first) : first;
    }

    /** The step is in force. */
    void succeed() {
        answer.complete(outcome);
    }

    void fail(Throwable failure) {
        boolean saysNotDone = failure instanceof StoreException known && !known.outcomeUnknown();
        answer.completeExceptionally(
                unknown && saysNotDone ? new StoreException(failure.getMessage(), true, failure) : failure);
    }
}
