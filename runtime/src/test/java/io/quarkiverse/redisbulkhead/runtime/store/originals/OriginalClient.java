package io.quarkiverse.redisbulkhead.runtime.store.originals;

import java.util.function.LongSupplier;

/**
 * What a client of the old semaphores has of its own.
 *
 * @param redis its connection
 * @param clock its clock, in milliseconds since the epoch
 * @param checkpoint told of its round trips
 */
record OriginalClient(BlockingRedis redis, LongSupplier clock, Checkpoint checkpoint) {
}
