package io.quarkiverse.redisbulkhead.benchmarks;

import io.quarkiverse.redisbulkhead.benchmarks.contender.BenchmarkEnvironment;

/** A part of the benchmarks that can be run for itself. */
public interface Part {

    /** Its name on the command line, and the start of the names of its figures. */
    String id();

    /**
     * Measures.
     *
     * @param environment what all contenders share
     * @param figures where to put what was measured
     */
    void run(BenchmarkEnvironment environment, Figures figures) throws Exception;
}
