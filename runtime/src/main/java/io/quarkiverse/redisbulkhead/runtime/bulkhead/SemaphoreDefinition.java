package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.OnLost;
import io.quarkiverse.redisbulkhead.OnOutage;
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
public record SemaphoreDefinition(BulkheadId id, SemaphoreSpec spec, LeaseTerms terms,
        Function<BulkheadFullException, RuntimeException> whenFull) {

    /**
     * What a definition means for leases. Derived once, not per call.
     *
     * @param lease the lease in the store: {@code expire}, but not longer than it takes to end here with {@code max-hold}
     * @param leaseNanos the same
     * @param marginNanos by how much a lease ends here before it ends in the store
     * @param holdNanos for how long a permit may be held, if that is bounded
     * @param holdIsBounded whether it is
     * @param interrupts whether the loss of a permit ends its execution
     */
    public record LeaseTerms(Duration lease, long leaseNanos, long marginNanos, long holdNanos, boolean holdIsBounded,
            boolean interrupts) {

        // Time to notice the end of a lease and to report it before another process can have the permit. Clocks also run at slightly
        // different rates.
        private static final int MARGINS_PER_LEASE = 20;
        private static final Duration LONGEST_MARGIN = Duration.ofSeconds(1);

        static LeaseTerms of(SemaphoreSpec spec) {
            Duration longestHere = shorter(spec.maxHold().orElse(spec.expire()), spec.expire());
            Duration margin = shorter(longestHere.dividedBy(MARGINS_PER_LEASE), LONGEST_MARGIN);
            Duration lease = shorter(longestHere.plus(margin), spec.expire());
            return new LeaseTerms(lease, lease.toNanos(), margin.toNanos(), spec.maxHold().orElse(lease).toNanos(),
                    spec.maxHold().isPresent(), spec.onLost() == OnLost.INTERRUPT);
        }

        private static Duration shorter(Duration one, Duration other) {
            return one.compareTo(other) < 0 ? one : other;
        }
    }

    /** One limit for all. */
    public static SemaphoreDefinition of(SemaphoreSpec spec) {
        return new SemaphoreDefinition(BulkheadId.of(spec.name()), spec, LeaseTerms.of(spec), null);
    }

    /** One of its keys, which may have a limit of its own. */
    public SemaphoreDefinition forKey(String key, OptionalInt permits) {
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

    /** This definition with another time to wait. */
    public SemaphoreDefinition within(Duration maxWait) {
        return spec.maxWait().equals(maxWait) ? this : with(spec.toBuilder().maxWait(maxWait).build());
    }

    /** This definition with permits of another weight. */
    public SemaphoreDefinition weighing(int weight) {
        return spec.weight() == weight ? this : with(spec.toBuilder().weight(weight).build());
    }

    /** This definition for a permit of that weight, which may be above the limit by now. */
    SemaphoreDefinition attached(int weight) {
        return with(spec.toBuilder().permits(Math.max(spec.permits(), weight)).weight(weight).build());
    }

    // The lease stays.
    private SemaphoreDefinition with(SemaphoreSpec other) {
        return new SemaphoreDefinition(id, other, terms, whenFull);
    }

    /** The limit that this process keeps for itself in an outage, if any. A call that is heavier takes all of it. */
    SemaphoreDefinition local() {
        boolean isAllowed = spec.onOutage() == OnOutage.ALLOW;
        int permits = isAllowed ? Integer.MAX_VALUE : spec.localPermits();
        SemaphoreSpec local = spec.toBuilder().permits(permits).weight(Math.min(spec.weight(), permits)).build();
        // Nothing limits a call that is allowed, and so nothing ends it.
        LeaseTerms here = isAllowed ? new LeaseTerms(terms.lease(), terms.leaseNanos(), terms.marginNanos(), 0, false, false)
                : LeaseTerms.of(local);
        return new SemaphoreDefinition(id, local, here, whenFull);
    }

    /** This definition with another exception for calls when it is full. */
    public SemaphoreDefinition whenFull(Function<BulkheadFullException, RuntimeException> rejection) {
        return new SemaphoreDefinition(id, spec, terms, rejection);
    }

    /** What a rejected call fails with. */
    public RuntimeException translated(RuntimeException rejection) {
        return whenFull != null && rejection instanceof BulkheadFullException full ? whenFull.apply(full) : rejection;
    }

    public String name() {
        return spec.name();
    }

    public Optional<String> key() {
        return id.key();
    }
}
