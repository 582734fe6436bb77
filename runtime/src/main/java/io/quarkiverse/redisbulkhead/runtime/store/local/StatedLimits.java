package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.steps.BulkheadState;

/** Which limits the callers of one bulkhead stated within the last minute. */
final class StatedLimits {

    private static final class Stated extends Expiring.Entry<Integer> {

        private final int limit;
        private final long refreshAt;

        private Stated(int limit, long refreshAt) {
            this.limit = limit;
            this.refreshAt = refreshAt;
        }

        @Override
        Integer key() {
            return limit;
        }
    }

    private final Expiring<Integer, Stated> limits = new Expiring<>();

    // The one that was remembered last: nearly all callers state the same.
    private Stated latest = new Stated(0, 0);

    /** Remembers the limit, and answers with the others if it had not been remembered just now. */
    Set<Integer> state(int limit, long now) {
        if (limit == latest.limit && now < latest.refreshAt) {
            return Set.of();
        }
        Stated known = limits.get(limit);
        if (known != null && now < known.refreshAt) {
            return Set.of();
        }
        limits.removeEnded(now, ended -> {
        });
        limits.remove(limit);
        latest = new Stated(limit, now + BulkheadState.LIMIT_REFRESHED.toMillis());
        limits.add(latest, now + PermitStore.LIMIT_REMEMBERED.toMillis());
        Set<Integer> others = at(now);
        others.remove(limit);
        return others;
    }

    SortedSet<Integer> at(long now) {
        return limits.live(Integer.MAX_VALUE, now).stream().map(Stated::key)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
