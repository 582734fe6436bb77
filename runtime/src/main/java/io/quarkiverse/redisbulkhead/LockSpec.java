package io.quarkiverse.redisbulkhead;

import java.time.Duration;
import java.util.Optional;

/**
 * The definition of a lock: an immutable value, checked when it is built.
 *
 * <pre>{@code
 * LockSpec.named("orders").acquireTimeout(Duration.ofSeconds(2)).lockTimeout(Duration.ofSeconds(30)).build();
 * }</pre>
 *
 * There is no {@link OnOutage} for locks: while Redis is away or refuses calls, no lock is granted. Anything else could allow
 * two owners.
 */
public final class LockSpec {

    /** The prefix of the names of bulkheads behind locks. The names of other bulkheads cannot begin with it. */
    public static final String BULKHEAD_PREFIX = "lock:";

    /** The greatest length of a name, in UTF-16 characters. */
    public static final int MAX_NAME_LENGTH = SemaphoreSpec.MAX_NAME_LENGTH - BULKHEAD_PREFIX.length();

    private final String name;
    private final SemaphoreSpec bulkhead;

    private LockSpec(Builder builder) {
        this.name = builder.name;
        this.bulkhead = builder.bulkhead.build("lockTimeout");
    }

    /**
     * Starts a definition.
     *
     * @param name the lock's name; applications that use the same name on the same Redis share the lock. A bulkhead of that
     *        name is unrelated
     * @return a builder with these defaults: {@code acquireTimeout} 10 seconds, {@code lockTimeout} 30 seconds, not fair, no
     *         {@code maxHold}, no {@code minHold} and no {@code keepIdle}, {@link OnLost#REPORT}
     * @throws IllegalArgumentException when the name is null, blank, longer than {@link #MAX_NAME_LENGTH} characters, or not
     *         valid Unicode, or has control characters
     */
    public static Builder named(String name) {
        return new Builder(name);
    }

    /**
     * The lock's name.
     *
     * @return never null, never blank
     */
    public String name() {
        return name;
    }

    /**
     * How long {@code lock}, {@code run} and {@code call} wait for the lock, unless the call passes its own time.
     *
     * @return zero for one attempt; at most {@link SemaphoreSpec#MAX_WAIT}
     */
    public Duration acquireTimeout() {
        return bulkhead.maxWait();
    }

    /**
     * The lease: the time after which the lock of a crashed owner is free. While its owner lives, the lease is renewed every
     * third of that time.
     *
     * @return from one millisecond to {@link SemaphoreSpec#MAX_EXPIRE}
     */
    public Duration lockTimeout() {
        return bulkhead.expire();
    }

    /**
     * Whether waiting calls get the lock in the order of their requests.
     *
     * @return {@code true} for first come, first served
     */
    public boolean fair() {
        return bulkhead.fair();
    }

    /**
     * The maximum time for which the lock is renewed.
     *
     * @return empty when there is no bound
     */
    public Optional<Duration> maxHold() {
        return bulkhead.maxHold();
    }

    /**
     * The minimum time for which the lock is taken, from when it was granted, even if it is released earlier.
     *
     * @return zero when a release frees it immediately; at most {@link #lockTimeout()} and {@link #maxHold()}
     */
    public Duration minHold() {
        return bulkhead.minHold();
    }

    /**
     * How long the lock stays with the instance after its release, before it goes back to Redis.
     *
     * @return zero when it goes back as soon as it is released; at most {@link SemaphoreSpec#MAX_EXPIRE}
     */
    public Duration keepIdle() {
        return bulkhead.keepIdle();
    }

    /**
     * What happens to an execution that loses the lock.
     *
     * @return never null
     */
    public OnLost onLost() {
        return bulkhead.onLost();
    }

    /**
     * Whether {@code run}, {@code call} and {@link Permit#close()} return only when Redis has confirmed the release.
     *
     * @return {@code false} when they return without waiting for Redis
     */
    public boolean awaitRelease() {
        return bulkhead.awaitRelease();
    }

    /**
     * The bulkhead with one permit that is behind the lock. Its name is {@value #BULKHEAD_PREFIX} and the lock's
     * name; operators see that in {@link Holder#bulkhead()}, in events and in the log.
     * {@link RedisBulkheads#semaphore(SemaphoreSpec)} refuses it.
     *
     * @return never null
     */
    public SemaphoreSpec bulkhead() {
        return bulkhead;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LockSpec that && bulkhead.equals(that.bulkhead);
    }

    @Override
    public int hashCode() {
        return bulkhead.hashCode();
    }

    @Override
    public String toString() {
        return "'" + name + "' (acquireTimeout=" + acquireTimeout() + ", lockTimeout=" + lockTimeout() + ", fair=" + fair()
                + ", maxHold=" + maxHold().map(Duration::toString).orElse("none") + ", minHold=" + minHold() + ", keepIdle="
                + keepIdle() + ", onLost=" + onLost() + ", awaitRelease=" + awaitRelease() + ")";
    }

    /** Builds a {@link LockSpec}. Each setter refuses a bad value immediately and names the field. Not thread-safe. */
    public static final class Builder {

        private static final Duration DEFAULT_ACQUIRE_TIMEOUT = Duration.ofSeconds(10);
        private static final Duration DEFAULT_LOCK_TIMEOUT = Duration.ofSeconds(30);
        private static final Duration SHORTEST = Duration.ofMillis(1);

        private final String name;
        private final SemaphoreSpec.Builder bulkhead;

        private Builder(String name) {
            this.name = SpecChecks.name(name, MAX_NAME_LENGTH);
            this.bulkhead = SemaphoreSpec.ofLock(name).maxWait(DEFAULT_ACQUIRE_TIMEOUT).expire(DEFAULT_LOCK_TIMEOUT);
        }

        /**
         * Sets how long {@code lock}, {@code run} and {@code call} wait for the lock. Fractions of a millisecond are cut off.
         *
         * @param acquireTimeout zero for one attempt; at most {@link SemaphoreSpec#MAX_WAIT}
         * @return this
         * @throws IllegalArgumentException when it is null, negative or too long
         */
        public Builder acquireTimeout(Duration acquireTimeout) {
            bulkhead.maxWait(SpecChecks.inRange("acquireTimeout", acquireTimeout, Duration.ZERO, SemaphoreSpec.MAX_WAIT));
            return this;
        }

        /**
         * Sets the lease: the time after which the lock of a crashed owner is free. It should be longer than the pauses that a
         * process may suffer. Fractions of a millisecond are cut off.
         *
         * @param lockTimeout from one millisecond to {@link SemaphoreSpec#MAX_EXPIRE}
         * @return this
         * @throws IllegalArgumentException when it is null, too short or too long
         */
        public Builder lockTimeout(Duration lockTimeout) {
            bulkhead.expire(SpecChecks.inRange("lockTimeout", lockTimeout, SHORTEST, SemaphoreSpec.MAX_EXPIRE));
            return this;
        }

        /**
         * Sets the order in which waiting calls get the lock.
         *
         * @param fair {@code true} for first come, first served
         * @return this
         */
        public Builder fair(boolean fair) {
            bulkhead.fair(fair);
            return this;
        }

        /**
         * Limits how long the lock is renewed; after that, it is lost. By default, the lock is renewed until it is released.
         * Fractions of a millisecond are cut off.
         *
         * @param maxHold from one millisecond to {@link SemaphoreSpec#MAX_EXPIRE}
         * @return this
         * @throws IllegalArgumentException when it is null, too short or too long
         */
        public Builder maxHold(Duration maxHold) {
            bulkhead.maxHold(maxHold);
            return this;
        }

        /**
         * Keeps the lock taken for at least this long from when it was granted, by the clock of Redis, even if it is released
         * earlier, the application stops or its process dies; see {@link SemaphoreSpec.Builder#minHold}. Fractions of a
         * millisecond are cut off.
         *
         * @param minHold zero to free the lock as soon as it is released; at most {@link #lockTimeout} and {@link #maxHold},
         *        which {@link #build()} checks
         * @return this
         * @throws IllegalArgumentException when it is null, negative or too long
         */
        public Builder minHold(Duration minHold) {
            bulkhead.minHold(minHold);
            return this;
        }

        /**
         * Keeps the lock with the instance for a while after its release. Until then, the next call of the instance gets it
         * without a round trip; see {@link SemaphoreSpec.Builder#keepIdle}. It goes back earlier if another instance needs it.
         * Useful for locks that one instance takes many times in a row. Fractions of a millisecond are cut off.
         *
         * @param keepIdle zero, the default, to return the lock as soon as it is released; at most
         *        {@link SemaphoreSpec#MAX_EXPIRE}
         * @return this
         * @throws IllegalArgumentException when it is null, negative or too long
         */
        public Builder keepIdle(Duration keepIdle) {
            bulkhead.keepIdle(keepIdle);
            return this;
        }

        /**
         * Sets what happens to an execution that loses the lock.
         *
         * @param onLost not null
         * @return this
         * @throws IllegalArgumentException when it is null
         */
        public Builder onLost(OnLost onLost) {
            bulkhead.onLost(onLost);
            return this;
        }

        /**
         * Sets whether {@code run}, {@code call} and {@link Permit#close()} return only when Redis has confirmed the release;
         * see {@link SemaphoreSpec.Builder#awaitRelease}.
         *
         * @param awaitRelease {@code true} to wait
         * @return this
         */
        public Builder awaitRelease(boolean awaitRelease) {
            bulkhead.awaitRelease(awaitRelease);
            return this;
        }

        /**
         * Builds the definition.
         *
         * @return the value
         * @throws IllegalArgumentException when {@link #minHold} is longer than {@link #lockTimeout} or {@link #maxHold}
         */
        public LockSpec build() {
            return new LockSpec(this);
        }
    }
}
