package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

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
        all.add(new Hold(bulkhead.idOf(permit), permit.weight(), permit.sinceNanos, endNanos, digest));
        bulkhead.plan(endNanos);
    }

    boolean remove(String permitId) {
        return all.removeIf(hold -> {
            boolean found = hold.id().equals(permitId);
            bulkhead.inUse -= found ? hold.weight() : 0;
            bulkhead.plan(bulkhead.nanoTime());
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

    long endAndNext(long now) {
        long next = now + Long.MAX_VALUE / 4;
        for (Hold hold : List.copyOf(all)) {
            if (hold.endNanos() - now <= 0) {
                all.remove(hold);
                bulkhead.inUse -= hold.weight();
            } else {
                next = Bulkhead.earlier(next, hold.endNanos(), now);
            }
        }
        return next;
    }

    /** How long until the first of them ends. */
    OptionalLong nanosLeft(long now) {
        return all.stream().mapToLong(hold -> Math.max(0, hold.endNanos() - now)).min();
    }

    boolean isEmpty() {
        return all.isEmpty();
    }
}
