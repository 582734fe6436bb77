package io.quarkiverse.redisbulkhead.benchmarks.load;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

import org.HdrHistogram.Histogram;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.redis.RedisReading;

/**
 * The results of a round.
 *
 * @param values one for each measure
 */
public record RoundFigures(Map<Measure, Double> values) {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MICRO = 1e3;

    static RoundFigures of(Work work, RedisReading redis, long bytes, long cpuNanos) {
        double pairs = work.pairs();
        Histogram latencies = work.latencies();
        Map<Measure, Double> values = new EnumMap<>(Measure.class);
        values.put(Measure.PAIRS_PER_SECOND, pairs * NANOS_PER_SECOND / work.nanos());
        values.put(Measure.P50, micros(latencies, 50));
        values.put(Measure.P99, micros(latencies, 99));
        values.put(Measure.P999, micros(latencies, 99.9));
        values.put(Measure.REDIS_CPU, redis.cpuMicros() / pairs);
        values.put(Measure.REDIS_COMMANDS, redis.commands() / pairs);
        values.put(Measure.REDIS_CALLS, redis.callsFromNetwork() / pairs);
        values.put(Measure.ALLOCATED, bytes / pairs);
        values.put(Measure.CLIENT_CPU, cpuNanos / NANOS_PER_MICRO / pairs);
        return new RoundFigures(values);
    }

    private static double micros(Histogram latencies, double percentile) {
        return latencies.getValueAtPercentile(percentile) / NANOS_PER_MICRO;
    }

    /**
     * Adds all values to figures.
     *
     * @param figures where to
     * @param start of their names
     */
    public void putInto(Figures figures, String start) {
        values.forEach((measure, value) -> figures.put(start + "." + measure.id(), value));
    }

    /** The median of each measure, which may come from different rounds. */
    public static RoundFigures median(List<RoundFigures> rounds) {
        Map<Measure, Double> values = new EnumMap<>(Measure.class);
        for (Measure measure : Measure.values()) {
            values.put(measure,
                    Figures.median(rounds.stream().mapToDouble(round -> round.values().get(measure)).sorted().toArray()));
        }
        return new RoundFigures(values);
    }

    /** Prints a table, while the benchmarks run. */
    public static <K> void print(String title, Map<K, RoundFigures> rows, Function<K, String> names) {
        StringBuilder text = new StringBuilder("\n").append(title).append('\n').append(String.format("%-22s", ""));
        for (Measure measure : Measure.values()) {
            text.append(String.format("%17s", measure.id()));
        }
        rows.forEach((key, figures) -> {
            text.append('\n').append(String.format("%-22s", names.apply(key)));
            figures.values().values().forEach(value -> text.append(String.format(Locale.ROOT, "%17.2f", value)));
        });
        System.out.println(text);
    }
}
