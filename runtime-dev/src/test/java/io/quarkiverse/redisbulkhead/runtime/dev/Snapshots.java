package io.quarkiverse.redisbulkhead.runtime.dev;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;

import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.BulkheadState;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.LimitState;

/** Snapshots for tests. */
final class Snapshots {

    private Snapshots() {
    }

    static Snapshot at(Instant at, BulkheadState... bulkheads) {
        return new Snapshot(at, List.of(bulkheads), Optional.empty());
    }

    static BulkheadState bulkhead(String name, int inUse) {
        return new BulkheadState(name, true, false, List.of(limit(Optional.empty(), inUse)), 0);
    }

    static BulkheadState keyed(String name, LimitState... limits) {
        return new BulkheadState(name, true, true, Arrays.asList(limits), 0);
    }

    static LimitState limit(Optional<String> key, int inUse) {
        return new LimitState(key, OptionalInt.of(5), false, new TreeSet<>(List.of(5)), inUse, 0, 0, List.of(), List.of());
    }
}
