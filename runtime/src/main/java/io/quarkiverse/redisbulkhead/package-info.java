/**
 * A bulkhead across processes: {@link io.quarkiverse.redisbulkhead.RedisBulkhead} limits how many executions of a method run
 * concurrently across all applications that share a Redis, and {@link io.quarkiverse.redisbulkhead.RedisLock} is a lock across
 * them. This package is the whole public API.
 */
package io.quarkiverse.redisbulkhead;
