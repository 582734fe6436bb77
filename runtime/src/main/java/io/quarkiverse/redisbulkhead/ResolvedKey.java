package io.quarkiverse.redisbulkhead;

import java.util.OptionalInt;

/**
 * A key value, and its limit if that differs from the bulkhead's.
 *
 * @param key any text
 * @param permits how many executions may run concurrently under this key; empty for the limit of the bulkhead's definition
 */
public record ResolvedKey(String key, OptionalInt permits) {

    /**
     * Checks the values.
     *
     * @param key any text
     * @param permits how many executions may run concurrently under this key; empty for the limit of the bulkhead's definition
     * @throws IllegalArgumentException when the key is null, or the limit is null or below 1
     */
    public ResolvedKey {
        SpecChecks.notNull("key", key);
        SpecChecks.notNull("permits", permits);
        permits.ifPresent(limit -> SpecChecks.atLeast(1, "permits", limit));
    }

    /**
     * A key with the limit of the bulkhead's definition.
     *
     * @param key any text, not null
     * @return the key
     * @throws IllegalArgumentException when the key is null
     */
    public static ResolvedKey of(String key) {
        return new ResolvedKey(key, OptionalInt.empty());
    }

    /**
     * This key with its own limit.
     *
     * @param permits at least 1
     * @return the key
     * @throws IllegalArgumentException when the limit is below 1
     */
    public ResolvedKey withPermits(int permits) {
        return new ResolvedKey(key, OptionalInt.of(permits));
    }
}
