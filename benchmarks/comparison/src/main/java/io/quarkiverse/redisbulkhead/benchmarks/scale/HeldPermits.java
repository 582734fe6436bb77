package io.quarkiverse.redisbulkhead.benchmarks.scale;

import java.util.List;

import io.quarkiverse.redisbulkhead.benchmarks.contender.BenchmarkEnvironment;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Contender;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Limit;
import io.quarkiverse.redisbulkhead.benchmarks.load.BlockingCrew;
import io.quarkiverse.redisbulkhead.benchmarks.load.Turns;

/**
 * 64 blocking callers of a semaphore of which more and more permits are held by others. The fair semaphore of the book has
 * eight: those alone keep Redis busy, and 64 would only wait for each other longer.
 */
public final class HeldPermits implements Growth {

    private static final int CALLERS = 64;
    private static final int CALLERS_OF_BOOK = 8;
    private static final List<Integer> SIZES = List.of(10, 100, 1_000, 10_000, 100_000);
    private static final List<Kind> KINDS = List.of(Kind.SCRIPT, Kind.SCRIPT_FAIR, Kind.REDISSON_EXPIRABLE, Kind.BASIC,
            Kind.FAIR);

    @Override
    public String id() {
        return "held";
    }

    @Override
    public String title() {
        return "permits held by others, 64 blocking callers";
    }

    @Override
    public List<Kind> kinds() {
        return KINDS;
    }

    @Override
    public List<Integer> sizes(Kind kind) {
        return SIZES;
    }

    @Override
    public void add(Turns<Integer> turns, BenchmarkEnvironment environment, Kind kind, int size) throws Exception {
        int callers = kind == Kind.FAIR ? CALLERS_OF_BOOK : CALLERS;
        Contender contender = kind.open(environment, Limit.ample("held-" + kind.id() + "-" + size).asKey(), callers);
        contender.hold(size);
        turns.add(size, contender, new BlockingCrew(contender, callers, () -> {
        }));
    }
}
