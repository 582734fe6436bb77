package io.quarkiverse.redisbulkhead.runtime.dev;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.LongStream;

import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.BulkheadState;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.LimitState;

/**
 * The permits in use during the last minutes: for each limit, the maximum in each of {@value #POINTS} time spans. Bounded,
 * because a snapshot has a bounded number of limits. Thread-safe.
 */
final class UseHistory {

    /** How many spans. */
    static final int POINTS = 60;

    /** How long each is. */
    static final Duration SPAN = Duration.ofSeconds(5);

    private record LimitId(String bulkhead, Optional<String> key) {
    }

    // By the number of the span: limits that were in use. Guarded by this.
    private final TreeMap<Long, Map<LimitId, Integer>> peaks = new TreeMap<>();

    /**
     * Adds a snapshot. Limits that are not in it are not in use.
     *
     * @param snapshot taken later than those before
     */
    synchronized void add(Snapshot snapshot) {
        Map<LimitId, Integer> now = peaks.computeIfAbsent(span(snapshot.at()), first -> new HashMap<>());
        for (BulkheadState bulkhead : snapshot.bulkheads()) {
            for (LimitState limit : bulkhead.limits()) {
                if (limit.inUse() > 0) {
                    now.merge(new LimitId(bulkhead.name(), limit.key()), limit.inUse(), Math::max);
                }
            }
        }
        peaks.headMap(peaks.lastKey() - POINTS, true).clear();
    }

    /**
     * The history of a limit.
     *
     * @param bulkhead its name
     * @param key empty when the bulkhead is one limit for all
     * @return the most permits in use during each span, the oldest first, {@code null} for spans without a snapshot; empty
     *         before the first snapshot
     */
    synchronized List<Integer> of(String bulkhead, Optional<String> key) {
        if (peaks.isEmpty()) {
            return List.of();
        }
        LimitId id = new LimitId(bulkhead, key);
        long newest = peaks.lastKey();
        return LongStream.rangeClosed(newest - POINTS + 1, newest).mapToObj(peaks::get)
                .map(span -> span == null ? null : span.getOrDefault(id, 0)).toList();
    }

    /** How many spans are kept. */
    synchronized int spans() {
        return peaks.size();
    }

    private static long span(Instant at) {
        return Math.floorDiv(at.toEpochMilli(), SPAN.toMillis());
    }
}
