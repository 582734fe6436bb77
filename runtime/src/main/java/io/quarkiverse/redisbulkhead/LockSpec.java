package io.quarkiverse.redisbulkhead;

import java.time.Duration;

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
public final class LockSpec extends BulkheadSpec {

    /** The prefix of the names of bulkheads behind locks. The names of other bulkheads cannot begin with it. */
    public static final String BULKHEAD_PREFIX = "lock:";

    /** The greatest length of a name, in UTF-16 characters. */
    public static final int MAX_NAME_LENGTH = SemaphoreSpec.MAX_NAME_LENGTH - BULKHEAD_PREFIX.length();

    private final SemaphoreSpec bulkhead;

    private LockSpec(Values values) {
        super(values);
        this.bulkhead = new SemaphoreSpec(values);
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
        return values.name.substring(BULKHEAD_PREFIX.length());
    }

    /**
     * How long {@code lock}, {@code run} and {@code call} wait for the lock, unless the call passes its own time.
     *
     * @return zero for one attempt; at most {@link SemaphoreSpec#MAX_WAIT}
     */
    public Duration acquireTimeout() {
        return values.maxWait;
    }

    /**
     * The lease: the time after which the lock of a crashed owner is free. While its owner lives, the lease is renewed every
     * third of that time.
     *
     * @return from one millisecond to {@link SemaphoreSpec#MAX_EXPIRE}
     */
    public Duration lockTimeout() {
        return values.expire;
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
    public String toString() {
        return "'" + name() + "' (acquireTimeout=" + acquireTimeout() + ", lockTimeout=" + lockTimeout() + ", fair=" + fair()
                + ", maxHold=" + maxHold().map(Duration::toString).orElse("none") + ", minHold=" + minHold() + ", keepIdle="
                + keepIdle() + ", onLost=" + onLost() + ", awaitRelease=" + awaitRelease() + ")";
    }

    /** Builds a {@link LockSpec}. Each setter refuses a bad value immediately and names the field. Not thread-safe. */
    public static final class Builder extends BulkheadSpec.Builder<Builder> {

        private Builder(String name) {
            super(new Values(BULKHEAD_PREFIX + name(name, MAX_NAME_LENGTH)));
            values.permits = 1;
            values.maxWait = Duration.ofSeconds(10);
        }

        /**
         * Sets how long {@code lock}, {@code run} and {@code call} wait for the lock. Fractions of a millisecond are cut off.
         *
         * @param acquireTimeout zero for one attempt; at most {@link SemaphoreSpec#MAX_WAIT}
         * @return this
         * @throws IllegalArgumentException when it is null, negative or too long
         */
        public Builder acquireTimeout(Duration acquireTimeout) {
            values.maxWait = inRange("acquireTimeout", acquireTimeout, Duration.ZERO, SemaphoreSpec.MAX_WAIT);
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
            values.expire = inRange("lockTimeout", lockTimeout, Duration.ofMillis(1), SemaphoreSpec.MAX_EXPIRE);
            return this;
        }

        /**
         * Builds the definition.
         *
         * @return the value
         * @throws IllegalArgumentException when {@link #minHold} is longer than {@link #lockTimeout} or {@link #maxHold}
         */
        public LockSpec build() {
            return new LockSpec(values.checked("lockTimeout"));
        }
    }
}
