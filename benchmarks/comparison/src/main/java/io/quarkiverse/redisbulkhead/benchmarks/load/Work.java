package io.quarkiverse.redisbulkhead.benchmarks.load;

import java.util.Collection;

import org.HdrHistogram.Histogram;

/**
 * What callers did.
 *
 * @param nanos how long that took
 * @param latencies of all pairs, in nanoseconds
 */
public record Work(long nanos, Histogram latencies) {

    private static final long LONGEST_NANOS = 120_000_000_000L;
    private static final int DIGITS = 2;

    static Work of(long nanos, Collection<Histogram> latencies) {
        Histogram sum = newHistogram();
        latencies.forEach(sum::add);
        return new Work(nanos, sum);
    }

    static Histogram newHistogram() {
        return new Histogram(LONGEST_NANOS, DIGITS);
    }

    static void record(Histogram latencies, long nanos) {
        latencies.recordValue(Math.min(nanos, LONGEST_NANOS));
    }

    /** How many pairs were made. */
    public long pairs() {
        return latencies.getTotalCount();
    }
}
