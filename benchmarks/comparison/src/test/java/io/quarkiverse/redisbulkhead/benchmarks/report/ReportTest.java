package io.quarkiverse.redisbulkhead.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.instances.InstancesPart;
import io.quarkiverse.redisbulkhead.benchmarks.load.Load;
import io.quarkiverse.redisbulkhead.benchmarks.load.Measure;
import io.quarkiverse.redisbulkhead.benchmarks.scale.Growth;
import io.quarkiverse.redisbulkhead.benchmarks.scale.PacedKeysPart;
import io.quarkiverse.redisbulkhead.benchmarks.scale.ScalePart;

/** Figures end up in the real page. */
class ReportTest {

    private static final Path PAGE = Path.of("..", "..", "docs", "modules", "ROOT", "pages", "benchmarks.adoc");

    @TempDir
    Path documents;

    private Path page() throws IOException {
        return Files.createDirectories(documents.resolve("pages")).resolve("benchmarks.adoc");
    }

    @Test
    void thePageHasAPlaceForEverything() throws Exception {
        Files.copy(PAGE, page());
        report();

        assertThat(page()).content()
                .contains("| 64 callers: rejections/s vs. Redisson | ≥4× | 6× (5× to 8×) | met | \n")
                .contains("| one caller: p50 | ≤1 µs | 60,000 µs (50,000 µs to 80,000 µs) | *missed* | ")
                .contains("| 64 callers: pairs/s vs. Redisson | ≥60× | 6× (5× to 8×) | *missed* | ")
                .contains("targets are met; the figures are medians of 3 runs, with the lowest and the highest.")
                .contains("≤6× | - | not measured | \n")
                .contains("| `script`, fair | 4,321 |")
                .contains("| finds an idle permit, 64 callers | 60,000 (50,000 to 80,000)\n")
                .contains("| a call every 0.5 s | - | - | - | 12.3\n")
                .contains("| for one of 10,000 keys, each called every 5 s | 12.3\n")
                .contains("=== 64 blocking callers for 10 permits").contains("image::benchmarks-scale.svg[");
        assertThat(documents.resolve("attachments/benchmarks-load.csv")).content()
                .startsWith("load,contender,pairs-per-second,p50,").contains("\n64-blocking,script,60000.0,60000.0,");
        assertThat(documents.resolve("attachments/benchmarks-scale.csv")).content()
                .startsWith("growth,contender,size,pairs-per-second,p50,").contains("\nheld,script,100000,1234.0,-,-,-,12.3,");
        for (String plot : new String[] { "load", "scale" }) {
            Path image = documents.resolve("assets/images/benchmarks-" + plot + ".svg");
            assertThat(DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(image.toFile()).getDocumentElement()
                    .getTagName()).isEqualTo("svg");
        }
    }

    @Test
    void missingMarkerIsReported() throws IOException {
        Files.writeString(page(), "// end of targets\n// targets\n");
        assertThatIllegalStateException().isThrownBy(this::report)
                .withMessageContaining("has no place between // targets and // end of targets");
    }

    @Test
    void oldFiguresAreReplaced() throws IOException {
        Files.copy(PAGE, page());
        report();
        String once = Files.readString(page());
        report();

        assertThat(page()).hasContent(once);
    }

    @Test
    void withoutFiguresNothingIsMeasured() throws Exception {
        Files.copy(PAGE, page());
        Report report = new Report(documents);
        report.write(List.of());
        report.redraw();

        String text = Files.readString(page());
        assertThat(text).doesNotContain("=== 1 blocking caller", "image::benchmarks-scale.svg[");
        // Below are targets of another module, which may have figures.
        assertThat(text.substring(0, text.indexOf("// end of targets"))).contains("≥200× | - | not measured | \n")
                .doesNotContain("missed*");
    }

    private void report() throws IOException {
        Report report = new Report(documents);
        report.write(List.of(made(60_000), made(80_000), made(50_000)));
        report.redraw();
    }

    private static Figures made(double ours) {
        Figures figures = new Figures();
        for (Load load : Load.values()) {
            for (Kind kind : Kind.values()) {
                for (Measure measure : Measure.values()) {
                    figures.put(Tables.name(load, kind, measure), kind == Kind.SCRIPT ? ours : 10_000);
                }
            }
        }
        figures.put(InstancesPart.name(Kind.SCRIPT_FAIR, Measure.PAIRS_PER_SECOND), 4_321);
        PacedKeysPart.PERIODS.forEach(period -> figures.put(PacedKeysPart.name(period, Measure.REDIS_CPU), 12.3));
        for (Growth growth : ScalePart.GROWTHS) {
            for (Kind kind : growth.kinds()) {
                for (int size : growth.sizes(kind)) {
                    figures.put(ScalePart.name(growth, kind, size) + "." + Measure.PAIRS_PER_SECOND.id(), 1_234);
                    figures.put(ScalePart.name(growth, kind, size) + "." + Measure.REDIS_CPU.id(), 12.3);
                }
            }
        }
        return figures;
    }
}
