package io.quarkiverse.redisbulkhead.reference;

import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The private state of a client of the reference semaphores.
 *
 * @param redis its connection
 * @param clock its clock, in milliseconds since the epoch
 * @param checkpoint called before its round trips
 * @param identifiers new ones, for permits and for locks
 */
public record ReferenceClient(ReferenceConnection redis, LongSupplier clock, Checkpoint checkpoint,
        Supplier<String> identifiers) {

    /**
     * A client whose identifiers are random.
     *
     * @param redis its connection
     * @param clock its clock, in milliseconds since the epoch
     * @param checkpoint called before its round trips
     */
    public ReferenceClient(ReferenceConnection redis, LongSupplier clock, Checkpoint checkpoint) {
        this(redis, clock, checkpoint, () -> UUID.randomUUID().toString());
    }
}
