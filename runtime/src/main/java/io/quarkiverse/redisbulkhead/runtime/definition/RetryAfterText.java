package io.quarkiverse.redisbulkhead.runtime.definition;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.Optional;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkus.runtime.configuration.DurationConverter;

/**
 * What is configured for {@code Retry-After}.
 *
 * @param delay how long callers are told to wait; empty for no header
 */
public record RetryAfterText(Optional<Duration> delay) {

    private static final String NONE = "none";
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    /**
     * Reads and checks a value.
     *
     * @throws IllegalArgumentException when it is neither {@code none} nor a duration within bounds
     */
    static RetryAfterText parse(String written) {
        if (NONE.equals(written.trim())) {
            return new RetryAfterText(Optional.empty());
        }
        Duration delay = read(written.trim());
        if (delay == null || delay.compareTo(SHORTEST) < 0 || delay.compareTo(SemaphoreSpec.MAX_WAIT) > 0) {
            throw new IllegalArgumentException("retryAfter must be none, or a duration from one second to 365 days such as 5s,"
                    + " 2m or PT5S, but is '" + written + "'");
        }
        return new RetryAfterText(Optional.of(delay));
    }

    private static Duration read(String written) {
        try {
            return DurationConverter.parseDuration(written);
        } catch (IllegalArgumentException | ArithmeticException | DateTimeException e) {
            return null;
        }
    }
}
