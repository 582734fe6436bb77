package io.quarkiverse.redisbulkhead.runtime;

/**
 * One of the bulkheads of a guarded method.
 *
 * @param name the bulkhead, as the annotation has it
 * @param weight how much of the limit a call takes, unless that is configured
 * @param key where the key of a call comes from
 */
public record GuardedBulkhead(String name, int weight, KeyOrigin key) {
}
