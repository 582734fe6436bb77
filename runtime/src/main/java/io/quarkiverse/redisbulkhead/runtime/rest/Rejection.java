package io.quarkiverse.redisbulkhead.runtime.rest;

import java.util.Optional;
import java.util.OptionalLong;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadInterruptedException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.LockNotAcquiredException;

/**
 * What clients learn of a rejection, in REST and in gRPC.
 *
 * @param isFull whether the bulkhead was full or the lock taken; otherwise the limit could not be checked
 * @param title what happened; contains nothing internal
 * @param bulkhead the name of the bulkhead, which not all clients may see
 * @param retryAfter the seconds after which clients may try again; empty where that would not help, or is not to be said
 */
public record Rejection(boolean isFull, String title, String bulkhead, OptionalLong retryAfter) {

    /**
     * The rejection behind a failure.
     *
     * @param failure what a call failed with
     * @param retryAfter says when to come back
     * @return empty when the failure is not a rejection by a bulkhead
     */
    public static Optional<Rejection> of(Throwable failure, RetryAfter retryAfter) {
        if (failure instanceof BulkheadFullException full) {
            return Optional.of(new Rejection(true,
                    full instanceof LockNotAcquiredException ? "Locked" : "Too many concurrent executions", full.name(),
                    retryAfter.of(full)));
        }
        if (failure instanceof BulkheadInterruptedException interrupted) {
            return unavailable("The call was interrupted", interrupted.name(), retryAfter);
        }
        if (failure instanceof BulkheadUnavailableException unavailable) {
            return unavailable("The limit cannot be checked", unavailable.name(), retryAfter);
        }
        return failure instanceof BulkheadContendedException contended
                ? unavailable("The limit cannot be checked", contended.name(), retryAfter)
                : Optional.empty();
    }

    private static Optional<Rejection> unavailable(String title, String bulkhead, RetryAfter retryAfter) {
        return Optional.of(new Rejection(false, title, bulkhead, retryAfter.ofUnavailable(bulkhead)));
    }
}
