package io.quarkiverse.redisbulkhead.deployment.validation;

import java.time.DateTimeException;
import java.time.Duration;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkus.runtime.configuration.DurationConverter;

/** Reads the value of {@code expire}. */
public final class LeaseText {

    private LeaseText() {
    }

    /**
     * Reads and checks a lease.
     *
     * @param written the value, not yet checked
     * @return the lease, in whole milliseconds
     * @throws IllegalArgumentException when it is no duration, or too short or too long
     */
    public static Duration parse(String written) {
        Duration lease;
        try {
            lease = DurationConverter.parseDuration(written);
        } catch (IllegalArgumentException | ArithmeticException | DateTimeException e) {
            lease = null;
        }
        if (lease == null) {
            throw new IllegalArgumentException(
                    "expire must be a duration such as 30s, 5m or PT30S, but is '" + written + "'");
        }
        SemaphoreSpec.named("any").expire(lease);
        return Duration.ofMillis(lease.toMillis());
    }

    static boolean isValid(String written) {
        try {
            parse(written);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
