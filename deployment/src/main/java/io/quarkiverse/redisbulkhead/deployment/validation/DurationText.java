package io.quarkiverse.redisbulkhead.deployment.validation;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.function.BiConsumer;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkus.runtime.configuration.DurationConverter;

/** Reads the values that are durations, each with its own bounds. */
public enum DurationText {

    /** The lease. */
    EXPIRE("expire", "30s, 5m or PT30S", SemaphoreSpec.Builder::expire),

    /** How long a call waits for a permit. */
    MAX_WAIT("maxWait", "2s, 500ms or PT2S", SemaphoreSpec.Builder::maxWait),

    /** For how long a permit is renewed. */
    MAX_HOLD("maxHold", "10m, 2h or PT10M", SemaphoreSpec.Builder::maxHold);

    private final String member;
    private final String examples;
    private final BiConsumer<SemaphoreSpec.Builder, Duration> check;

    DurationText(String member, String examples, BiConsumer<SemaphoreSpec.Builder, Duration> check) {
        this.member = member;
        this.examples = examples;
        this.check = check;
    }

    /**
     * Reads and checks a value.
     *
     * @param written the value, not yet checked
     * @return the duration, in whole milliseconds
     * @throws IllegalArgumentException when it is no duration, or out of bounds
     */
    public Duration parse(String written) {
        Duration duration;
        try {
            duration = DurationConverter.parseDuration(written);
        } catch (IllegalArgumentException | ArithmeticException | DateTimeException e) {
            duration = null;
        }
        if (duration == null) {
            throw new IllegalArgumentException(
                    member + " must be a duration such as " + examples + ", but is '" + written + "'");
        }
        check.accept(SemaphoreSpec.named("any"), duration);
        return Duration.ofMillis(duration.toMillis());
    }

    boolean isValid(String written) {
        try {
            parse(written);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
