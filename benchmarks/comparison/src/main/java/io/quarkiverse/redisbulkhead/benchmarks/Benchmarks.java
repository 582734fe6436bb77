package io.quarkiverse.redisbulkhead.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.quarkiverse.redisbulkhead.benchmarks.contender.Surroundings;
import io.quarkiverse.redisbulkhead.benchmarks.handover.HandOverPart;
import io.quarkiverse.redisbulkhead.benchmarks.load.LoadPart;
import io.quarkiverse.redisbulkhead.benchmarks.report.Report;
import io.quarkiverse.redisbulkhead.benchmarks.scale.ScalePart;

/**
 * Runs all parts, or those of {@code -Dbenchmarks.parts}, and writes the report with the latest figures of each, or draws it
 * again if there are no figures.
 */
public final class Benchmarks {

    private static final List<Part> PARTS = List.of(new MachinePart(), new LoadPart(), new ScalePart(), new HandOverPart());

    private Benchmarks() {
    }

    /**
     * Measures.
     *
     * @param args none
     */
    public static void main(String[] args) {
        int exit = 0;
        try {
            if (Options.profile()) {
                try (Profile profile = Profile.start()) {
                    runParts();
                }
            } else {
                runParts();
            }
            report();
        } catch (Exception e) {
            e.printStackTrace();
            exit = 1;
        }
        // Redisson leaves threads.
        System.exit(exit);
    }

    private static void runParts() throws Exception {
        for (Part part : PARTS) {
            if (Options.wanted("parts", part.id())) {
                run(part);
            }
        }
    }

    private static void run(Part part) throws Exception {
        long begun = System.nanoTime();
        Figures figures = new Figures();
        try (Surroundings surroundings = Surroundings.start()) {
            part.run(surroundings, figures);
        }
        figures.save(Options.FIGURES, part.id());
        System.out.printf("%n%s: %d s%n", part.id(), Duration.ofNanos(System.nanoTime() - begun).toSeconds());
    }

    private static void report() throws Exception {
        Optional<Path> documents = Options.documents();
        if (documents.isPresent()) {
            Report report = new Report(documents.get());
            Figures figures = Figures.load(Options.FIGURES);
            if (!figures.isEmpty()) {
                report.write(figures);
            }
            report.redraw();
        }
    }
}
