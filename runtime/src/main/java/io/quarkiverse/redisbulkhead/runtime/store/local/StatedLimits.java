package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.steps.BulkheadState;

/** Which limits the callers of one bulkhead stated within the last minute. */
final class StatedLimits {

    /** The limits; the value is the time from which on the limit is to be refreshed. */
    private final Expiring<Integer, Long> limits = new Expiring<>();

    /** Remembers the limit, and answers with the others if it had not been remembered just now. */
    Set<Integer> state(int limit, long now) {
        Expiring.Entry<Integer, Long> known = limits.get(limit);
        if (known != null && now < known.value()) {
            return Set.of();
        }
        limits.removeEnded(now, refresh -> {
        });
        limits.put(limit, now + BulkheadState.LIMIT_REFRESHED.toMillis(), now + PermitStore.LIMIT_REMEMBERED.toMillis());
        Set<Integer> others = at(now);
        others.remove(limit);
        return others;
    }

    SortedSet<Integer> at(long now) {
        return limits.live(now).map(Expiring.Entry::key).collect(Collectors.toCollection(TreeSet::new));
    }
}
