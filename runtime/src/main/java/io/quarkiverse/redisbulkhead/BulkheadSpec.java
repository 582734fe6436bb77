package io.quarkiverse.redisbulkhead;

import static io.smallrye.mutiny.helpers.ParameterValidation.nonNull;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** What the definitions of bulkheads and locks have in common. Immutable. */
public abstract sealed class BulkheadSpec permits SemaphoreSpec, LockSpec {

    static final int UNSET = 0;

    // Never changed.
    final Values values;

    BulkheadSpec(Values values) {
        this.values = values;
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
     * @return never null; zero when a release frees the permit immediately; at most the lease and {@link #maxHold()}
     */
    public Duration minHold() {
        return values.minHold;
    }

    /**
     * How long a permit that no execution uses stays with the instance before it goes back to Redis.
     *
     * @return never null; zero when each permit goes back as soon as its execution ends; at most
     *         {@link SemaphoreSpec#MAX_EXPIRE}
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
     * Whether guarded methods, {@code run}, {@code call} and {@link Permit#close()} return only when Redis has confirmed the
     * release of the permit.
     *
     * @return {@code false} when they return without waiting for Redis
     */
    public boolean awaitRelease() {
        return values.awaitRelease;
    }

    @Override
    public boolean equals(Object other) {
        return other != null && other.getClass() == getClass() && ((BulkheadSpec) other).values.all().equals(values.all());
    }

    @Override
    public int hashCode() {
        return values.all().hashCode();
    }

    static final class Values implements Cloneable {

        final String name;
        int permits = UNSET;
        int weight = 1;
        boolean fair;
        Duration expire = Duration.ofSeconds(30);
        Duration maxWait = Duration.ZERO;
        // Null when there is no bound.
        Duration maxHold;
        Duration minHold = Duration.ZERO;
        // Instances that take turns would recall an only permit before almost every call.
        Duration keepIdleOfOne = Duration.ZERO;
        Duration keepIdleOfSeveral = Duration.ofSeconds(1);
        OnLost onLost = OnLost.REPORT;
        OnOutage onOutage = OnOutage.REJECT;
        int localPermits = UNSET;
        // Null when there is no bound.
        Integer maxWaiters;
        boolean awaitRelease;

        Values(String name) {
            this.name = name;
        }

        int localPermits() {
            return localPermits == UNSET ? permits : localPermits;
        }

        /**
         * Copies the values for a definition.
         *
         * @param lease the name that the lease has for the caller
         */
        Values checked(String lease) {
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
            return copy();
        }

        private void checkMinHold(String bound, Duration most) {
            if (most != null && minHold.compareTo(most) > 0) {
                throw new IllegalArgumentException("minHold must not be longer than " + bound + ", which is " + most
                        + ", but is " + minHold + ". Make it shorter, or " + bound + " longer");
            }
        }

        Values copy() {
            try {
                return (Values) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }

        private List<Object> all() {
            return Arrays.asList(name, permits, weight, fair, expire, maxWait, maxHold, minHold, keepIdleOfOne,
                    keepIdleOfSeveral, onLost, onOutage, localPermits(), maxWaiters, awaitRelease);
        }
    }

    /**
     * What builders of definitions have in common. Each setter refuses a bad value immediately and names the field. Not
     * thread-safe.
     *
     * @param <B> the builder
     */
    public abstract static sealed class Builder<B extends Builder<B>> permits SemaphoreSpec.Builder, LockSpec.Builder {

        final Values values;

        Builder(Values values) {
            this.values = values;
        }

        // The builders are the only subclasses.
        @SuppressWarnings("unchecked")
        private B self() {
            return (B) this;
        }

        /**
         * Sets the order in which waiting calls get permits.
         *
         * @param fair {@code true} for first come, first served
         * @return this
         */
        public B fair(boolean fair) {
            values.fair = fair;
            return self();
        }

        /**
         * Limits how long a permit is renewed; after that, it is lost. By default, a permit is renewed for as long as its
         * execution runs, and a lock until it is released. Fractions of a millisecond are cut off.
         *
         * @param maxHold from one millisecond to {@link SemaphoreSpec#MAX_EXPIRE}
         * @return this
         * @throws IllegalArgumentException when it is null, too short or too long
         */
        public B maxHold(Duration maxHold) {
            values.maxHold = inRange("maxHold", maxHold, Duration.ofMillis(1), SemaphoreSpec.MAX_EXPIRE);
            return self();
        }

        /**
         * Keeps a permit taken for at least this long from its start, by the clock of Redis, even if it is released earlier,
         * the application stops or its process dies. A job that is triggered in several instances then runs once per tick,
         * even if their clocks differ. Fractions of a millisecond are cut off.
         *
         * @param minHold zero to free a permit as soon as it is released; at most the lease and {@link #maxHold}, which
         *        {@code build()} checks
         * @return this
         * @throws IllegalArgumentException when it is null, negative or too long
         */
        public B minHold(Duration minHold) {
            values.minHold = inRange("minHold", minHold, Duration.ZERO, SemaphoreSpec.MAX_EXPIRE);
            return self();
        }

        /**
         * Sets how long a permit that no execution uses stays with the instance before it goes back to Redis. Until then, it
         * serves the next call of the instance without a round trip. It goes back earlier if another instance needs it. By
         * default one second, or zero for locks and where there is only one permit; more is useful there for what one instance
         * takes many times in a row. Fractions of a millisecond are cut off.
         *
         * @param keepIdle zero to return each permit as soon as its execution ends; at most {@link SemaphoreSpec#MAX_EXPIRE},
         *        also if that is longer than the lease
         * @return this
         * @throws IllegalArgumentException when it is null, negative or too long
         */
        public B keepIdle(Duration keepIdle) {
            values.keepIdleOfOne = inRange("keepIdle", keepIdle, Duration.ZERO, SemaphoreSpec.MAX_EXPIRE);
            values.keepIdleOfSeveral = values.keepIdleOfOne;
            return self();
        }

        /**
         * Sets what happens to an execution whose permit is lost.
         *
         * @param onLost not null
         * @return this
         * @throws IllegalArgumentException when it is null
         */
        public B onLost(OnLost onLost) {
            values.onLost = nonNull(onLost, "onLost");
            return self();
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
        public B awaitRelease(boolean awaitRelease) {
            values.awaitRelease = awaitRelease;
            return self();
        }
    }

    // ---- Bad values are refused with the name of the field.

    static String name(String name, int maxLength) {
        if (name == null || name.isBlank()) {
            throw new IllegalArgumentException(
                    "name must not be blank, but is " + (name == null ? "null" : "'" + name + "'"));
        }
        if (name.length() > maxLength) {
            throw new IllegalArgumentException("name must not be longer than " + maxLength + " characters, but '"
                    + name.substring(0, 40) + "...' has " + name.length());
        }
        for (int i = 0; i < name.length(); i++) {
            if (Character.isISOControl(name.charAt(i))) {
                throw new IllegalArgumentException("name must not contain control characters such as line feeds, but is '"
                        + name.replaceAll("\\p{Cc}", "?") + "' (with question marks in their place)");
            }
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
            throw new IllegalArgumentException("name must be valid Unicode, but contains an unpaired surrogate");
        }
        return name;
    }

    static int atLeast(int least, String field, int value) {
        if (value < least) {
            throw new IllegalArgumentException(field + " must be at least " + least + ", but is " + value);
        }
        return value;
    }

    static Duration inRange(String field, Duration value, Duration least, Duration most) {
        if (nonNull(value, field).compareTo(least) < 0) {
            String rule = least.isZero() ? " must not be negative" : " must be at least one millisecond";
            throw new IllegalArgumentException(field + rule + ", but is " + value);
        }
        if (value.compareTo(most) > 0) {
            throw new IllegalArgumentException(
                    field + " must not be longer than " + most.toDays() + " days, but is " + value);
        }
        return Duration.ofMillis(value.toMillis());
    }
}
