package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.concurrent.CompletionException;

/** Unwraps the exceptions of completion stages. */
public final class Failures {

    private Failures() {
    }

    /**
     * The failure itself.
     *
     * @param failure what a stage failed with; may be null
     * @return the failure without wrappers; null for null
     */
    public static Throwable cause(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /**
     * The failure as text.
     *
     * @param failure what a stage failed with
     * @return the message of the {@linkplain #cause failure behind it}, or its name if it has none
     */
    public static String text(Throwable failure) {
        Throwable cause = cause(failure);
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }
}
