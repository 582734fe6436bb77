package io.quarkiverse.redisbulkhead.runtime.definition;

import java.time.Duration;
import java.util.Set;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.OnLost;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;

/** The bounds of single values. What a definition can hold is checked by its builder. */
final class ValueChecks {

    private ValueChecks() {
    }

    /**
     * Reads one value, and checks it.
     *
     * @param group {@link KnownProperties#OF_BULKHEAD}, {@link KnownProperties#OF_LOCK} or {@link KnownProperties#FOR_ALL}
     * @param member one of the group
     * @param text the value, in which expressions are resolved
     * @return of the type that the mapping has
     * @throws IllegalArgumentException when it cannot be read, or is out of bounds
     */
    static Object valueOf(Set<String> group, String member, String text) {
        Object value = KnownProperties.read(member, text);
        if (group == KnownProperties.OF_BULKHEAD) {
            set(SemaphoreSpec.named("any"), member, value);
        } else if (group == KnownProperties.OF_LOCK) {
            set(LockSpec.named("any"), member, value);
        } else {
            checkForAll(member, value);
        }
        return value;
    }

    static void set(SemaphoreSpec.Builder spec, String member, Object value) {
        switch (member) {
            case "permits" -> spec.permits((Integer) value);
            case "weight" -> spec.weight((Integer) value);
            case "fair" -> spec.fair((Boolean) value);
            case "expire" -> spec.expire((Duration) value);
            case "max-wait" -> spec.maxWait((Duration) value);
            case "max-hold" -> spec.maxHold((Duration) value);
            case "min-hold" -> spec.minHold((Duration) value);
            case "keep-idle" -> spec.keepIdle((Duration) value);
            case "on-lost" -> spec.onLost((OnLost) value);
            case "on-outage" -> spec.onOutage((OnOutage) value);
            case "await-release" -> spec.awaitRelease((Boolean) value);
            case "local-permits" -> spec.localPermits((Integer) value);
            case "max-waiters" -> spec.maxWaiters((Integer) value);
            case "warn-after" -> checkWarnAfter(value);
            default -> {
                // Not part of a definition.
            }
        }
    }

    static void set(LockSpec.Builder spec, String member, Object value) {
        switch (member) {
            case "acquire-timeout" -> spec.acquireTimeout((Duration) value);
            case "lock-timeout" -> spec.lockTimeout((Duration) value);
            case "min-hold" -> spec.minHold((Duration) value);
            case "keep-idle" -> spec.keepIdle((Duration) value);
            case "warn-after" -> checkWarnAfter(value);
            default -> spec.fair((Boolean) value);
        }
    }

    private static void checkForAll(String member, Object value) {
        switch (member) {
            case "key-prefix" -> require(!value.toString().contains("{") && !value.toString().contains("}"),
                    "keyPrefix must not contain braces, which mark the hash tag of Redis Cluster, but is '" + value + "'");
            case "instances" -> require((Integer) value >= 1, "instances must be at least 1, but is " + value);
            case "max-blocked-threads" ->
                require((Integer) value >= 0, "maxBlockedThreads must be at least 0, but is " + value);
            case "rest.status" -> require((Integer) value >= 400 && (Integer) value <= 599,
                    "status must be an HTTP error status from 400 to 599, but is " + value);
            case "command-timeout" -> requireBetween(member, value, 1, 3_600_000, "from one millisecond to one hour");
            case "lock-store.step-timeout" ->
                requireBetween(member, value, 50, 60_000, "from 50 milliseconds to one minute");
            case "lock-store.contention-timeout" ->
                requireBetween(member, value, 51, 3_600_000, "longer than stepTimeout, and at most one hour");
            case "metrics.cluster-interval" -> requireBetween(member, value, value.equals(Duration.ZERO) ? 0 : 100, 86_400_000,
                    "zero or from 100 milliseconds to one day");
            case "keep-idle" -> SemaphoreSpec.named("any").keepIdle((Duration) value);
            case "warn-after" -> checkWarnAfter(value);
            case "lock.acquire-timeout" -> LockSpec.named("any").acquireTimeout((Duration) value);
            case "lock.lock-timeout" -> LockSpec.named("any").lockTimeout((Duration) value);
            default -> {
                // Every value that can be read is valid.
            }
        }
    }

    private static void checkWarnAfter(Object value) {
        requireBetween("warn-after", value, 0, SemaphoreSpec.MAX_EXPIRE.toMillis(), "from zero to 365 days");
    }

    private static void requireBetween(String member, Object value, long least, long most, String bounds) {
        long millis = ((Duration) value).toMillis();
        require(millis >= least && millis <= most,
                KnownProperties.inCamelCase(member) + " must be " + bounds + ", but is " + value);
    }

    private static void require(boolean valid, String message) {
        if (!valid) {
            throw new IllegalArgumentException(message);
        }
    }
}
