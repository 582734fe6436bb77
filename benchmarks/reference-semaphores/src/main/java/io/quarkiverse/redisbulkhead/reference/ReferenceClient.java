package io.quarkiverse.redisbulkhead.reference;

import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What a client of the old semaphores has of its own.
 *
 * @param redis its connection
 * @param clock its clock, in milliseconds since the epoch
 * @param checkpoint told of its round trips
 * @param identifiers new ones, for permits and for locks
 */
public record ReferenceClient(ReferenceConnection redis, LongSupplier clock, Checkpoint checkpoint,
        Supplier<String> identifiers) {

    /**
     * A client whose identifiers are random.
     *
     * @param redis its connection
     * @param clock its clock, in milliseconds since the epoch
     * @param checkpoint told of its round trips
     */
    public ReferenceClient(ReferenceConnection redis, LongSupplier clock, Checkpoint checkpoint) {
        this(redis, clock, checkpoint, () -> UUID.randomUUID().toString());
    }
}
