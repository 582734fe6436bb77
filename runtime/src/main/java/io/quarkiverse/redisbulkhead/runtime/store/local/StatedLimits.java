package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Which limits the callers of one bulkhead stated within the last minute. */
final class StatedLimits {

    private static final long REMEMBERED_MILLIS = 60_000;
    private static final long REFRESHED_MILLIS = 5_000;

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
        limits.put(limit, now + REFRESHED_MILLIS, now + REMEMBERED_MILLIS);
        Set<Integer> others = at(now);
        others.remove(limit);
        return others;
    }

    SortedSet<Integer> at(long now) {
        return limits.live(now).map(Expiring.Entry::key).collect(Collectors.toCollection(TreeSet::new));
    }
}
