package io.quarkiverse.redisbulkhead.runtime.bulkhead;

/**
 * Receives the events of one call, or of several that need not be told apart. The events of a call come one after the other, on
 * any thread, sometimes while a lock is held: methods must neither block nor call the bulkhead. {@link Listeners} logs
 * what they throw.
 */
public interface CallListener {

    /** Ignores all events. */
    CallListener NONE = new CallListener() {
    };

    /** First event, and once; never for a call that needs several permits and did not get an earlier one. */
    default void requested() {
    }

    /** No permit is free. At most once, before the outcome. */
    default void waiting() {
    }

    /**
     * The call has a permit. Once, unless the call is rejected, and before it continues.
     *
     * @param result {@link CallResult#ACCEPTED} or {@link CallResult#BYPASSED}
     * @param permit the permit. Its fencing token is drawn when it is asked for, and each one that is drawn brings the next
     *        request to the store nearer
     */
    default void acquired(CallResult result, HeldPermit permit) {
    }

    /**
     * The call gets no permit. Once, unless the call acquires a permit, and before it continues.
     *
     * @param result why
     */
    default void rejected(CallResult result) {
    }

    /**
     * The execution ended or detached its permit, and the release follows. Once, after {@link #acquired}.
     *
     * @param heldNanos how long it held the permit
     */
    default void released(long heldNanos) {
    }
}
