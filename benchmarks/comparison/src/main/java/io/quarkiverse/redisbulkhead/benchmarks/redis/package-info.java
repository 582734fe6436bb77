/** The Redis server of the benchmarks, and what it says about its work. */
package io.quarkiverse.redisbulkhead.benchmarks.redis;
