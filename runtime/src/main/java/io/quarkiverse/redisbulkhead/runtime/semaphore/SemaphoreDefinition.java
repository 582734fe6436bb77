package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * A bulkhead, or one key of a bulkhead, with its definition.
 *
 * @param id which one
 * @param spec its definition
 * @param terms what the definition means for leases
 * @param whenFull what calls fail with instead of a {@link BulkheadFullException}; null: with that
 */
record SemaphoreDefinition(BulkheadId id, SemaphoreSpec spec, LeaseTerms terms,
        Function<BulkheadFullException, RuntimeException> whenFull) {

    /** One limit for all. */
    static SemaphoreDefinition of(SemaphoreSpec spec) {
        return new SemaphoreDefinition(BulkheadId.of(spec.name()), spec, LeaseTerms.of(spec), null);
    }

    /** One of its keys, which may have a limit of its own. */
    SemaphoreDefinition forKey(String key, OptionalInt permits) {
        return new SemaphoreDefinition(id.forKey(key), permits.isEmpty() ? spec : withLimit(permits.getAsInt()), terms,
                whenFull);
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
                : new SemaphoreDefinition(id, spec.toBuilder().maxWait(maxWait).build(), terms, whenFull);
    }

    /** The same, with permits of another weight. */
    SemaphoreDefinition weighing(int weight) {
        return spec.weight() == weight ? this
                : new SemaphoreDefinition(id, spec.toBuilder().weight(weight).build(), terms, whenFull);
    }

    /** The limit that this process keeps for itself. A call that is heavier takes all of it. */
    SemaphoreDefinition local(Duration maxWait) {
        SemaphoreSpec local = spec.toBuilder().permits(spec.localPermits())
                .weight(Math.min(spec.weight(), spec.localPermits())).maxWait(maxWait).build();
        return new SemaphoreDefinition(id, local, LeaseTerms.of(local), whenFull);
    }

    /** The same, with another way to tell calls that it is full. */
    SemaphoreDefinition whenFull(Function<BulkheadFullException, RuntimeException> rejection) {
        return new SemaphoreDefinition(id, spec, terms, rejection);
    }

    /** What a rejected call fails with. */
    RuntimeException translated(RuntimeException rejection) {
        return whenFull != null && rejection instanceof BulkheadFullException full ? whenFull.apply(full) : rejection;
    }

    String name() {
        return spec.name();
    }

    Optional<String> key() {
        return id.key();
    }
}
