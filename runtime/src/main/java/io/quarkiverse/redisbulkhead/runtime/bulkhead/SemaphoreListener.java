package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.Set;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit.PermitInUse;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * Receives the events of the permits and calls of this process: for logs, CDI events, metrics and traces. Methods may be called
 * on any thread, must not block, and must not throw: {@link Listeners} logs what they throw.
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
     * A call is about to request a permit: now, or when it has the permits of the bulkheads before. Called on the caller's
     * thread. Disabled bulkheads fire no events.
     *
     * @param bulkhead the bulkhead
     * @param method what the permit is for, as operators see it
     * @param weight how much of the limit the call takes
     * @return receives the events of this call; {@link CallListener#NONE} costs nothing
     */
    default CallListener onCall(BulkheadId bulkhead, String method, int weight) {
        return CallListener.NONE;
    }

    /**
     * Code dropped a permit without releasing it. The instance gives it back when one {@code expire} has passed.
     *
     * @param permit which one
     */
    default void leaked(PermitInUse permit) {
    }

    /**
     * An execution has held its permit for longer than {@code warn-after}. Once per permit.
     *
     * @param permit which one
     */
    default void heldLong(PermitInUse permit) {
    }

    /**
     * A call was rejected because the calls around it hold so much of the bulkhead that it would wait for itself.
     *
     * @param method what the permit was for, as operators see it
     * @param rejection what the call fails with
     */
    default void nestedCallRejected(String method, RuntimeException rejection) {
    }

    /**
     * Leases were not renewed. Renewal is retried until they end.
     *
     * @param bulkhead the bulkhead
     * @param permits how many
     * @param failure why
     */
    default void renewalFailed(BulkheadId bulkhead, int permits, Throwable failure) {
    }

    /**
     * Instances define a bulkhead with different limits. Reported with each answer of the store that shows it.
     *
     * @param bulkhead the bulkhead
     * @param own the limit in a request of this instance
     * @param others the other limits in requests of the last minute
     */
    default void limitsDiffer(BulkheadId bulkhead, int own, Set<Integer> others) {
    }
}
