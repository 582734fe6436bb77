package io.quarkiverse.redisbulkhead.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import jakarta.inject.Inject;

import io.quarkiverse.redisbulkhead.benchmarks.contender.BenchmarkEnvironment;
import io.quarkiverse.redisbulkhead.benchmarks.handover.HandOverPart;
import io.quarkiverse.redisbulkhead.benchmarks.instances.InstancesPart;
import io.quarkiverse.redisbulkhead.benchmarks.load.LoadPart;
import io.quarkiverse.redisbulkhead.benchmarks.process.OtherProcess;
import io.quarkiverse.redisbulkhead.benchmarks.redis.RedisServerProcess;
import io.quarkiverse.redisbulkhead.benchmarks.report.Report;
import io.quarkiverse.redisbulkhead.benchmarks.scale.PacedKeysPart;
import io.quarkiverse.redisbulkhead.benchmarks.scale.ScalePart;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;

/**
 * Runs all parts, or those of {@code -Dbenchmarks.parts}, and writes the report of all runs so far, or draws it again if there
 * are no figures.
 */
@QuarkusMain
public class Benchmarks implements QuarkusApplication {

    private static final List<Part> PARTS = List.of(new MachinePart(), new LoadPart(), new InstancesPart(), new PacedKeysPart(),
            new HandOverPart(), new ScalePart());

    @Inject
    BenchmarkEnvironment environment;

    /**
     * Starts a server and the application.
     *
     * @param args none; for another process what it is, and what that needs
     */
    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            OtherProcess.run(List.of(args));
        } else {
            // It ends with this process.
            System.setProperty("quarkus.redis.hosts", RedisServerProcess.start().url());
            Quarkus.run(Benchmarks.class);
        }
    }

    @Override
    public int run(String... args) throws Exception {
        for (Part part : PARTS) {
            if (Options.wanted("parts", part.id())) {
                run(part);
            }
        }
        report();
        return 0;
    }

    private void run(Part part) throws Exception {
        long begun = System.nanoTime();
        Figures figures = new Figures();
        part.run(environment, figures);
        figures.save(Options.FIGURES, part.id());
        System.out.printf("%n%s: %d s%n", part.id(), Duration.ofNanos(System.nanoTime() - begun).toSeconds());
    }

    private static void report() throws Exception {
        Optional<Path> documents = Options.documents();
        if (documents.isPresent()) {
            Report report = new Report(documents.get());
            List<Figures> runs = Figures.load(Options.FIGURES);
            if (!runs.isEmpty()) {
                report.write(runs);
            }
            report.redraw();
        }
    }
}
