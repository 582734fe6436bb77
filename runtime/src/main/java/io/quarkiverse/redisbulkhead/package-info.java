/**
 * A bulkhead that holds across processes: {@link io.quarkiverse.redisbulkhead.RedisBulkhead} caps how many executions
 * of a method run at once over all applications that share a Redis. This package is the whole public API.
 */
package io.quarkiverse.redisbulkhead;
