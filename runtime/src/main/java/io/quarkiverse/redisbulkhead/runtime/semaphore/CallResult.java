package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.concurrent.CancellationException;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;

/** What became of a call that asked a bulkhead for a permit. */
public enum CallResult {

    /** It has a permit of the limit that all processes share. */
    ACCEPTED,
    /**
     * It runs, but not by the shared limit: the store is away, and the bulkhead allows calls then, or has a limit of this
     * process.
     */
    BYPASSED,
    /** All permits were taken, and it was not to wait. */
    FULL,
    /** All permits were taken for as long as it was to wait. */
    TIMED_OUT,
    /** All permits were taken, and too many calls of this process waited already, so it was rejected at once. */
    QUEUE_FULL,
    /** Too many were asking the store, so it is not known whether a permit was free. */
    CONTENDED,
    /** The store is away or refused the call, or the application is stopping. */
    UNAVAILABLE,
    /** Its caller did not want the permit any more. */
    CANCELLED;

    /**
     * The result of a call that was rejected.
     *
     * @param hadTime whether the call wanted to wait
     */
    static CallResult of(Throwable rejection, boolean hadTime) {
        if (rejection instanceof QueueFullException) {
            return QUEUE_FULL;
        } else if (rejection instanceof BulkheadFullException) {
            return hadTime && !(rejection instanceof HeavyCallRejectedException heavy && heavy.isAboveLimit()) ? TIMED_OUT
                    : FULL;
        } else if (rejection instanceof BulkheadContendedException) {
            return CONTENDED;
        }
        return rejection instanceof CancellationException ? CANCELLED : UNAVAILABLE;
    }
}
