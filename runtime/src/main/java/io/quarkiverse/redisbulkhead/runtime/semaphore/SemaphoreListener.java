package io.quarkiverse.redisbulkhead.runtime.semaphore;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * Is told what happens to the permits and the calls of this process, for events, metrics and traces. Its methods may be called
 * by any thread, and must not block; nor must they throw: {@link SemaphoreListeners} sees to that.
 */
@FunctionalInterface
public interface SemaphoreListener {

    /**
     * A permit was lost before its execution ended.
     *
     * @param loss which one, and why
     */
    void lost(PermitLost loss);

    /**
     * A call is going to ask for a permit: at once, or when it has those of the bulkheads before. Called by the thread of the
     * caller. Bulkheads that are switched off are not told of.
     *
     * @param bulkhead the bulkhead
     * @param method what the permit is for, as operators see it
     * @return told how the call gets on; {@link CallListener#NONE} costs nothing
     */
    default CallListener asks(BulkheadId bulkhead, String method) {
        return CallListener.NONE;
    }

    /**
     * Leases could not be lengthened. That is tried again until they end.
     *
     * @param bulkhead the bulkhead
     * @param permits how many
     * @param failure why
     */
    default void renewalFailed(BulkheadId bulkhead, int permits, Throwable failure) {
    }
}
