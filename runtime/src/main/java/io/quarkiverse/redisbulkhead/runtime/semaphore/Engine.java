package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadsInUse;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;

/** Gives permits to the calls of this instance, and stops. Stages fail as the store does. Thread-safe. */
public interface Engine {

    /** The calls of one semaphore. Thread-safe. */
    @FunctionalInterface
    interface Calls {

        /**
         * Requests a permit.
         *
         * @param method what the permit is for, as operators see it
         * @param waitsOn what the call occupies while it waits
         * @param executions has counted the execution, and ends it with the admission; null for none
         * @param call receives the events
         * @param heldByCallers the permits of the calls around this one
         * @return its admission; rejected when the application is stopping
         */
        Admission begin(String method, WaitsOn waitsOn, InFlightCounter executions, CallListener call,
                List<HeldPermit> heldByCallers);
    }

    /**
     * Prepares the calls of a semaphore. Cheap.
     *
     * @param bulkhead the definition of the semaphore
     */
    Calls calls(SemaphoreDefinition bulkhead);

    /** As {@link SemaphoreListener#onCall}. */
    CallListener onCall(BulkheadId bulkhead, String method);

    /** A permit that does not count. */
    HeldPermit uncountedPermit(BulkheadId bulkhead);

    /** As {@link Semaphore#attach}. */
    CompletionStage<HeldPermit> attach(SemaphoreDefinition bulkhead, String token, String method);

    /**
     * The holders and waiters of all instances.
     *
     * @param bulkhead the bulkhead; any, whether this instance uses it or not
     * @param most how many of each to list at most
     * @return the state, after the releases of this instance
     */
    CompletionStage<Occupancy> occupancy(BulkheadId bulkhead, int most);

    /**
     * Revokes a permit.
     *
     * @param bulkhead the bulkhead
     * @param permitId the permit
     * @return {@code false} when it is not held
     */
    CompletionStage<Boolean> revoke(BulkheadId bulkhead, String permitId);

    /**
     * Sets the limit for all instances.
     *
     * @param bulkhead the bulkhead
     * @param permits the limit, at least 1
     * @return completes when it is in force
     */
    CompletionStage<Void> resize(BulkheadId bulkhead, int permits);

    /**
     * Undoes {@link #resize}.
     *
     * @param bulkhead the bulkhead
     * @return {@code false} when there was nothing to undo
     */
    CompletionStage<Boolean> resetSize(BulkheadId bulkhead);

    /**
     * The bulkheads, and keys of bulkheads, that any instance uses now.
     *
     * @param most how many to return
     */
    CompletionStage<BulkheadsInUse> inUse(int most);

    /**
     * The bulkheads, and keys of bulkheads, at which this instance holds permits or waits, without a request to the store.
     *
     * @return in no order
     */
    Set<BulkheadId> inUseHere();

    /** Refuses new requests from now on, and rejects all that wait. Executions that hold their permits continue. */
    void refuseAndRejectWaiters();

    /**
     * Releases all permits that are still held, whether their executions have ended or not. To be called after
     * {@link #refuseAndRejectWaiters()}.
     *
     * @return completes when the store has answered the releases, or they are left to the ends of the leases because it does
     *         not answer; never fails
     */
    CompletionStage<Void> releaseAll();

    /** Ends the work in the background. What is not released yet is free when its lease ends. */
    void close();
}
