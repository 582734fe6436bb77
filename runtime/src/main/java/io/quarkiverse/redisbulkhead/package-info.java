/**
 * A bulkhead that holds across processes: {@link io.quarkiverse.redisbulkhead.RedisBulkhead} caps how many executions
 * of a method run at once over all applications that share a Redis, and {@link io.quarkiverse.redisbulkhead.RedisLock} is a
 * lock over them. This package is the whole public API.
 */
package io.quarkiverse.redisbulkhead;
