package io.quarkiverse.redisbulkhead.runtime.overview;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.StoreAwayException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreContendedException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;

/** Why the request of an operator fails. The message is for operators. */
public final class Problem extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;

    /**
     * Creates a problem.
     *
     * @param status the HTTP status
     * @param message what is wrong, and the remedy
     */
    public Problem(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    /**
     * The problem behind a failure. It names no server: that stays in the log.
     *
     * @param failure what a request failed with
     * @return with status 500 if the failure is unexpected
     */
    public static Problem of(Throwable failure) {
        Throwable cause = Failures.cause(failure);
        if (cause instanceof Problem problem) {
            return problem;
        }
        if (cause instanceof BulkheadContendedException || cause instanceof StoreContendedException) {
            return new Problem(503, "Too many operations compete. Try again");
        }
        if (cause instanceof BulkheadUnavailableException || cause instanceof StoreException) {
            boolean isAway = cause instanceof StoreAwayException || cause.getCause() instanceof StoreAwayException;
            return new Problem(503, isAway ? "Redis is not available. Try again later"
                    : "Redis refused the command. See the log of the application");
        }
        return new Problem(500, "The request failed. See the log of the application");
    }

    /**
     * The HTTP status.
     *
     * @return from 400
     */
    public int status() {
        return status;
    }
}
