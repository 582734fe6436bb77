package io.quarkiverse.redisbulkhead.benchmarks.scale;

import java.util.List;

import io.quarkiverse.redisbulkhead.benchmarks.contender.BenchmarkEnvironment;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Contender;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Limit;
import io.quarkiverse.redisbulkhead.benchmarks.load.AsynchronousCrew;
import io.quarkiverse.redisbulkhead.benchmarks.load.BlockingCrew;
import io.quarkiverse.redisbulkhead.benchmarks.load.Crew;
import io.quarkiverse.redisbulkhead.benchmarks.load.Turns;

/**
 * More and more callers who wait for one of ten permits, and ask again as soon as they have given theirs back. Callers are
 * asynchronous, but for the old texts, which need a thread for each.
 */
public final class Waiters implements Growth {

    private static final List<Integer> SIZES = List.of(0, 10, 100, 1_000, 10_000);
    private static final List<Integer> SIZES_WITH_THREADS = List.of(0, 10, 100);
    private static final List<Kind> KINDS = List.of(Kind.SCRIPT, Kind.SCRIPT_FAIR, Kind.REDISSON_EXPIRABLE, Kind.FAIR);

    @Override
    public String id() {
        return "waiters";
    }

    @Override
    public String title() {
        return "callers who wait for one of ten permits";
    }

    @Override
    public List<Kind> kinds() {
        return KINDS;
    }

    @Override
    public List<Integer> sizes(Kind kind) {
        return kind.isAsynchronous() ? SIZES : SIZES_WITH_THREADS;
    }

    @Override
    public void add(Turns<Integer> turns, BenchmarkEnvironment environment, Kind kind, int size) {
        int callers = Limit.TIGHT + size;
        Contender contender = kind.open(environment, Limit.tight("waiters-" + kind.id() + "-" + size, Limit.TIGHT).asKey(),
                callers);
        turns.add(size, contender, crew(kind, contender, callers));
    }

    private static Crew crew(Kind kind, Contender contender, int callers) {
        Runnable nothing = () -> {
        };
        return kind.isAsynchronous() ? new AsynchronousCrew(contender, callers, nothing)
                : new BlockingCrew(contender, callers, nothing);
    }
}
