package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * A bulkhead, or one key of a bulkhead, with its definition.
 *
 * @param id which one
 * @param spec its definition
 * @param terms what the definition means for leases
 */
record SemaphoreDefinition(BulkheadId id, SemaphoreSpec spec, LeaseTerms terms) {

    SemaphoreDefinition(BulkheadId id, SemaphoreSpec spec) {
        this(id, spec, LeaseTerms.of(spec));
    }

    /** One limit for all. */
    static SemaphoreDefinition of(SemaphoreSpec spec) {
        return new SemaphoreDefinition(BulkheadId.of(spec.name()), spec);
    }

    /** One of its keys, which may have a limit of its own. */
    SemaphoreDefinition forKey(String key, OptionalInt permits) {
        return new SemaphoreDefinition(id.forKey(key), permits.isEmpty() ? spec : withLimit(permits.getAsInt()), terms);
    }

    // The limit that a process keeps for itself is larger or smaller in proportion.
    private SemaphoreSpec withLimit(int permits) {
        if (permits == spec.permits()) {
            return spec;
        }
        long local = (long) permits * spec.localPermits() / spec.permits();
        return spec.toBuilder().permits(permits).localPermits((int) Math.min(Integer.MAX_VALUE, Math.max(1, local))).build();
    }

    /** The same, with another time to wait. */
    SemaphoreDefinition within(Duration maxWait) {
        return spec.maxWait().equals(maxWait) ? this
                : new SemaphoreDefinition(id, spec.toBuilder().maxWait(maxWait).build(), terms);
    }

    /** The same, with permits of another weight. */
    SemaphoreDefinition weighing(int weight) {
        return spec.weight() == weight ? this : new SemaphoreDefinition(id, spec.toBuilder().weight(weight).build(), terms);
    }

    /** The limit that this process keeps for itself. A call that is heavier takes all of it. */
    SemaphoreDefinition local(Duration maxWait) {
        return new SemaphoreDefinition(id, spec.toBuilder().permits(spec.localPermits())
                .weight(Math.min(spec.weight(), spec.localPermits())).maxWait(maxWait).build());
    }

    String name() {
        return spec.name();
    }

    Optional<String> key() {
        return id.key();
    }
}
