package io.quarkiverse.redisbulkhead.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.load.Load;
import io.quarkiverse.redisbulkhead.benchmarks.load.LoadPart;
import io.quarkiverse.redisbulkhead.benchmarks.scale.ScalePart;

/** Writes figures into the documents, and draws plots of those that are there. */
public final class Report {

    private static final String SCALE_PLOT = """
            link:{project}/docs/modules/ROOT/attachments/benchmarks-scale.csv[All figures].

            image::benchmarks-scale.svg["Pairs per second, and processor time of Redis for a pair, by the number of permits held, of keys and of waiters"]
            """;
    private static final String LOAD = LoadPart.ID + ".";
    private static final String SCALE = ScalePart.ID + ".";

    private final Path page;
    private final Path images;
    private final Path loadCsv;
    private final Path scaleCsv;

    /**
     * A report.
     *
     * @param documents the folder of the module of documents, with {@code pages}, {@code assets} and {@code attachments}
     */
    public Report(Path documents) {
        page = documents.resolve("pages").resolve("benchmarks.adoc");
        images = documents.resolve("assets").resolve("images");
        loadCsv = documents.resolve("attachments").resolve("benchmarks-load.csv");
        scaleCsv = documents.resolve("attachments").resolve("benchmarks-scale.csv");
    }

    /**
     * Writes the other tables, and the CSV files.
     *
     * @param runs what each run has measured; parts that are missing leave gaps
     */
    public void write(List<Figures> runs) throws IOException {
        Figures figures = Figures.median(runs);
        Tables tables = new Tables(figures, runs);
        replace("targets", new Targets(runs).asciidoc());
        replace("machine", tables.machine());
        replace("sizing", tables.sizing());
        replace("instances", tables.instances());
        replace("paced keys", tables.pacedKeys());
        replace("hand-over", tables.handOver());
        Files.createDirectories(loadCsv.getParent());
        Files.writeString(loadCsv, Csv.text(figures, "load,contender", LOAD, Arrays.stream(Load.values())
                .flatMap(
                        load -> Arrays.stream(Kind.values()).map(kind -> LoadPart.name(load, kind).substring(LOAD.length())))));
        Files.writeString(scaleCsv, Csv.text(figures, "growth,contender,size", SCALE, ScalePart.GROWTHS.stream()
                .flatMap(growth -> growth.kinds().stream().flatMap(kind -> growth.sizes(kind).stream()
                        .map(size -> ScalePart.name(growth, kind, size).substring(SCALE.length()))))));
    }

    private void replace(String part, String text) throws IOException {
        String before = Files.readString(page);
        String begin = "// " + part + "\n";
        String end = "// end of " + part + "\n";
        int from = before.indexOf(begin);
        int to = before.indexOf(end);
        if (from < 0 || to < from) {
            throw new IllegalStateException(page + " has no place between " + begin.strip() + " and " + end);
        }
        Files.writeString(page, before.substring(0, from + begin.length()) + "\n" + text + "\n" + before.substring(to));
    }

    /** Draws the plots, and writes the tables of loads, from the CSV files. */
    public void redraw() throws IOException {
        Figures figures = new Figures();
        Csv.read(loadCsv, LOAD, figures);
        Csv.read(scaleCsv, SCALE, figures);
        replace("load", new Tables(figures, List.of()).load());
        Files.createDirectories(images);
        Plots plots = new Plots(figures);
        Files.writeString(images.resolve("benchmarks-load.svg"), plots.load());
        boolean isMeasured = Files.readAllLines(scaleCsv).size() > 1;
        replace("scale", isMeasured ? SCALE_PLOT : "The present engine has not been measured here yet.\n");
        if (isMeasured) {
            Files.writeString(images.resolve("benchmarks-scale.svg"), plots.scale());
        }
    }
}
