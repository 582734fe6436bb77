package io.quarkiverse.redisbulkhead.benchmarks.report;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.handover.HandOverPart;
import io.quarkiverse.redisbulkhead.benchmarks.instances.InstancesPart;
import io.quarkiverse.redisbulkhead.benchmarks.load.Load;
import io.quarkiverse.redisbulkhead.benchmarks.load.LoadPart;
import io.quarkiverse.redisbulkhead.benchmarks.load.Measure;
import io.quarkiverse.redisbulkhead.benchmarks.scale.PacedKeysPart;

/** The tables of the page but that of the targets. */
final class Tables {

    private static final String NOT_MEASURED = "Not yet measured with the present engine.\n";
    private static final double MILLIS_PER_SECOND = 1_000;

    private static final Map<Measure, String> COLUMNS = new LinkedHashMap<>();

    static {
        COLUMNS.put(Measure.PAIRS_PER_SECOND, "pairs/s");
        COLUMNS.put(Measure.P50, "p50, µs");
        COLUMNS.put(Measure.P99, "p99, µs");
        COLUMNS.put(Measure.REDIS_CPU, "Redis CPU, µs");
    }

    private final Figures figures;
    private final List<Figures> runs;

    /**
     * Tables.
     *
     * @param figures the medians
     * @param runs what they are the medians of; none if only medians are known
     */
    Tables(Figures figures, List<Figures> runs) {
        this.figures = figures;
        this.runs = runs;
    }

    private String cell(String name) {
        double[] values = runs.stream().map(run -> run.number(name)).flatMapToDouble(OptionalDouble::stream).sorted().toArray();
        return values.length == 0 ? Table.number(figures.number(name)) : Table.range(values, Table::number);
    }

    /** On what was measured. */
    String machine() {
        Table table = Table.ofTexts("", "");
        Map<String, String> rows = new LinkedHashMap<>();
        rows.put("date", "machine.date");
        rows.put("processor", "machine.processor");
        rows.put("memory", "machine.memory");
        rows.put("system", "machine.system");
        rows.put("load average before", "machine.load");
        rows.put("JVM", "machine.java");
        rows.put("server", "machine.redis");
        rows.put("Redisson", "machine.redisson");
        rows.put("Vert.x Redis client", "machine.vertx");
        rows.forEach((title, name) -> table.row(title, figures.text(name)));
        return table.asciidoc();
    }

    /** The most important measures of all contenders, for each load. */
    String load() {
        StringBuilder text = new StringBuilder();
        for (Load load : Load.values()) {
            Table table = titled();
            for (Kind kind : Kind.values()) {
                if (figures.number(name(load, kind, Measure.PAIRS_PER_SECOND)).isPresent()) {
                    table.row(row(kind.title(), measure -> name(load, kind, measure)));
                }
            }
            if (table.isEmpty()) {
                continue;
            }
            text.append("=== ").append(load.title()).append("\n\n").append(table.asciidoc()).append('\n');
        }
        return text.isEmpty() ? NOT_MEASURED : text.toString().stripTrailing() + "\n";
    }

    static String name(Load load, Kind kind, Measure measure) {
        return LoadPart.name(load, kind) + "." + measure.id();
    }

    /** What two instances reach together. */
    String instances() {
        Table table = titled();
        for (Kind kind : InstancesPart.KINDS) {
            table.row(row(kind.title(), measure -> InstancesPart.name(kind, measure)));
        }
        return table.asciidoc();
    }

    /** What calls for many keys cost. */
    String pacedKeys() {
        Table table = titled();
        for (Duration period : PacedKeysPart.PERIODS) {
            table.row(row("a call every %s s".formatted(period.toMillis() / MILLIS_PER_SECOND),
                    measure -> PacedKeysPart.name(period, measure)));
        }
        return table.asciidoc();
    }

    /** The processor time of Redis for a call of each sort. */
    String sizing() {
        return Table.ofNumbers("call", "Redis CPU, µs")
                .row(sizing("finds an idle permit, 64 callers", name(Load.SIXTY_FOUR, Kind.SCRIPT, Measure.REDIS_CPU)))
                .row(sizing("`keep-idle=0`, one caller", name(Load.ONE, Kind.SCRIPT_RETURNING, Measure.REDIS_CPU)))
                .row(sizing("`keep-idle=0`, 64 callers", name(Load.SIXTY_FOUR, Kind.SCRIPT_RETURNING, Measure.REDIS_CPU)))
                .row(sizing("`keep-idle=0`, 64 callers for 10 permits, `fair`",
                        name(Load.CONTENDED, Kind.SCRIPT_FAIR_RETURNING, Measure.REDIS_CPU)))
                .row(sizing("two instances with 64 callers each for 10 permits",
                        InstancesPart.name(Kind.SCRIPT, Measure.REDIS_CPU)))
                .row(sizing("the same, `fair`", InstancesPart.name(Kind.SCRIPT_FAIR, Measure.REDIS_CPU)))
                .row(sizing("for one of 10,000 keys, each called every 5 s",
                        PacedKeysPart.name(Duration.ofSeconds(5), Measure.REDIS_CPU)))
                .asciidoc();
    }

    private List<String> sizing(String title, String figure) {
        return List.of(title, cell(figure));
    }

    private static Table titled() {
        return Table.ofNumbers(Stream.concat(Stream.of(""), COLUMNS.values().stream()).toArray(String[]::new));
    }

    private List<String> row(String title, Function<Measure, String> figure) {
        List<String> row = new ArrayList<>(List.of(title));
        COLUMNS.keySet().forEach(measure -> row.add(cell(figure.apply(measure))));
        return row;
    }

    /** How long hand-overs take. */
    String handOver() {
        return Table.ofNumbers("", "p50, µs", "p99, µs", "measured")
                .row(handOver("`PING` by a blocking caller", HandOverPart.ROUND_TRIP))
                .row(handOver("to a waiter in the same process", HandOverPart.SAME_PROCESS))
                .row(handOver("to a waiter in another process", HandOverPart.NEXT_WAITER))
                .row(handOver("`PING` between two calls in turn", HandOverPart.PACED_ROUND_TRIP))
                .row(handOver("two instances in turn, `keep-idle=5s`", HandOverPart.IN_TURN))
                .asciidoc();
    }

    private List<String> handOver(String title, String name) {
        return List.of(title, cell(name + ".p50"), cell(name + ".p99"), Table.number(figures.number(name + ".count")));
    }
}
