package io.quarkiverse.redisbulkhead.benchmarks.scale;

import java.util.List;

import io.quarkiverse.redisbulkhead.benchmarks.contender.BenchmarkEnvironment;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.load.Turns;

/** A quantity that grows from round to round. */
public interface Growth {

    /** Its name among the figures. */
    String id();

    /** What people call it. */
    String title();

    /** Who is measured. */
    List<Kind> kinds();

    /** How many there are of it, the least first. */
    List<Integer> sizes(Kind kind);

    /** Sets a contender up at one size. */
    void add(Turns<Integer> turns, BenchmarkEnvironment environment, Kind kind, int size) throws Exception;
}
