package io.quarkiverse.redisbulkhead.benchmarks.application;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.Main;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

import io.quarkus.arc.Arc;
import io.quarkus.runtime.Quarkus;

/** Calls of one thread, guarded and not, in an application that runs in the forked process. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class CallBenchmark {

    private PlainWork plain;
    private GuardedWork guarded;

    /**
     * Runs JMH, and ends the process, which the application would keep alive.
     *
     * @param arguments those of JMH
     */
    public static void main(String[] arguments) throws Exception {
        Main.main(arguments);
        System.exit(0);
    }

    /** Starts the application; it ends with the process. */
    @Setup
    public void start() throws Exception {
        if (Arc.container() == null) {
            Quarkus.manualInitialize();
            Quarkus.manualStart();
        }
        plain = Arc.container().instance(PlainWork.class).get();
        guarded = Arc.container().instance(GuardedWork.class).get();
    }

    @Benchmark
    public int blockingPlain() {
        return plain.blocking();
    }

    @Benchmark
    public int blockingGuarded() {
        return guarded.blocking();
    }

    @Benchmark
    public int keyedPlain() {
        return plain.keyed("tenant");
    }

    @Benchmark
    public int keyedGuarded() {
        return guarded.keyed("tenant");
    }

    @Benchmark
    public int twicePlain() {
        return plain.twice();
    }

    @Benchmark
    public int twiceGuarded() {
        return guarded.twice();
    }

    @Benchmark
    public void asynchronousPlain(Blackhole result) {
        plain.asynchronous().subscribe().with(result::consume);
    }

    @Benchmark
    public void asynchronousGuarded(Blackhole result) {
        guarded.asynchronous().subscribe().with(result::consume);
    }
}
