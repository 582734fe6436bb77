package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.concurrent.CancellationException;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException.Reason;

/** The outcome of a call that requested a permit. */
public enum CallResult {

    /** It has a permit of the shared limit. */
    ACCEPTED,
    /**
     * It runs without a permit of the shared limit: the store is away, and the policy of the bulkhead is to allow or to limit
     * locally.
     */
    BYPASSED,
    /** All permits were taken, and the call did not want to wait. */
    FULL,
    /** All permits were taken for the whole wait. */
    TIMED_OUT,
    /** All permits were taken, and too many calls of this process waited already. */
    QUEUE_FULL,
    /** All permits were taken, and the call returned without having run. */
    SKIPPED,
    /** The store was contended, so it is not known whether a permit was free. */
    CONTENDED,
    /** The store is away or refused the call, or the application is stopping. */
    UNAVAILABLE,
    /** The key of the call was missing or malformed, so no permit was requested. */
    INVALID_KEY,
    /** The weight of the call was missing or below 1, so no permit was requested. */
    INVALID_WEIGHT,
    /** The caller gave up. */
    CANCELLED;

    /**
     * Whether too few permits were free.
     *
     * @return {@code true} for what became of a call because its bulkhead was full
     */
    public boolean isFull() {
        return this == FULL || this == TIMED_OUT || this == QUEUE_FULL || this == SKIPPED;
    }

    /**
     * The result of a call that was rejected.
     *
     * @param hadTime whether the call wanted to wait
     */
    public static CallResult of(Throwable rejection, boolean hadTime) {
        if (rejection instanceof CallRejectedException call && call.reason() != Reason.TOO_FEW) {
            return call.reason() == Reason.QUEUE_FULL ? QUEUE_FULL : FULL;
        } else if (rejection instanceof BulkheadFullException) {
            return hadTime ? TIMED_OUT : FULL;
        } else if (rejection instanceof BulkheadContendedException) {
            return CONTENDED;
        }
        return rejection instanceof CancellationException ? CANCELLED : UNAVAILABLE;
    }
}
