package io.quarkiverse.redisbulkhead.runtime.overview;

/** An operator named a bulkhead that does not exist or cannot be changed. The message is for operators. */
public final class WrongTargetException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What is wrong. */
    public enum Kind {
        /** No such bulkhead is known. */
        UNKNOWN,
        /** It belongs to a lock. */
        LOCK,
        /** It has one limit for each key, and the key is missing. */
        KEY_MISSING,
        /** It has one limit for all calls, and a key was given. */
        KEY_NEEDLESS
    }

    private final Kind kind;

    WrongTargetException(Kind kind, String message) {
        super(message, null, false, false);
        this.kind = kind;
    }

    /**
     * What is wrong.
     *
     * @return the kind
     */
    public Kind kind() {
        return kind;
    }
}
