package io.quarkiverse.redisbulkhead.runtime.rest;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/** When a rejected caller may come back: what {@code Retry-After} says in REST, and {@code RetryInfo} in gRPC. */
@Singleton
public class RetryAfter {

    private static final double SPREAD = 0.5;

    private final BulkheadRegistry bulkheads;

    /**
     * Creates the bean.
     *
     * @param bulkheads knows what is configured, and when a permit is free
     */
    @Inject
    public RetryAfter(BulkheadRegistry bulkheads) {
        this.bulkheads = bulkheads;
    }

    /**
     * For a call that found its bulkhead full.
     *
     * @param rejection what the call failed with
     * @return seconds, at least 1; empty for no header, also if no wait helps: the call would have waited for
     *         itself, or weighs more than the limit
     */
    public OptionalLong of(BulkheadFullException rejection) {
        if (CallRejectedException.isFinal(rejection)) {
            return OptionalLong.empty();
        }
        return configured(rejection.name()).orElseGet(() -> OptionalLong.of(seconds(
                bulkheads.untilFree(new BulkheadId(rejection.name(), rejection.key()), Math.max(1, rejection.limit())),
                bulkheads.lease(rejection.name()), ThreadLocalRandom.current()::nextDouble)));
    }

    /**
     * For a call whose bulkhead could not be asked.
     *
     * @param bulkhead its name
     * @return seconds, at least 1; empty for no header
     */
    public OptionalLong ofUnavailable(String bulkhead) {
        return configured(bulkhead).orElse(OptionalLong.of(1));
    }

    private Optional<OptionalLong> configured(String bulkhead) {
        return bulkheads.definitions().retryAfter(bulkhead)
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
