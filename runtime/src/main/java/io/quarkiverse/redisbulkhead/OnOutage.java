package io.quarkiverse.redisbulkhead;

/** What happens to a call for a permit while Redis is away. */
public enum OnOutage {

    /**
     * It fails with {@link BulkheadUnavailableException}. A call that is already waiting when the outage begins keeps waiting
     * until its {@code maxWait} is over.
     */
    REJECT,

    /** It runs without a permit: nothing limits it. */
    ALLOW,

    /** It takes a permit from a limit that this process applies by itself, see {@link SemaphoreSpec#localPermits()}. */
    LOCAL
}
