package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.BulkheadFullException;

/**
 * A full bulkhead rejected a call for a reason other than that all permits are taken.
 *
 * @serial exclude
 */
public final class CallRejectedException extends BulkheadFullException {

    /**
     * A full bulkhead skips the call: it returns without having run. Different from the exception that the method itself may
     * throw.
     *
     * @serial exclude
     */
    public static final class SkippedException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final transient BulkheadFullException rejection;
        private final transient Consumer<BulkheadFullException> listener;

        /**
         * Creates the exception.
         *
         * @param rejection what the call would have failed with
         * @param listener receives it when the call returns; must not block
         */
        public SkippedException(BulkheadFullException rejection, Consumer<BulkheadFullException> listener) {
            super(rejection.getMessage(), rejection, false, false);
            this.rejection = rejection;
            this.listener = listener;
        }

        /** The call returns. To be called on its thread. */
        public void skip() {
            listener.accept(rejection);
        }
    }

    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Reason {
        /** Too many calls of this process wait already, so this one cannot. */
        QUEUE_FULL,
        /** Some permits may be free, but fewer than the call weighs. */
        TOO_FEW,
        /** The limit that is in force is below the weight of the call, so no wait helps. */
        ABOVE_LIMIT,
        /** The calls around it hold so much of the bulkhead that it would wait for itself, so no wait helps. */
        NESTED
    }

    private final Reason reason;
    private final String bound;

    private CallRejectedException(Reason reason, String bound, String message, String name, Optional<String> key, int limit,
            Duration nearestLeaseEnd) {
        super(message, name, key, limit, nearestLeaseEnd);
        this.reason = reason;
        this.bound = bound;
    }

    /**
     * The call cannot wait.
     *
     * @param bound which one is reached, and how to change it
     */
    public static CallRejectedException queueFull(String bound, String name, Optional<String> key, int limit,
            Duration nearestLeaseEnd) {
        return new CallRejectedException(Reason.QUEUE_FULL, bound, "Bulkhead '" + name + "' is full" + forKey(key)
                + ", and the call cannot wait: " + bound, name, key, limit, nearestLeaseEnd);
    }

    /** The call weighs more than 1. */
    public static CallRejectedException heavy(long weight, String name, Optional<String> key, int limit,
            Duration nearestLeaseEnd) {
        return weight > limit
                ? new CallRejectedException(Reason.ABOVE_LIMIT, "", "Bulkhead '" + name + "' has a limit of " + limit
                        + forKey(key) + ", below the weight " + weight + " of this call. Raise the limit (its definition, or "
                        + "RedisSemaphore.resize and resetSize), or lower the weight", name, key, limit, nearestLeaseEnd)
                : new CallRejectedException(Reason.TOO_FEW, "", "Bulkhead '" + name + "' is full" + forKey(key)
                        + ": fewer than " + weight + " of its " + limit + " permits are free; the first of the leases ends in "
                        + nearestLeaseEnd.toMillis() + " ms",
                        name, key, limit, nearestLeaseEnd);
    }

    /**
     * The call would wait for itself.
     *
     * @param held the weights of the permits of the calls around it
     */
    public static CallRejectedException nested(int weight, int held, String name, Optional<String> key, int limit,
            Duration nearestLeaseEnd) {
        return new CallRejectedException(Reason.NESTED, "", "A call of bulkhead '" + name + "' would wait for itself: it needs "
                + (limit == 1 ? "the only permit" : weight + " of the " + limit + " permits")
                + (key.isEmpty() ? "" : " of this key") + ", and the guarded calls around it hold " + held
                + ". Call it outside of them, use a bulkhead of another name, or raise the limit to " + ((long) held + weight),
                name, key, limit, nearestLeaseEnd);
    }

    private static String forKey(Optional<String> key) {
        return key.isEmpty() ? "" : " for this key";
    }

    /** Why. */
    public Reason reason() {
        return reason;
    }

    /**
     * Why a call was rejected.
     *
     * @param rejection of a bulkhead; or of a lock, which may have this exception as its cause
     * @return null when all permits are taken
     */
    public static Reason reasonOf(BulkheadFullException rejection) {
        Throwable known = rejection instanceof CallRejectedException ? rejection : rejection.getCause();
        return known instanceof CallRejectedException call ? call.reason : null;
    }

    /** Whether the call would be rejected again, however long it waits. */
    public static boolean isFinal(BulkheadFullException rejection) {
        Reason reason = reasonOf(rejection);
        return reason == Reason.NESTED || reason == Reason.ABOVE_LIMIT;
    }

    /** Which bound of waiting calls is reached, and how to change it. Empty for other reasons. */
    public String bound() {
        return bound;
    }
}
