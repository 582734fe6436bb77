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
}
