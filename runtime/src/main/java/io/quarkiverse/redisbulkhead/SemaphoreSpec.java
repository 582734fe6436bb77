package io.quarkiverse.redisbulkhead;

import java.time.Duration;
import java.util.Objects;

/**
 * What a bulkhead is: an immutable value, checked when it is built.
 *
 * <pre>{@code
 * SemaphoreSpec.named("reports").permits(5).fair(true).expire(Duration.ofSeconds(30)).build();
 * }</pre>
 */
public final class SemaphoreSpec {

    /** The greatest length of a name, in UTF-16 characters. */
    public static final int MAX_NAME_LENGTH = 200;

    /** The longest lease. */
    public static final Duration MAX_EXPIRE = Duration.ofDays(365);

    private final String name;
    private final int permits;
    private final boolean fair;
    private final Duration expire;

    private SemaphoreSpec(Builder builder) {
        this.name = builder.name;
        this.permits = builder.permits;
        this.fair = builder.fair;
        this.expire = builder.expire;
    }

    /**
     * Starts a definition.
     *
     * @param name the bulkhead's name
     * @return a builder with {@code fair} false and {@code expire} 30 seconds
     * @throws IllegalArgumentException when the name is null, blank or longer than {@value #MAX_NAME_LENGTH}
     *         characters
     */
    public static Builder named(String name) {
        return new Builder(name);
    }

    /**
     * The bulkhead's name.
     *
     * @return never null, never blank
     */
    public String name() {
        return name;
    }

    /**
     * The limit.
     *
     * @return at least 1
     */
    public int permits() {
        return permits;
    }

    /**
     * Whether permits go to callers in the order of their requests.
     *
     * @return {@code true} for first come, first served
     */
    public boolean fair() {
        return fair;
    }

    /**
     * The lease: how long a permit lives in Redis.
     *
     * @return from one millisecond to {@link #MAX_EXPIRE}
     */
    public Duration expire() {
        return expire;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SemaphoreSpec that && name.equals(that.name) && permits == that.permits && fair == that.fair
                && expire.equals(that.expire);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, permits, fair, expire);
    }

    @Override
    public String toString() {
        return "'" + name + "' (permits=" + permits + ", fair=" + fair + ", expire=" + expire + ")";
    }

    /** Builds a {@link SemaphoreSpec}. Each setter refuses a bad value at once and names the field. Not safe for threads. */
    public static final class Builder {

        private final String name;
        private int permits;
        private boolean fair;
        private Duration expire = Duration.ofSeconds(30);

        private Builder(String name) {
            if (name == null || name.isBlank()) {
                throw new IllegalArgumentException(
                        "name must not be blank, but is " + (name == null ? "null" : "'" + name + "'"));
            }
            if (name.length() > MAX_NAME_LENGTH) {
                throw new IllegalArgumentException("name must not be longer than " + MAX_NAME_LENGTH + " characters, but '"
                        + name.substring(0, 40) + "...' has " + name.length());
            }
            this.name = name;
        }

        /**
         * Sets the limit.
         *
         * @param permits at least 1
         * @return this
         * @throws IllegalArgumentException when it is below 1
         */
        public Builder permits(int permits) {
            if (permits < 1) {
                throw new IllegalArgumentException("permits must be at least 1, but is " + permits);
            }
            this.permits = permits;
            return this;
        }

        /**
         * Sets the order in which permits are given.
         *
         * @param fair {@code true} for first come, first served
         * @return this
         */
        public Builder fair(boolean fair) {
            this.fair = fair;
            return this;
        }

        /**
         * Sets the lease. Fractions of a millisecond are cut off.
         *
         * @param expire from one millisecond to {@link SemaphoreSpec#MAX_EXPIRE}
         * @return this
         * @throws IllegalArgumentException when it is null, too short or too long
         */
        public Builder expire(Duration expire) {
            if (expire == null || expire.compareTo(Duration.ofMillis(1)) < 0) {
                throw new IllegalArgumentException("expire must be at least one millisecond, but is " + expire);
            }
            if (expire.compareTo(MAX_EXPIRE) > 0) {
                throw new IllegalArgumentException(
                        "expire must not be longer than " + MAX_EXPIRE.toDays() + " days, but is " + expire);
            }
            this.expire = Duration.ofMillis(expire.toMillis());
            return this;
        }

        /**
         * Ends the definition.
         *
         * @return the value
         * @throws IllegalStateException when {@link #permits} was not set
         */
        public SemaphoreSpec build() {
            if (permits == 0) {
                throw new IllegalStateException("permits of bulkhead '" + name + "' must be set");
            }
            return new SemaphoreSpec(this);
        }
    }
}
