package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.concurrent.CompletionException;

/** Looks behind the exceptions in which stages wrap what went wrong. */
public final class Failures {

    private Failures() {
    }

    /**
     * What went wrong.
     *
     * @param failure what a stage told; may be null
     * @return the failure behind it, or itself; null for null
     */
    public static Throwable cause(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /**
     * What went wrong, in words.
     *
     * @param failure what a stage told
     * @return the message of the {@linkplain #cause failure behind it}, or its name where it has none
     */
    public static String text(Throwable failure) {
        Throwable cause = cause(failure);
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }
}
