package io.quarkiverse.redisbulkhead.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.load.Load;
import io.quarkiverse.redisbulkhead.benchmarks.load.Measure;

/** Writes all figures into the documents. */
public final class Report {

    private final Figures figures;

    /**
     * A report.
     *
     * @param figures what was measured; parts that are missing leave gaps
     */
    public Report(Figures figures) {
        this.figures = figures;
    }

    /**
     * Writes it.
     *
     * @param documents the folder of the module of documents, with {@code pages}, {@code assets} and {@code attachments}
     */
    public void writeInto(Path documents) throws IOException {
        Document page = new Document(documents.resolve("pages").resolve("benchmarks.adoc"));
        page.replace("targets", new Targets(figures).asciidoc());
        page.replace("machine", MachineTable.asciidoc(figures));
        page.replace("load", new LoadTable(figures).asciidoc());
        page.replace("hand-over", HandOverTable.asciidoc(figures));
        Path attachments = Files.createDirectories(documents.resolve("attachments"));
        Files.writeString(attachments.resolve("benchmarks-load.csv"), new LoadTable(figures).csv());
        Files.writeString(attachments.resolve("benchmarks-scale.csv"), ScaleCsv.text(figures));
        Path images = Files.createDirectories(documents.resolve("assets").resolve("images"));
        Files.writeString(images.resolve("benchmarks-pairs.svg"), new LoadPlot(figures, Measure.PAIRS_PER_SECOND, "pairs/s")
                .svg(Load.ONE, Load.SIXTY_FOUR, Load.MANY, Load.ASYNCHRONOUS));
        Files.writeString(images.resolve("benchmarks-redis-cpu.svg"),
                new LoadPlot(figures, Measure.REDIS_CPU, "Redis CPU, µs").svg(Load.SIXTY_FOUR, Load.MANY));
        Files.writeString(images.resolve("benchmarks-scale.svg"), new ScalePlot(figures).svg());
    }
}
