package io.quarkiverse.redisbulkhead.runtime.store;

/**
 * A store gave no answer, or refused the request. It may have carried it out all the same, or may still do so: the sender
 * states its position again.
 */
public final class StoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What a failure means for the sender of the request. */
    public enum Kind {

        /**
         * The reason passes within moments: the connection was lost, or the server is about to change its role. The store is
         * not away, and the same request may succeed immediately.
         */
        TRANSIENT,

        /**
         * A store that guards its steps with a lock did not get that lock in time. Nothing was changed. Permits may be free,
         * and the store is not away.
         */
        CONTENDED,

        /** The store is away, or was for the whole time that a request may take. It may return at any moment. */
        AWAY,

        /** The store refuses the request until a setting or the request changes, so waiting makes no sense. */
        REFUSED
    }

    private final Kind kind;

    /**
     * Creates the exception.
     *
     * @param kind what it means for the sender
     * @param message what went wrong and what to do about it
     */
    public StoreException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    /**
     * Creates the exception for a request that was refused.
     *
     * @param message what went wrong and what to do about it
     * @param cause the failure behind it, or null
     */
    public StoreException(String message, Throwable cause) {
        super(message, cause);
        this.kind = Kind.REFUSED;
    }

    /** What it means for the sender. */
    public Kind kind() {
        return kind;
    }

    /**
     * Whether a failure is of that kind.
     *
     * @param failure what a stage failed with; may be null
     * @param kind the kind
     */
    public static boolean is(Throwable failure, Kind kind) {
        return Failures.cause(failure) instanceof StoreException known && known.kind == kind;
    }

    /** Whether the same request may succeed soon. It may have been carried out, or may still be. */
    public boolean isRetryable() {
        return kind == Kind.TRANSIENT || kind == Kind.CONTENDED;
    }
}
