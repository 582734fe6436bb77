package io.quarkiverse.redisbulkhead.benchmarks.application;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What one kind of call takes.
 *
 * @param call which one
 * @param nanos the time of one call
 * @param bytes what one call allocates
 */
record CallFigures(String call, double nanos, double bytes) {

    private static final int SCORE = 4;
    private static final double MOST_NANOS = 400;
    private static final double MOST_BYTES = 250;
    private static final double MOST_NANOS_OF_UNI = 700;
    private static final double MOST_BYTES_OF_UNI = 1_000;

    private static final String TIME = "Taking and returning the permit, the interceptor, and the objects of the next row.";
    private static final String BYTES = "The permit, and what the container creates to call an interceptor.";

    private static final String PLAIN = "Plain";
    private static final String GUARDED = "Guarded";

    private static final Map<String, String> TITLES = new LinkedHashMap<>();

    static {
        TITLES.put("blocking", "returns, one bulkhead");
        TITLES.put("keyed", "returns, one bulkhead with a key");
        TITLES.put("twice", "returns, two bulkheads");
        TITLES.put("asynchronous", "`Uni`, one bulkhead");
    }

    /** Reads the results of JMH, which have a line for the time and one for each value of a profiler. */
    static List<CallFigures> of(List<String> csv) {
        Map<String, Double> nanos = new LinkedHashMap<>();
        Map<String, Double> bytes = new LinkedHashMap<>();
        for (String line : csv.subList(1, csv.size())) {
            String[] cells = line.replace("\"", "").split(",");
            String[] name = cells[0].substring(CallBenchmark.class.getName().length() + 1).split(":");
            if (name.length == 1) {
                nanos.put(name[0], Double.valueOf(cells[SCORE]));
            } else if (name[1].endsWith("gc.alloc.rate.norm")) {
                bytes.put(name[0], Double.valueOf(cells[SCORE]));
            }
        }
        List<CallFigures> figures = new ArrayList<>();
        nanos.forEach((call, time) -> figures.add(new CallFigures(call, time, bytes.getOrDefault(call, 0.0))));
        return figures;
    }

    /** What was to be reached, as a table of AsciiDoc. */
    static String targets(List<CallFigures> figures) {
        CallFigures call = overhead(figures, "blocking");
        CallFigures uni = overhead(figures, "asynchronous");
        return Target.table(
                new Target("a guarded call that returns, one bulkhead: time added", MOST_NANOS, "ns", call.nanos(),
                        TIME),
                new Target("the same: bytes allocated in addition", MOST_BYTES, "bytes", call.bytes(), BYTES),
                new Target("a guarded `Uni`, one bulkhead: time added", MOST_NANOS_OF_UNI, "ns", uni.nanos(), TIME),
                new Target("the same: bytes allocated in addition", MOST_BYTES_OF_UNI, "bytes", uni.bytes(),
                        BYTES));
    }

    private static CallFigures overhead(List<CallFigures> figures, String call) {
        CallFigures plain = byCall(figures).get(call + PLAIN);
        CallFigures guarded = byCall(figures).get(call + GUARDED);
        return new CallFigures(call, guarded.nanos() - plain.nanos(), guarded.bytes() - plain.bytes());
    }

    private static Map<String, CallFigures> byCall(List<CallFigures> figures) {
        Map<String, CallFigures> byCall = new LinkedHashMap<>();
        figures.forEach(figure -> byCall.put(figure.call(), figure));
        return byCall;
    }

    /** As a table of AsciiDoc. */
    static String table(List<CallFigures> figures) {
        Map<String, CallFigures> byCall = byCall(figures);
        StringBuilder table = new StringBuilder("""
                [%autowidth,cols="<,>,>,>,>"]
                |===
                | method | not guarded | guarded | overhead | overhead

                """);
        TITLES.forEach((call, title) -> {
            CallFigures plain = byCall.get(call + PLAIN);
            CallFigures guarded = byCall.get(call + GUARDED);
            table.append(String.format(Locale.ROOT,
                    "| %s | %.0f ns, %.0f bytes | %.0f ns, %.0f bytes | %.0f ns | %.0f bytes%n",
                    title, plain.nanos(), plain.bytes(), guarded.nanos(), guarded.bytes(), guarded.nanos() - plain.nanos(),
                    guarded.bytes() - plain.bytes()));
        });
        return table.append("|===\n").toString();
    }
}
