package io.quarkiverse.redisbulkhead.benchmarks.scale;

import java.util.List;

import io.quarkiverse.redisbulkhead.benchmarks.contender.BenchmarkEnvironment;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Contender;
import io.quarkiverse.redisbulkhead.benchmarks.contender.GuardedContender;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.load.BlockingCrew;
import io.quarkiverse.redisbulkhead.benchmarks.load.Turns;

/** 64 blocking callers of a bulkhead that has more and more keys, each call for another one. */
public final class Keys implements Growth {

    private static final int CALLERS = 64;
    private static final List<Integer> SIZES = List.of(1, 10, 100, 1_000, 10_000, 100_000);

    @Override
    public String id() {
        return "keys";
    }

    @Override
    public String title() {
        return "keys, 64 blocking callers";
    }

    @Override
    public List<Kind> kinds() {
        return List.of(Kind.SCRIPT);
    }

    @Override
    public List<Integer> sizes(Kind kind) {
        return SIZES;
    }

    @Override
    public void add(Turns<Integer> turns, BenchmarkEnvironment environment, Kind kind, int size) throws Exception {
        Contender calls = GuardedContender.withKeys(environment, "keys-" + size, size);
        turns.add(size, calls, new BlockingCrew(calls, CALLERS, () -> {
        }));
    }
}
