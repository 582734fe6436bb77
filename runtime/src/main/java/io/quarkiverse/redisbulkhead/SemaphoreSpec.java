package io.quarkiverse.redisbulkhead;

import static io.smallrye.mutiny.helpers.ParameterValidation.nonNull;

import java.time.Duration;
import java.util.OptionalInt;

/**
 * The definition of a bulkhead: an immutable value, checked when it is built.
 *
 * <pre>{@code
 * SemaphoreSpec.named("reports").permits(5).fair(true).maxWait(Duration.ofSeconds(2)).build();
 * }</pre>
 */
public final class SemaphoreSpec extends BulkheadSpec {

    /** The greatest length of a name, in UTF-16 characters. */
    public static final int MAX_NAME_LENGTH = 200;

    /** The longest lease. */
    public static final Duration MAX_EXPIRE = Duration.ofDays(365);

    /** The longest wait. */
    public static final Duration MAX_WAIT = Duration.ofDays(365);

    /** The greatest weight of a permit. */
    public static final int MAX_WEIGHT = Integer.MAX_VALUE;

    SemaphoreSpec(Values values) {
        super(values);
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
        Builder builder = new Builder(new Values(name(name, MAX_NAME_LENGTH)));
        if (name.startsWith(LockSpec.BULKHEAD_PREFIX)) {
            throw new IllegalArgumentException("name must not begin with '" + LockSpec.BULKHEAD_PREFIX
                    + "', which is reserved for locks, but is '" + name + "'. Use another name, or RedisBulkheads.lock(\""
                    + name.substring(LockSpec.BULKHEAD_PREFIX.length()) + "\") for a lock");
        }
        return builder;
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
        return values.localPermits();
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
     * Starts a definition with the values of this one.
     *
     * @return a builder for a bulkhead of the same name
     */
    public Builder toBuilder() {
        return new Builder(values.copy());
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
    public static final class Builder extends BulkheadSpec.Builder<Builder> {

        private Builder(Values values) {
            super(values);
        }

        /**
         * Sets the limit.
         *
         * @param permits at least 1
         * @return this
         * @throws IllegalArgumentException when it is below 1
         */
        public Builder permits(int permits) {
            values.permits = atLeast(1, "permits", permits);
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
            values.weight = atLeast(1, "weight", weight);
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
            values.expire = inRange("expire", expire, Duration.ofMillis(1), MAX_EXPIRE);
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
            values.maxWait = inRange("maxWait", maxWait, Duration.ZERO, MAX_WAIT);
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
            values.keepIdleOfSeveral = inRange("keepIdle", keepIdle, Duration.ZERO, MAX_EXPIRE);
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
            values.onOutage = nonNull(onOutage, "onOutage");
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
            values.localPermits = atLeast(1, "localPermits", localPermits);
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
            values.maxWaiters = atLeast(0, "maxWaiters", maxWaiters);
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
            return new SemaphoreSpec(values.checked("expire"));
        }
    }
}
