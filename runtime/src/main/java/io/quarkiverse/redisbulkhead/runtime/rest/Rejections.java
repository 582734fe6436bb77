package io.quarkiverse.redisbulkhead.runtime.rest;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadInterruptedException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.InvalidBulkheadKeyException;
import io.quarkiverse.redisbulkhead.LockNotAcquiredException;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException.Reason;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * What clients learn of rejections, in REST and in gRPC, and when they may come back. The reason for an outage stays in the
 * log; it may name servers.
 */
@Singleton
public class Rejections {

    private static final double SPREAD = 0.5;

    /** What happened. */
    public enum Kind {
        /** The bulkhead was full, or the lock taken. */
        FULL,
        /** The limit could not be checked. */
        UNAVAILABLE,
        /** The key is missing or malformed, so a retry would not help. */
        INVALID_KEY
    }

    /**
     * One rejection.
     *
     * @param kind what happened
     * @param title the same as a text; contains nothing internal
     * @param detail what happened to which bulkhead, for clients that may see its name
     * @param bulkhead the name of the bulkhead, which not all clients may see
     * @param retryAfter the seconds after which clients may try again; empty where that would not help, or is not to be said
     */
    public record Rejection(Kind kind, String title, String detail, String bulkhead, OptionalLong retryAfter) {
    }

    private final BulkheadRegistry bulkheads;

    /**
     * Creates the bean.
     *
     * @param bulkheads knows what is configured, and when a permit is free
     */
    @Inject
    public Rejections(BulkheadRegistry bulkheads) {
        this.bulkheads = bulkheads;
    }

    /**
     * The rejection behind a failure.
     *
     * @param failure what a call failed with
     * @return empty when the failure is not a rejection by a bulkhead
     */
    public Optional<Rejection> of(Throwable failure) {
        Rejection rejection = null;
        if (failure instanceof BulkheadFullException full) {
            rejection = new Rejection(Kind.FULL,
                    full instanceof LockNotAcquiredException ? "Locked" : "Too many concurrent executions", detail(full),
                    full.name(), retryAfter(full));
        } else if (failure instanceof BulkheadInterruptedException interrupted) {
            rejection = unavailable("The call was interrupted", "The call was interrupted while it waited for "
                    + Texts.bulkheadOrLock(interrupted.name()), interrupted.name());
        } else if (failure instanceof BulkheadUnavailableException unavailable) {
            rejection = unavailable("The limit cannot be checked", "Bulkhead '" + unavailable.name()
                    + "' is temporarily unavailable", unavailable.name());
        } else if (failure instanceof BulkheadContendedException contended) {
            rejection = unavailable("The limit cannot be checked", "Too many requests are competing for bulkhead '"
                    + contended.name() + "'", contended.name());
        } else if (failure instanceof InvalidBulkheadKeyException invalid) {
            rejection = new Rejection(Kind.INVALID_KEY, "A parameter is missing or malformed", invalid.getMessage(),
                    invalid.name(), OptionalLong.empty());
        }
        return Optional.ofNullable(rejection);
    }

    private Rejection unavailable(String title, String detail, String bulkhead) {
        return new Rejection(Kind.UNAVAILABLE, title, detail, bulkhead, configured(bulkhead).orElse(OptionalLong.of(1)));
    }

    private static String detail(BulkheadFullException rejection) {
        String what = Texts.bulkheadOrLock(rejection.name());
        Reason reason = CallRejectedException.reasonOf(rejection);
        if (reason == Reason.NESTED) {
            return "The call would wait for " + (rejection instanceof LockNotAcquiredException ? "" : "permits of ") + what
                    + ", which this request itself holds";
        }
        if (rejection instanceof LockNotAcquiredException lock) {
            return "Lock '" + lock.lock() + "' is held by another";
        }
        if (reason == Reason.ABOVE_LIMIT) {
            return "The limit of " + what + " is too low for this call";
        }
        if (reason == Reason.TOO_FEW) {
            return "Too few permits of " + what + " are free";
        }
        String whose = "of " + what + (rejection.key().isPresent() ? " for this key" : "");
        return rejection.limit() == 1 ? "The only permit " + whose + " is taken"
                : "All " + rejection.limit() + " permits " + whose + " are taken";
    }

    // Empty also if no wait helps: the call would have waited for itself, or weighs more than the limit.
    private OptionalLong retryAfter(BulkheadFullException full) {
        return CallRejectedException.isFinal(full) ? OptionalLong.empty()
                : configured(full.name()).orElseGet(() -> OptionalLong.of(seconds(
                        bulkheads.untilFree(new BulkheadId(full.name(), full.key()), Math.max(1, full.limit())),
                        bulkheads.lease(full.name()), ThreadLocalRandom.current()::nextDouble)));
    }

    private Optional<OptionalLong> configured(String bulkhead) {
        return bulkheads.definitions().<Duration> stated(bulkhead, "rest.retry-after")
                .map(delay -> delay.isZero() ? OptionalLong.empty() : OptionalLong.of(roundedUp(delay)));
    }

    /**
     * Spreads an estimate, so that callers that were rejected together do not come back together, and keeps it within bounds.
     * The fraction of a second becomes the probability of one second more: rounding up would undo the spread of short ones.
     */
    static long seconds(Duration estimate, Duration most, DoubleSupplier random) {
        double spread = Math.max(1, estimate.toNanos() / 1e9) * (1 + SPREAD * random.getAsDouble());
        long whole = (long) (spread + random.getAsDouble());
        return Math.max(1, Math.min(whole, roundedUp(most)));
    }

    private static long roundedUp(Duration wait) {
        return wait.plusNanos(999_999_999).toSeconds();
    }
}
