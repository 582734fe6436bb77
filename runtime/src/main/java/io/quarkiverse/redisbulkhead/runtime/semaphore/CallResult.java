package io.quarkiverse.redisbulkhead.runtime.semaphore;

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
     * Whether the call may run.
     *
     * @return {@code false} when it was rejected, or given up
     */
    public boolean runs() {
        return this == ACCEPTED || this == BYPASSED;
    }
}
