package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;

/**
 * The permits of a bulkhead of this process that no execution holds: detached ones, and those whose execution has ended before
 * their minimum hold. Their weight stays in use. What {@link Transfers} and the store do for other bulkheads. Guarded by the
 * lock of the bulkhead.
 */
final class LocalHolds {

    private record Hold(String id, int weight, long startedNanos, long endNanos, String digest) {
    }

    private final Bulkhead bulkhead;
    private final List<Hold> all = new ArrayList<>();

    LocalHolds(Bulkhead bulkhead) {
        this.bulkhead = bulkhead;
    }

    void add(SharePermit permit, String digest, long endNanos) {
        all.add(new Hold(permit.id(), permit.weight(), permit.sinceNanos, endNanos, digest));
        bulkhead.plan(endNanos);
    }

    boolean remove(String permitId) {
        bulkhead.plan(bulkhead.nanoTime());
        return remove(hold -> hold.id().equals(permitId));
    }

    void end(long now) {
        remove(hold -> hold.endNanos() - now <= 0);
    }

    private boolean remove(Predicate<Hold> which) {
        return all.removeIf(hold -> {
            boolean found = which.test(hold);
            bulkhead.inUse -= found ? hold.weight() : 0;
            return found;
        });
    }

    SharePermit attach(SemaphoreDefinition definition, DetachedPermit detached, String method) {
        for (Hold hold : all) {
            if (hold.id().equals(detached.permitId()) && hold.digest().equals(detached.digest())) {
                all.remove(hold);
                SharePermit permit = new SharePermit(bulkhead, definition.weighing(hold.weight()), method,
                        hold.startedNanos(), null);
                bulkhead.use(permit);
                return permit;
            }
        }
        return null;
    }

    boolean takeBack(SharePermit permit) {
        return all.removeIf(hold -> hold.id().equals(permit.id));
    }

    /** How long until the first of them ends. */
    OptionalLong nanosLeft(long now) {
        return all.stream().mapToLong(hold -> Math.max(0, hold.endNanos() - now)).min();
    }

    boolean isEmpty() {
        return all.isEmpty();
    }
}
