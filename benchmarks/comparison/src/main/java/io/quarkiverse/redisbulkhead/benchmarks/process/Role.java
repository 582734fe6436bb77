package io.quarkiverse.redisbulkhead.benchmarks.process;

import java.util.List;

import io.quarkiverse.redisbulkhead.benchmarks.contender.BenchmarkEnvironment;

/** What another process does. It is created by its constructor without parameters. */
@FunctionalInterface
public interface Role {

    /**
     * Runs in the other process, which ends afterwards.
     *
     * @param environment that of a process without an application
     * @param arguments what the process was started with
     * @param starter the process that has started this one
     */
    void run(BenchmarkEnvironment environment, List<String> arguments, Dialogue starter) throws Exception;
}
