package io.quarkiverse.redisbulkhead;

/** What happens to a call for a permit while Redis gives no answer. */
public enum OnOutage {

    /** It fails with {@link BulkheadUnavailableException}. */
    REJECT,

    /** It runs without a permit: nothing limits it. */
    ALLOW,

    /** It takes a permit of a limit that this process keeps for itself, see {@link SemaphoreSpec#localPermits()}. */
    LOCAL
}
