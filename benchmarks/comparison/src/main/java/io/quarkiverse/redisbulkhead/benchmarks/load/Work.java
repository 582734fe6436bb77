package io.quarkiverse.redisbulkhead.benchmarks.load;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.List;

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

    /**
     * What crews did at the same time.
     *
     * @param crews at least one
     */
    public static Work together(List<Work> crews) {
        return of(crews.stream().mapToLong(Work::nanos).max().orElseThrow(), crews.stream().map(Work::latencies).toList());
    }

    /** As one line. */
    public String text() {
        ByteBuffer buffer = ByteBuffer.allocate(latencies.getNeededByteBufferCapacity());
        latencies.encodeIntoByteBuffer(buffer);
        return nanos + " " + Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), buffer.position()));
    }

    /** Reads {@link #text()}. */
    public static Work parse(String text) {
        String[] parts = text.split(" ");
        return new Work(Long.parseLong(parts[0]),
                Histogram.decodeFromByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(parts[1])), 0));
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
