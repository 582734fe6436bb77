package io.quarkiverse.redisbulkhead;

import static io.smallrye.mutiny.helpers.ParameterValidation.nonNull;

import java.util.OptionalInt;

/**
 * A key value, its limit if that differs from the bulkhead's, and the weight of the call.
 *
 * @param key any text
 * @param permits how many executions may run concurrently under this key; empty for the limit of the bulkhead's definition
 * @param weight how much of the limit the call takes; empty for the weight of the bulkhead's definition
 */
public record ResolvedKey(String key, OptionalInt permits, OptionalInt weight) {

    /**
     * Checks the values.
     *
     * @param key any text
     * @param permits how many executions may run concurrently under this key; empty for the limit of the bulkhead's definition
     * @param weight how much of the limit the call takes; empty for the weight of the bulkhead's definition
     * @throws IllegalArgumentException when the key is null, or the limit or the weight is null or below 1
     */
    public ResolvedKey {
        nonNull(key, "key");
        nonNull(permits, "permits");
        nonNull(weight, "weight");
        permits.ifPresent(limit -> BulkheadSpec.atLeast(1, "permits", limit));
        weight.ifPresent(value -> BulkheadSpec.atLeast(1, "weight", value));
    }

    /**
     * A key for a call with the weight of the bulkhead's definition.
     *
     * @param key any text
     * @param permits how many executions may run concurrently under this key; empty for the limit of the bulkhead's definition
     * @throws IllegalArgumentException when the key is null, or the limit is null or below 1
     */
    public ResolvedKey(String key, OptionalInt permits) {
        this(key, permits, OptionalInt.empty());
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
        return new ResolvedKey(key, OptionalInt.of(permits), weight);
    }

    /**
     * This key for a call that takes so much of the limit. A call that is heavier than the limit is rejected with
     * {@link BulkheadFullException}.
     *
     * @param weight at least 1
     * @return the key
     * @throws IllegalArgumentException when the weight is below 1
     */
    public ResolvedKey withWeight(int weight) {
        return new ResolvedKey(key, permits, OptionalInt.of(weight));
    }
}
