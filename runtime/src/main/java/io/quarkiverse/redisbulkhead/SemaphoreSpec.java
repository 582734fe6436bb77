package io.quarkiverse.redisbulkhead;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The definition of a bulkhead: an immutable value, checked when it is built.
 *
 * <pre>{@code
 * SemaphoreSpec.named("reports").permits(5).fair(true).maxWait(Duration.ofSeconds(2)).build();
 * }</pre>
 */
public final class SemaphoreSpec {

    /** The greatest length of a name, in UTF-16 characters. */
    public static final int MAX_NAME_LENGTH = 200;

    /** The longest lease. */
    public static final Duration MAX_EXPIRE = Duration.ofDays(365);

    /** The longest wait. */
    public static final Duration MAX_WAIT = Duration.ofDays(365);

    /** The greatest weight of a permit. */
    public static final int MAX_WEIGHT = Integer.MAX_VALUE;

    private static final int UNSET = 0;

    // A copy that never changes.
    private final Builder values;

    private SemaphoreSpec(Builder builder) {
        this.values = new Builder(builder);
    }

    /**
     * Starts a definition.
     *
     * @param name the bulkhead's name; those that begin with {@value LockSpec#BULKHEAD_PREFIX} are reserved for locks
     * @return a builder with these defaults: weight 1, not fair, {@code expire} 30 seconds, {@code maxWait} zero, no
     *         {@code maxHold} and no {@code minHold}, {@code keepIdle} one second, or zero where there is one permit,
     *         {@link OnLost#REPORT}, {@link OnOutage#REJECT}, no {@code awaitRelease}
     * @throws IllegalArgumentException when the name is null, blank, longer than {@value #MAX_NAME_LENGTH} characters, not
     *         valid Unicode, or that of a lock, or has control characters
     */
    public static Builder named(String name) {
        Builder builder = new Builder(name);
        if (name.startsWith(LockSpec.BULKHEAD_PREFIX)) {
            throw new IllegalArgumentException("name must not begin with '" + LockSpec.BULKHEAD_PREFIX
                    + "', which is reserved for locks, but is '" + name + "'. Use another name, or RedisBulkheads.lock(\""
                    + name.substring(LockSpec.BULKHEAD_PREFIX.length()) + "\") for a lock");
        }
        return builder;
    }

    /** Starts the definition of the bulkhead with one permit that is behind a lock. */
    static Builder ofLock(String lock) {
        return new Builder(LockSpec.BULKHEAD_PREFIX + lock).permits(1);
    }

    /**
     * The bulkhead's name.
     *
     * @return never null, never blank
     */
    public String name() {
        return values.name;
    }

    /**
     * The limit.
     *
     * @return at least 1
     */
    public int permits() {
        return values.permits;
    }

    /**
     * How much of the limit a permit takes.
     *
     * @return at least 1, and at most {@link #permits()}
     */
    public int weight() {
        return values.weight;
    }

    /**
     * Whether permits go to callers in the order of their requests.
     *
     * @return {@code true} for first come, first served
     */
    public boolean fair() {
        return values.fair;
    }

    /**
     * The lease: how long a permit lives in Redis unless it is renewed.
     *
     * @return from one millisecond to {@link #MAX_EXPIRE}
     */
    public Duration expire() {
        return values.expire;
    }

    /**
     * How long a call waits for a permit.
     *
     * @return zero for one attempt; at most {@link #MAX_WAIT}
     */
    public Duration maxWait() {
        return values.maxWait;
    }

    /**
     * The maximum time for which a permit is renewed.
     *
     * @return empty when there is no bound
     */
    public Optional<Duration> maxHold() {
        return Optional.ofNullable(values.maxHold);
    }

    /**
     * The minimum time for which a permit is taken, from when it was granted, even if it is released earlier.
     *
     * @return never null; zero when a release frees the permit immediately; at most {@link #expire()} and {@link #maxHold()}
     */
    public Duration minHold() {
        return values.minHold;
    }

    /**
     * How long a permit that no execution uses stays with the instance before it goes back to Redis.
     *
     * @return never null; zero when each permit goes back as soon as its execution ends; at most {@link #MAX_EXPIRE}
     */
    public Duration keepIdle() {
        return values.permits == 1 ? values.keepIdleOfOne : values.keepIdleOfSeveral;
    }

    /**
     * What happens to an execution whose permit is lost.
     *
     * @return never null
     */
    public OnLost onLost() {
        return values.onLost;
    }

    /**
     * What happens to calls while Redis is away or refuses them.
     *
     * @return never null
     */
    public OnOutage onOutage() {
        return values.onOutage;
    }

    /**
     * The limit that this process applies by itself under {@link OnOutage#LOCAL}.
     *
     * @return at least 1; {@link #permits()} when it was not set
     */
    public int localPermits() {
        return values.localPermits == UNSET ? values.permits : values.localPermits;
    }

    /**
     * How many calls of this instance may wait for permits concurrently, across all keys of the bulkhead.
     *
     * @return empty when there is no bound; zero when no call may wait
     */
    public OptionalInt maxWaiters() {
        return values.maxWaiters == null ? OptionalInt.empty() : OptionalInt.of(values.maxWaiters);
    }

    /**
     * Whether a call returns only when Redis has confirmed the release of its permit.
     *
     * @return {@code false} when it returns without waiting for Redis
     */
    public boolean awaitRelease() {
        return values.awaitRelease;
    }

    /**
     * Starts a definition with the values of this one.
     *
     * @return a builder for a bulkhead of the same name
     */
    public Builder toBuilder() {
        return new Builder(values);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SemaphoreSpec that && values().equals(that.values());
    }

    @Override
    public int hashCode() {
        return values().hashCode();
    }

    private List<Object> values() {
        return List.of(name(), permits(), weight(), fair(), expire(), maxWait(), maxHold(), minHold(), values.keepIdleOfOne,
                values.keepIdleOfSeveral, onLost(), onOutage(), localPermits(), maxWaiters(), awaitRelease());
    }

    @Override
    public String toString() {
        return "'" + name() + "' (permits=" + permits() + ", weight=" + weight() + ", fair=" + fair() + ", expire=" + expire()
                + ", maxWait=" + maxWait() + ", maxHold=" + (values.maxHold == null ? "none" : values.maxHold) + ", minHold="
                + minHold() + ", keepIdle=" + keepIdle() + ", onLost=" + onLost() + ", onOutage=" + onOutage()
                + ", localPermits=" + localPermits()
                + ", maxWaiters=" + (values.maxWaiters == null ? "none" : values.maxWaiters) + ", awaitRelease="
                + awaitRelease() + ")";
    }

    /** Builds a {@link SemaphoreSpec}. Each setter refuses a bad value immediately and names the field. Not thread-safe. */
    public static final class Builder {

        private final String name;
        private int permits;
        private int weight = 1;
        private boolean fair;
        private Duration expire = Duration.ofSeconds(30);
        private Duration maxWait = Duration.ZERO;
        private Duration maxHold;
        private Duration minHold = Duration.ZERO;
        // Instances that take turns would recall an only permit before almost every call.
        private Duration keepIdleOfOne = Duration.ZERO;
        private Duration keepIdleOfSeveral = Duration.ofSeconds(1);
        private OnLost onLost = OnLost.REPORT;
        private OnOutage onOutage = OnOutage.REJECT;
        private int localPermits;
        // Null when there is no bound.
        private Integer maxWaiters;
        private boolean awaitRelease;

        private Builder(String name) {
            this.name = SpecChecks.name(name, MAX_NAME_LENGTH);
        }

        private Builder(Builder other) {
            this.name = other.name;
            this.permits = other.permits;
            this.weight = other.weight;
            this.fair = other.fair;
            this.expire = other.expire;
            this.maxWait = other.maxWait;
            this.maxHold = other.maxHold;
            this.minHold = other.minHold;
            this.keepIdleOfOne = other.keepIdleOfOne;
            this.keepIdleOfSeveral = other.keepIdleOfSeveral;
            this.onLost = other.onLost;
            this.onOutage = other.onOutage;
            this.localPermits = other.localPermits;
            this.maxWaiters = other.maxWaiters;
            this.awaitRelease = other.awaitRelease;
        }

        /**
         * Sets the limit.
         *
         * @param permits at least 1
         * @return this
         * @throws IllegalArgumentException when it is below 1
         */
        public Builder permits(int permits) {
            this.permits = SpecChecks.atLeast(1, "permits", permits);
            return this;
        }

        /**
         * Sets how much of the limit a permit takes, for calls that need more of what the bulkhead protects than others. A
         * permit is all or nothing: a call of weight 3 runs when three permits are free together. While it is first in the
         * queue, lighter calls wait behind it.
         *
         * @param weight at least 1, and at most the permits
         * @return this
         * @throws IllegalArgumentException when it is out of range
         */
        public Builder weight(int weight) {
            this.weight = SpecChecks.atLeast(1, "weight", weight);
            return this;
        }

        /**
         * Sets the order in which permits are granted.
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
            this.expire = SpecChecks.inRange("expire", expire, Duration.ofMillis(1), MAX_EXPIRE);
            return this;
        }

        /**
         * Sets how long a call waits for a permit. Fractions of a millisecond are cut off.
         *
         * @param maxWait zero for one attempt; at most {@link SemaphoreSpec#MAX_WAIT}
         * @return this
         * @throws IllegalArgumentException when it is null, negative or too long
         */
        public Builder maxWait(Duration maxWait) {
            this.maxWait = SpecChecks.inRange("maxWait", maxWait, Duration.ZERO, MAX_WAIT);
            return this;
        }

        /**
         * Limits how long a permit is renewed; after that, it is lost. By default, a permit is renewed for as long as its
         * execution runs. Fractions of a millisecond are cut off.
         *
         * @param maxHold from one millisecond to {@link SemaphoreSpec#MAX_EXPIRE}
         * @return this
         * @throws IllegalArgumentException when it is null, too short or too long
         */
        public Builder maxHold(Duration maxHold) {
            this.maxHold = SpecChecks.inRange("maxHold", maxHold, Duration.ofMillis(1), MAX_EXPIRE);
            return this;
        }

        /**
         * Keeps a permit taken for at least this long from its start, by the clock of Redis, even if it is released earlier,
         * the application stops or its process dies. A job that is triggered in several instances then runs once per tick,
         * even if their clocks differ. Fractions of a millisecond are cut off.
         *
         * @param minHold zero to free a permit as soon as it is released; at most {@link #expire} and {@link #maxHold}, which
         *        {@link #build()} checks
         * @return this
         * @throws IllegalArgumentException when it is null, negative or too long
         */
        public Builder minHold(Duration minHold) {
            this.minHold = SpecChecks.inRange("minHold", minHold, Duration.ZERO, MAX_EXPIRE);
            return this;
        }

        /**
         * Sets how long a permit that no execution uses stays with the instance before it goes back to Redis. Until then, it
         * serves the next call of the instance without a round trip. It goes back earlier if another instance needs it. By
         * default one second, or zero where there is only one permit. Fractions of a millisecond are cut off.
         *
         * @param keepIdle zero to return each permit as soon as its execution ends; at most {@link SemaphoreSpec#MAX_EXPIRE},
         *        also if that is longer than {@link #expire}
         * @return this
         * @throws IllegalArgumentException when it is null, negative or too long
         */
        public Builder keepIdle(Duration keepIdle) {
            keepIdleOfSeveral(keepIdle);
            this.keepIdleOfOne = keepIdleOfSeveral;
            return this;
        }

        /**
         * As {@link #keepIdle}, but without effect where there is only one permit. The {@link #permits} decide, or the limit
         * of a key if it has one of its own. A later {@link #keepIdle} replaces this value.
         *
         * @param keepIdle zero to return each permit as soon as its execution ends; at most {@link SemaphoreSpec#MAX_EXPIRE}
         * @return this
         * @throws IllegalArgumentException when it is null, negative or too long
         */
        public Builder keepIdleOfSeveral(Duration keepIdle) {
            this.keepIdleOfSeveral = SpecChecks.inRange("keepIdle", keepIdle, Duration.ZERO, MAX_EXPIRE);
            return this;
        }

        /**
         * Sets what happens to an execution whose permit is lost.
         *
         * @param onLost not null
         * @return this
         * @throws IllegalArgumentException when it is null
         */
        public Builder onLost(OnLost onLost) {
            this.onLost = SpecChecks.notNull("onLost", onLost);
            return this;
        }

        /**
         * Sets what happens to calls while Redis is away or refuses them.
         *
         * @param onOutage not null
         * @return this
         * @throws IllegalArgumentException when it is null
         */
        public Builder onOutage(OnOutage onOutage) {
            this.onOutage = SpecChecks.notNull("onOutage", onOutage);
            return this;
        }

        /**
         * Sets the limit that this process applies by itself under {@link OnOutage#LOCAL}.
         *
         * @param localPermits at least 1
         * @return this
         * @throws IllegalArgumentException when it is below 1
         */
        public Builder localPermits(int localPermits) {
            this.localPermits = SpecChecks.atLeast(1, "localPermits", localPermits);
            return this;
        }

        /**
         * Bounds how many calls of this instance may wait for permits concurrently, across all keys of the bulkhead, whether
         * they block a thread or not. Further calls are rejected immediately. By default there is no bound, except for calls
         * that block threads of the worker pool, see {@code quarkus.redis-bulkhead.max-blocked-threads}.
         *
         * @param maxWaiters at least 0; with 0, no call waits, even with a {@link #maxWait}
         * @return this
         * @throws IllegalArgumentException when it is below 0
         */
        public Builder maxWaiters(int maxWaiters) {
            this.maxWaiters = SpecChecks.atLeast(0, "maxWaiters", maxWaiters);
            return this;
        }

        /**
         * Sets whether guarded methods, {@code run}, {@code call} and {@link Permit#close()} return only when Redis has
         * confirmed the release. Each release then costs a round trip. By default, they return without waiting for Redis, and
         * the permit may stay idle in the instance. The next call of the same instance finds the permit free in either case. By
         * default, a call in <em>another</em> instance, right after the first one returned, may still find the bulkhead full.
         *
         * @param awaitRelease {@code true} to wait; for at most the command timeout if Redis does not reply
         * @return this
         */
        public Builder awaitRelease(boolean awaitRelease) {
            this.awaitRelease = awaitRelease;
            return this;
        }

        /**
         * Builds the definition.
         *
         * @return the value
         * @throws IllegalStateException when {@link #permits} was not set
         * @throws IllegalArgumentException when {@link #weight} is more than {@link #permits}, or {@link #minHold} longer than
         *         {@link #expire} or {@link #maxHold}
         */
        public SemaphoreSpec build() {
            return build("expire");
        }

        /** With the name that the lease has for the caller. */
        SemaphoreSpec build(String lease) {
            if (permits == UNSET) {
                throw new IllegalStateException("permits of bulkhead '" + name + "' must be set");
            }
            if (weight > permits) {
                throw new IllegalArgumentException("weight must not be more than the permits of bulkhead '" + name
                        + "', which are " + permits + ", but is " + weight
                        + ". Lower the weight, or raise the permits");
            }
            checkMinHold(lease, expire);
            checkMinHold("maxHold", maxHold);
            return new SemaphoreSpec(this);
        }

        private void checkMinHold(String bound, Duration most) {
            if (most != null && minHold.compareTo(most) > 0) {
                throw new IllegalArgumentException("minHold must not be longer than " + bound + ", which is " + most
                        + ", but is " + minHold + ". Make it shorter, or " + bound + " longer");
            }
        }
    }
}
