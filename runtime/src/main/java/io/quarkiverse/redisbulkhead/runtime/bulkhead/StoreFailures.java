package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;

/** Translates failures of stores to the exceptions of the public API. */
public final class StoreFailures {

    /**
     * A call requested a permit while the application stops.
     *
     * @serial exclude
     */
    public static final class StoppingException extends BulkheadUnavailableException {

        private static final long serialVersionUID = 1L;

        /**
         * Creates the exception.
         *
         * @param bulkhead the name of the bulkhead
         */
        public StoppingException(String bulkhead) {
            super(bulkhead, "the application is stopping", null);
        }
    }

    private StoreFailures() {
    }

    public static <T> CompletionStage<T> translate(String bulkhead, CompletionStage<T> answer) {
        return answer.exceptionallyCompose(failure -> CompletableFuture.failedStage(rejection(bulkhead, failure)));
    }

    public static RuntimeException rejection(String bulkhead, Throwable failure) {
        Throwable cause = Failures.cause(failure);
        return StoreException.is(cause, Kind.CONTENDED) ? new BulkheadContendedException(bulkhead, cause)
                : new BulkheadUnavailableException(bulkhead, Failures.text(cause), cause);
    }

    /** Whether the store did nothing, and the same request may succeed soon. */
    public static boolean isRetryable(Throwable failure) {
        return Failures.cause(failure) instanceof StoreException known && known.isRetryable();
    }

    /** Whether the store is away and may come back. */
    public static boolean isAway(Throwable failure) {
        return StoreException.is(failure, Kind.AWAY);
    }

    /** Whether a rejection is due to a store that did not answer. */
    public static boolean isOutage(Throwable rejection) {
        return Failures.cause(rejection) instanceof BulkheadUnavailableException unavailable
                && unavailable.getCause() instanceof StoreException;
    }
}
