package io.quarkiverse.redisbulkhead.runtime.dev;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.BulkheadState;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.LimitState;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/**
 * What happened during the last minutes, in {@value #POINTS} time spans: the most permits in use of each limit, and how many
 * executions of this process lost theirs. Thread-safe.
 */
final class RecentUse {

    /** How many spans. */
    static final int POINTS = 60;

    /** How long each is. */
    static final Duration SPAN = Duration.ofSeconds(5);

    private static final class Span {

        private boolean seen;
        private final Map<BulkheadId, Integer> peaks = new HashMap<>();
        private final Map<BulkheadId, Integer> losses = new HashMap<>();
    }

    // By number, and the number of the last snapshot. Both are guarded by this.
    private final TreeMap<Long, Span> spans = new TreeMap<>();
    private long newest;

    /** Adds a snapshot. Limits that are not in it are not in use. */
    synchronized void add(Snapshot snapshot) {
        Span span = span(snapshot.at());
        span.seen = true;
        newest = Math.max(newest, number(snapshot.at()));
        for (BulkheadState bulkhead : snapshot.bulkheads()) {
            for (LimitState limit : bulkhead.limits()) {
                span.peaks.merge(new BulkheadId(bulkhead.name(), limit.key()), limit.now().inUse(), Math::max);
            }
        }
    }

    /** Adds a loss. */
    synchronized void add(PermitLost loss, Instant at) {
        span(at).losses.merge(new BulkheadId(loss.bulkhead(), loss.key()), 1, Integer::sum);
    }

    private Span span(Instant at) {
        Span span = spans.computeIfAbsent(number(at), missing -> new Span());
        spans.headMap(spans.lastKey() - POINTS, true).clear();
        return span;
    }

    private static long number(Instant at) {
        return Math.floorDiv(at.toEpochMilli(), SPAN.toMillis());
    }

    /**
     * Adds {@code history} and {@code lost} to a limit: the most permits in use during each span up to that of the last
     * snapshot, the oldest first, null for spans without a snapshot; and how many losses there were.
     */
    synchronized void addTo(JsonObject limit, String bulkhead) {
        BulkheadId id = new BulkheadId(bulkhead, Optional.ofNullable(limit.getString("key")));
        List<Integer> history = new ArrayList<>();
        int lost = 0;
        for (long number = newest - POINTS + 1; number <= newest; number++) {
            Span span = spans.get(number);
            history.add(span == null || !span.seen ? null : span.peaks.getOrDefault(id, 0));
            lost += span == null ? 0 : span.losses.getOrDefault(id, 0);
        }
        limit.put("history", new JsonArray(history)).put("lost", lost);
    }
}
