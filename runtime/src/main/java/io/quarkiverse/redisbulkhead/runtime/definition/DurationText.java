package io.quarkiverse.redisbulkhead.runtime.definition;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkus.runtime.configuration.DurationConverter;

/** Reads the values that are durations, each with its own bounds. */
public enum DurationText {

    /** The lease. */
    EXPIRE("expire", "30s, 5m or PT30S"),

    /** How long a call waits for a permit. */
    MAX_WAIT("maxWait", "2s, 500ms or PT2S"),

    /** For how long a permit is renewed. */
    MAX_HOLD("maxHold", "10m, 2h or PT10M"),

    /** For how long a permit or lock is taken at least. */
    MIN_HOLD("minHold", "10s, 500ms or PT10S"),

    /** For how long an instance keeps a permit that no execution uses. */
    KEEP_IDLE("keepIdle", "1s, 500ms or PT1S"),

    /** When a permit that is still held is reported. */
    WARN_AFTER("warnAfter", "10m, 30s or PT10M"),

    /** How long a call waits for a lock. */
    ACQUIRE_TIMEOUT("acquireTimeout", "10s, 500ms or PT10S"),

    /** The lease of a lock. */
    LOCK_TIMEOUT("lockTimeout", "30s, 5m or PT30S"),

    /** How long a call waits for an answer from Redis. */
    COMMAND_TIMEOUT("commandTimeout", "1s, 500ms or PT1S"),

    /** How long a step of the store {@code lock} may take. */
    STEP_TIMEOUT("stepTimeout", "1s, 500ms or PT1S"),

    /** For how long an operation of the store {@code lock} tries to get the lock. */
    CONTENTION_TIMEOUT("contentionTimeout", "3s, 500ms or PT3S"),

    /** How often the metrics of the cluster are looked up. */
    CLUSTER_INTERVAL("clusterInterval", "10s, 500ms or PT10S");

    private static final Duration SHORTEST_RETRY_AFTER = Duration.ofSeconds(1);

    private final String member;
    private final String examples;

    DurationText(String member, String examples) {
        this.member = member;
        this.examples = examples;
    }

    private void checkBounds(Duration duration, Duration least, Duration most, String bounds) {
        if (duration.compareTo(least) < 0 || duration.compareTo(most) > 0) {
            throw new IllegalArgumentException(member + " must be " + bounds + ", but is " + duration);
        }
    }

    /** Throws an {@link IllegalArgumentException} when the value is out of bounds. */
    void check(Duration duration) {
        switch (this) {
            case EXPIRE -> SemaphoreSpec.named("any").expire(duration);
            case MAX_WAIT -> SemaphoreSpec.named("any").maxWait(duration);
            case MAX_HOLD -> SemaphoreSpec.named("any").maxHold(duration);
            case MIN_HOLD -> SemaphoreSpec.named("any").minHold(duration);
            case KEEP_IDLE -> SemaphoreSpec.named("any").keepIdle(duration);
            case WARN_AFTER -> checkBounds(duration, Duration.ZERO, SemaphoreSpec.MAX_EXPIRE, "from zero to 365 days");
            case ACQUIRE_TIMEOUT -> LockSpec.named("any").acquireTimeout(duration);
            case LOCK_TIMEOUT -> LockSpec.named("any").lockTimeout(duration);
            case COMMAND_TIMEOUT ->
                checkBounds(duration, Duration.ofMillis(1), Duration.ofHours(1), "from one millisecond to one hour");
            case STEP_TIMEOUT ->
                checkBounds(duration, Duration.ofMillis(50), Duration.ofMinutes(1), "from 50 milliseconds to one minute");
            case CONTENTION_TIMEOUT -> checkBounds(duration, Duration.ofMillis(51), Duration.ofHours(1),
                    "longer than stepTimeout, and at most one hour");
            case CLUSTER_INTERVAL -> {
                if (!duration.isZero()) {
                    checkBounds(duration, Duration.ofMillis(100), Duration.ofDays(1),
                            "zero or from 100 milliseconds to one day");
                }
            }
        }
    }

    /**
     * The duration of that name.
     *
     * @param member the member of an annotation or of the configuration, such as {@code maxWait}
     * @return the duration
     */
    public static DurationText of(String member) {
        return Stream.of(values()).filter(duration -> duration.member.equals(member)).findFirst().orElseThrow();
    }

    /**
     * Values that can be read.
     *
     * @return for messages
     */
    public String examples() {
        return examples;
    }

    /**
     * Reads and checks a value.
     *
     * @param written the value, not yet checked
     * @return the duration, in whole milliseconds
     * @throws IllegalArgumentException when it is no duration, or out of bounds
     */
    Duration parse(String written) {
        Duration duration = read(written);
        if (duration == null) {
            throw new IllegalArgumentException(
                    member + " must be a duration such as " + examples + ", but is '" + written + "'");
        }
        check(duration);
        return Duration.ofMillis(duration.toMillis());
    }

    private static Duration read(String written) {
        try {
            return DurationConverter.parseDuration(written);
        } catch (IllegalArgumentException | ArithmeticException | DateTimeException e) {
            return null;
        }
    }

    /**
     * Reads and checks what is configured for {@code Retry-After}.
     *
     * @return zero for {@code none}
     * @throws IllegalArgumentException when it is neither {@code none} nor a duration within bounds
     */
    static Duration retryAfter(String written) {
        String text = written.trim();
        if (text.equals("none")) {
            return Duration.ZERO;
        }
        Duration delay = read(text);
        if (delay == null || delay.compareTo(SHORTEST_RETRY_AFTER) < 0 || delay.compareTo(SemaphoreSpec.MAX_WAIT) > 0) {
            throw new IllegalArgumentException("retryAfter must be none, or a duration from one second to 365 days such as 5s,"
                    + " 2m or PT5S, but is '" + written + "'");
        }
        return delay;
    }

    /**
     * Whether a value is a duration.
     *
     * @param written the value
     * @return {@code true} also when it is out of bounds
     */
    public boolean isReadable(String written) {
        return read(written) != null;
    }

    /**
     * Reads and checks a text in an annotation.
     *
     * @return empty when it is not known, or not valid
     */
    Optional<Duration> valueOf(MemberText member) {
        if (member.text().isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(parse(member.text().get()));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
