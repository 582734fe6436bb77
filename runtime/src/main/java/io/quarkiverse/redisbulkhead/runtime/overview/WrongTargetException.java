package io.quarkiverse.redisbulkhead.runtime.overview;

/** What an operator named is not there, or not to be changed. Its message tells that to the operator. */
public final class WrongTargetException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What is wrong. */
    public enum Kind {
        /** No such bulkhead is known. */
        UNKNOWN,
        /** It is behind a lock. */
        LOCK,
        /** It has one limit for each key, and none was named. */
        KEY_MISSING,
        /** It is one limit for all, and a key was named. */
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
