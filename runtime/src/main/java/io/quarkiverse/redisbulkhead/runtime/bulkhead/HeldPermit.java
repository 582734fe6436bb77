package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit.PermitInUse.Taker;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/** A permit, from the grant until it is released, lost or detached. Thread-safe. */
public interface HeldPermit {

    /**
     * A permit that is in use, for reports.
     *
     * @param bulkhead its bulkhead
     * @param id the permit's id
     * @param method the method that acquired it, or that it guards, as operators see it
     * @param taker the code that acquired it; null for a guarded method
     * @param age how long it has been held
     * @param expire the lease of the bulkhead
     */
    record PermitInUse(BulkheadId bulkhead, String id, String method, Taker taker, Duration age, Duration expire) {

        /**
         * The code that acquired a permit.
         *
         * @param thread the name of its thread
         * @param place the line, as {@code Class.method(File:line)}; empty where places are not recorded
         */
        public record Taker(String thread, String place) {
        }
    }

    /**
     * The permit's id.
     *
     * @return empty when no store knows the permit
     */
    default String id() {
        return "";
    }

    /**
     * The bulkhead.
     *
     * @return its name
     */
    String bulkhead();

    /**
     * The key value that the permit counts for.
     *
     * @return empty when the bulkhead is one limit for all
     */
    Optional<String> key();

    /**
     * The fencing token.
     *
     * @return 0 when the permit is not of the shared store
     */
    default long fencingToken() {
        return 0;
    }

    /**
     * Whether the permit is held, as far as this process knows, without a request to the store.
     *
     * @return {@code false} as soon as the lease may have ended
     */
    boolean isHeld();

    /**
     * Renews the lease.
     *
     * @return {@code false} when the permit is released or lost; fails with
     *         {@link io.quarkiverse.redisbulkhead.BulkheadUnavailableException}
     */
    CompletionStage<Boolean> refresh();

    /**
     * Releases the permit. Later requests of this process come behind the release.
     *
     * @return the answer: {@code false} when it was released or lost before; never fails
     */
    CompletionStage<Boolean> release();

    /**
     * Detaches the permit from this process, which then neither renews nor releases it.
     *
     * @return the token by which any process can attach it; fails with
     *         {@link io.quarkiverse.redisbulkhead.PermitGoneException} when it is released or lost, with
     *         {@link IllegalStateException} when the store that all processes share did not give it, and with
     *         {@link io.quarkiverse.redisbulkhead.BulkheadUnavailableException}, and then it is held as before
     */
    CompletionStage<String> detach();

    /**
     * Undoes {@link #detach()}, once it has completed, because no caller received its token: the permit is held as before. If a
     * release was requested meanwhile, the permit is released now.
     * <p>
     * For {@link CallListener}, and so for metrics and traces, the permit ended with the detachment: neither this nor the
     * later release is reported.
     */
    default void takeBack() {
    }

    /**
     * Notes that code holds the permit, and is to release it.
     *
     * @param taker what acquired it, for reports
     */
    default void heldBy(Taker taker) {
    }

    /** No code can release the permit any more. If it is held, it is reported, and given back one {@code expire} later. */
    default void abandoned() {
    }

    /**
     * Whether the end of an execution waits for the answer to its release.
     *
     * @return {@link io.quarkiverse.redisbulkhead.SemaphoreSpec#awaitRelease()}; {@code false} for a permit that no store
     *         knows
     */
    default boolean awaitsRelease() {
        return false;
    }

    /**
     * The loss, when it must end the execution.
     *
     * @return completes when the permit is lost; empty when a loss does not end executions of this bulkhead
     */
    default Optional<CompletionStage<PermitLost>> interruption() {
        return Optional.empty();
    }
}
