package io.quarkiverse.redisbulkhead.runtime.dev;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.quarkiverse.redisbulkhead.runtime.overview.BulkheadState;
import io.quarkiverse.redisbulkhead.runtime.overview.LimitState;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot;

/**
 * How many permits were in use during the last minutes: for each limit, the most in each of {@value #POINTS} spans of time. A
 * limit that was not used during all of them is forgotten. Not safe for use by many threads.
 */
final class UseHistory {

    /** How many spans. */
    static final int POINTS = 60;

    /** How long each is. */
    static final Duration SPAN = Duration.ofSeconds(5);

    /** How many limits are remembered at the most. */
    static final int MOST_LIMITS = 1_000;

    private static final int UNKNOWN = -1;

    private final Map<LimitId, Series> series = new HashMap<>();
    private long newest;

    /**
     * Adds what was seen. What is not in it is not in use.
     *
     * @param snapshot the state, taken later than those before
     */
    void add(Snapshot snapshot) {
        newest = Math.max(newest, span(snapshot.at()));
        Set<LimitId> seen = new HashSet<>();
        for (BulkheadState bulkhead : snapshot.bulkheads()) {
            for (LimitState limit : bulkhead.limits()) {
                LimitId id = new LimitId(bulkhead.name(), limit.key());
                seen.add(id);
                add(id, limit.inUse());
            }
        }
        series.forEach((id, known) -> {
            if (!seen.contains(id)) {
                known.add(newest, 0);
            }
        });
        series.entrySet().removeIf(one -> !seen.contains(one.getKey()) && one.getValue().isUnused());
    }

    private void add(LimitId id, int inUse) {
        Series known = series.get(id);
        if (known == null && series.size() < MOST_LIMITS) {
            known = new Series(newest);
            series.put(id, known);
        }
        if (known != null) {
            known.add(newest, inUse);
        }
    }

    /**
     * What is known of a limit.
     *
     * @return the most permits in use during each span, the oldest first, {@code null} for spans without a reading; empty when
     *         nothing is known
     */
    List<Integer> of(LimitId id) {
        Series known = series.get(id);
        return known == null ? List.of() : known.points(newest);
    }

    private static long span(Instant at) {
        return Math.floorDiv(at.toEpochMilli(), SPAN.toMillis());
    }

    /** A ring: the span number n is at n modulo its length. */
    private static final class Series {

        private final int[] peaks = new int[POINTS];
        private long last;

        Series(long first) {
            Arrays.fill(peaks, UNKNOWN);
            last = first;
        }

        void add(long span, int inUse) {
            advance(span);
            int at = index(span);
            peaks[at] = Math.max(peaks[at], inUse);
        }

        boolean isUnused() {
            return Arrays.stream(peaks).noneMatch(peak -> peak > 0);
        }

        List<Integer> points(long newest) {
            advance(newest);
            Integer[] points = new Integer[POINTS];
            for (int i = 0; i < POINTS; i++) {
                int peak = peaks[index(newest - POINTS + 1 + i)];
                points[i] = peak == UNKNOWN ? null : peak;
            }
            return Arrays.asList(points);
        }

        private void advance(long span) {
            for (long gap = Math.max(last + 1, span - POINTS + 1); gap <= span; gap++) {
                peaks[index(gap)] = UNKNOWN;
            }
            last = Math.max(last, span);
        }

        private static int index(long span) {
            return (int) Math.floorMod(span, (long) POINTS);
        }
    }
}
