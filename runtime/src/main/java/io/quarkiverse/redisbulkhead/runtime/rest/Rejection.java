package io.quarkiverse.redisbulkhead.runtime.rest;

import java.util.Optional;
import java.util.OptionalLong;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadInterruptedException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.LockNotAcquiredException;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException.Reason;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;

/**
 * What clients learn of a rejection, in REST and in gRPC. The reason for an outage stays in the log; it may name servers.
 *
 * @param isFull whether the bulkhead was full or the lock taken; otherwise the limit could not be checked
 * @param title what happened; contains nothing internal
 * @param detail what happened to which bulkhead, for clients that may see its name
 * @param bulkhead the name of the bulkhead, which not all clients may see
 * @param retryAfter the seconds after which clients may try again; empty where that would not help, or is not to be said
 */
public record Rejection(boolean isFull, String title, String detail, String bulkhead, OptionalLong retryAfter) {

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
                    full instanceof LockNotAcquiredException ? "Locked" : "Too many concurrent executions", detail(full),
                    full.name(), retryAfter.of(full)));
        }
        if (failure instanceof BulkheadInterruptedException interrupted) {
            return unavailable("The call was interrupted", "The call was interrupted while it waited for "
                    + Texts.bulkheadOrLock(interrupted.name()), interrupted.name(), retryAfter);
        }
        if (failure instanceof BulkheadUnavailableException unavailable) {
            return unavailable("The limit cannot be checked",
                    "Bulkhead '" + unavailable.name() + "' is temporarily unavailable",
                    unavailable.name(), retryAfter);
        }
        return failure instanceof BulkheadContendedException contended
                ? unavailable("The limit cannot be checked", "Too many requests are competing for bulkhead '"
                        + contended.name() + "'", contended.name(), retryAfter)
                : Optional.empty();
    }

    private static Optional<Rejection> unavailable(String title, String detail, String bulkhead, RetryAfter retryAfter) {
        return Optional.of(new Rejection(false, title, detail, bulkhead, retryAfter.ofUnavailable(bulkhead)));
    }

    private static String detail(BulkheadFullException rejection) {
        Reason reason = CallRejectedException.reasonOf(rejection);
        if (reason == Reason.NESTED) {
            return "The call would wait for " + (rejection instanceof LockNotAcquiredException lock ? "lock '" + lock.lock()
                    : "permits of bulkhead '" + rejection.name()) + "', which this request itself holds";
        }
        if (rejection instanceof LockNotAcquiredException lock) {
            return "Lock '" + lock.lock() + "' is held by another";
        }
        if (reason == Reason.ABOVE_LIMIT) {
            return "The limit of bulkhead '" + rejection.name() + "' is too low for this call";
        }
        if (reason == Reason.TOO_FEW) {
            return "Too few permits of bulkhead '" + rejection.name() + "' are free";
        }
        String whose = "of bulkhead '" + rejection.name() + "' " + (rejection.key().isPresent() ? "for this key " : "");
        return rejection.limit() == 1 ? "The only permit " + whose + "is taken"
                : "All " + rejection.limit() + " permits " + whose + "are taken";
    }
}
