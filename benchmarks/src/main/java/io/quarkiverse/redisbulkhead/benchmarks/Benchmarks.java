package io.quarkiverse.redisbulkhead.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Surroundings;
import io.quarkiverse.redisbulkhead.benchmarks.load.Comparison;
import io.quarkiverse.redisbulkhead.benchmarks.load.Comparison.Rounds;
import io.quarkiverse.redisbulkhead.benchmarks.load.Load;
import io.quarkiverse.redisbulkhead.benchmarks.load.Measure;
import io.quarkiverse.redisbulkhead.benchmarks.load.RoundFigures;
import io.quarkiverse.redisbulkhead.benchmarks.redis.RedisServerProcess;
import io.vertx.core.Vertx;

/** Measures, and prints. */
public final class Benchmarks {

    private Benchmarks() {
    }

    public static void main(String[] args) throws Exception {
        Rounds rounds = new Rounds(Integer.getInteger("rounds", 5), Duration.ofMillis(Integer.getInteger("millis", 1_000)),
                Duration.ofMillis(Integer.getInteger("warmup", 2_000)));
        List<Kind> kinds = java.util.Arrays.stream(Kind.values())
                .filter(kind -> System.getProperty("kinds", "").isEmpty()
                        || List.of(System.getProperty("kinds").split(",")).contains(kind.id()))
                .toList();
        try (Surroundings surroundings = new Surroundings(RedisServerProcess.start(), Vertx.vertx())) {
            for (Load load : Load.values()) {
                if (!System.getProperty("loads", load.id()).contains(load.id())) {
                    continue;
                }
                System.out.println("\n" + load.title());
                Map<Kind, RoundFigures> figures = new Comparison(surroundings, rounds).run(load, kinds);
                System.out.printf("%-20s", "");
                for (Measure measure : Measure.values()) {
                    System.out.printf("%17s", measure.id());
                }
                System.out.println();
                figures.forEach((kind, figure) -> {
                    System.out.printf("%-20s", kind.id());
                    figure.values().forEach((measure, value) -> System.out.printf(Locale.ROOT, "%17.2f", value));
                    System.out.println();
                });
            }
        }
        System.exit(0);
    }
}
