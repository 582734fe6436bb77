package io.quarkiverse.redisbulkhead.benchmarks.instances;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.Options;
import io.quarkiverse.redisbulkhead.benchmarks.Part;
import io.quarkiverse.redisbulkhead.benchmarks.contender.BenchmarkEnvironment;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Limit;
import io.quarkiverse.redisbulkhead.benchmarks.load.Measure;
import io.quarkiverse.redisbulkhead.benchmarks.load.RoundFigures;
import io.quarkiverse.redisbulkhead.benchmarks.load.Rounds;
import io.quarkiverse.redisbulkhead.benchmarks.load.Turns;
import redis.clients.jedis.Jedis;

/**
 * Two instances, each a process with 64 blocking callers, share ten permits. They have no container: our stores are called as
 * by an interceptor. Only what is measured in Redis or by the callers means something, as the callers are elsewhere.
 */
public final class InstancesPart implements Part {

    /** The start of the names of its figures. */
    public static final String ID = "instances";

    /** What is measured. */
    public static final List<Kind> KINDS = List.of(Kind.SCRIPT, Kind.SCRIPT_FAIR, Kind.LOCK, Kind.REDISSON_EXPIRABLE);

    private static final List<Measure> MEASURES = List.of(Measure.PAIRS_PER_SECOND, Measure.P50, Measure.P99, Measure.P999,
            Measure.REDIS_CPU, Measure.REDIS_COMMANDS, Measure.REDIS_CALLS);

    private static final int INSTANCES = 2;
    private static final int CALLERS = 64;
    // New processes are cold. Rounds are long, because in the first moment of each one instance may have all permits.
    private static final Rounds ROUNDS = new Rounds(3, Duration.ofSeconds(5), Duration.ofSeconds(5));

    private final int callers;

    /** With all callers. */
    public InstancesPart() {
        this(CALLERS);
    }

    InstancesPart(int callers) {
        this.callers = callers;
    }

    @Override
    public String id() {
        return ID;
    }

    @Override
    public void run(BenchmarkEnvironment environment, Figures figures) throws Exception {
        try (Turns<Kind> turns = new Turns<>()) {
            for (Kind kind : KINDS) {
                if (Options.wanted("kinds", kind.id())) {
                    add(turns, environment, kind);
                }
            }
            Map<Kind, RoundFigures> measured = turns.measure(environment.redis(), Options.rounds(ROUNDS));
            RoundFigures.print("two instances", measured, Kind::id);
            measured.forEach((kind, round) -> MEASURES
                    .forEach(measure -> figures.put(name(kind, measure), round.values().get(measure))));
        }
    }

    private void add(Turns<Kind> turns, BenchmarkEnvironment environment, Kind kind) throws Exception {
        Limit limit = Limit.tight("two-instances-" + kind.id(), Limit.TIGHT);
        OtherCrew[] crews = new OtherCrew[INSTANCES];
        for (int instance = 0; instance < INSTANCES; instance++) {
            crews[instance] = new OtherCrew(environment, kind, limit, callers);
        }
        turns.add(kind, () -> remove(environment, limit), new CrewsTogether(List.of(crews)));
    }

    // The processes were ended by force.
    private static void remove(BenchmarkEnvironment environment, Limit limit) {
        try (Jedis jedis = environment.redis().connect()) {
            jedis.keys("*" + limit.name() + "*").forEach(jedis::unlink);
        }
    }

    /** The name of a figure. */
    public static String name(Kind kind, Measure measure) {
        return String.join(".", ID, kind.id(), measure.id());
    }
}
