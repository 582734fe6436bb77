package io.quarkiverse.redisbulkhead.benchmarks.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.Paint;
import java.awt.Shape;
import java.awt.geom.Rectangle2D;
import java.awt.geom.RoundRectangle2D;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItem;
import org.jfree.chart.LegendItemCollection;
import org.jfree.chart.axis.Axis;
import org.jfree.chart.axis.AxisSpace;
import org.jfree.chart.axis.AxisState;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.axis.CategoryLabelPosition;
import org.jfree.chart.axis.CategoryLabelPositions;
import org.jfree.chart.axis.CategoryLabelWidthType;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.NumberTick;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.block.RectangleConstraint;
import org.jfree.chart.labels.ItemLabelAnchor;
import org.jfree.chart.labels.ItemLabelPosition;
import org.jfree.chart.labels.StandardCategoryItemLabelGenerator;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.DefaultDrawingSupplier;
import org.jfree.chart.plot.PlotOrientation;
import org.jfree.chart.renderer.category.BarRenderer;
import org.jfree.chart.renderer.category.CategoryItemRenderer;
import org.jfree.chart.renderer.category.LineAndShapeRenderer;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.chart.text.TextBlockAnchor;
import org.jfree.chart.title.LegendTitle;
import org.jfree.chart.title.TextTitle;
import org.jfree.chart.ui.HorizontalAlignment;
import org.jfree.chart.ui.RectangleAnchor;
import org.jfree.chart.ui.RectangleEdge;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.chart.ui.TextAnchor;
import org.jfree.data.Range;
import org.jfree.data.category.CategoryDataset;
import org.jfree.data.category.DefaultCategoryDataset;
import org.jfree.data.general.DatasetUtils;

import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import io.quarkiverse.redisbulkhead.benchmarks.Figures;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.load.Load;
import io.quarkiverse.redisbulkhead.benchmarks.load.Measure;
import io.quarkiverse.redisbulkhead.benchmarks.scale.Growth;
import io.quarkiverse.redisbulkhead.benchmarks.scale.ScalePart;

/** Plots as SVG, drawn by JFreeChart. They have a ground of their own, which is dark where the page is. */
final class Plots {

    private static final int WIDTH = 1_000;
    private static final int MARGIN = 14;

    private static final Color INK = new Color(0x1f2937);
    private static final Color FAINT_INK = new Color(0x6b7280);
    private static final Color GRID = new Color(0xe5e7eb);
    private static final String DARK = """
            <style>@media (prefers-color-scheme: dark) {
            text { fill: #e6edf3 !important } [style*='fill:rgb(255,255,255)'] { fill: #161b22 !important }
            [style*='stroke:rgb(229,231,235)'] { stroke: #30363d !important }
            }</style>
            """;
    // As wide as Arial, which other systems have. A logical font would make the library look through all that are installed.
    private static final String FONT = "Liberation Sans";
    // The size that the library takes for granted.
    private static final Font TEXT = new Font(FONT, Font.PLAIN, 12);
    private static final Font TITLE = new Font(FONT, Font.BOLD, 14);

    private static final List<Kind> SCALED = ScalePart.GROWTHS.stream().flatMap(growth -> growth.kinds().stream()).distinct()
            .toList();

    private final Figures figures;

    Plots(Figures figures) {
        this.figures = figures;
    }

    /** Pairs per second, and processor time of Redis for a pair, under each load. */
    String load() {
        int labels = 256;
        int bar = 19;
        int title = 34;
        Drawing drawing = new Drawing();
        double y = MARGIN;
        for (Load load : Load.values()) {
            List<Kind> kinds = measured(load);
            if (kinds.isEmpty()) {
                continue;
            }
            double height = title + kinds.size() * bar;
            double width = (WIDTH - 3.0 * MARGIN - labels) / 2;
            drawing.add(bars(load, kinds, Measure.PAIRS_PER_SECOND, load.title() + ": pairs/s", labels), MARGIN, y,
                    labels + width, height);
            drawing.add(bars(load, kinds, Measure.REDIS_CPU, "Redis CPU per pair, µs", 0), 2 * MARGIN + labels + width, y,
                    width, height);
            y += height + MARGIN;
        }
        return drawing.svg(y);
    }

    // Those without Redis are out of scale.
    private List<Kind> measured(Load load) {
        return List.of(Kind.values()).stream().filter(kind -> kind.isInRedis()
                && figures.number(Tables.name(load, kind, Measure.PAIRS_PER_SECOND)).isPresent()).toList();
    }

    private JFreeChart bars(Load load, List<Kind> kinds, Measure measure, String title, int labels) {
        List<Double> values = kinds.stream().map(kind -> figures.number(Tables.name(load, kind, measure)).orElse(0)).toList();
        double longest = longest(values);
        DefaultCategoryDataset bars = new DefaultCategoryDataset();
        for (int at = 0; at < values.size(); at++) {
            bars.addValue(Math.min(values.get(at), longest), measure, label(kinds.get(at)));
        }
        BarRenderer renderer = new BarRenderer() {

            @Override
            public Paint getItemPaint(int row, int column) {
                return kinds.get(column).limits() ? colour(kinds.get(column)) : Color.WHITE;
            }

            @Override
            public Paint getItemOutlinePaint(int row, int column) {
                return colour(kinds.get(column));
            }
        };
        renderer.setBarPainter(new StandardBarPainter());
        renderer.setShadowVisible(false);
        renderer.setDrawBarOutline(true);
        renderer.setDefaultItemLabelGenerator(new StandardCategoryItemLabelGenerator() {

            @Override
            public String generateLabel(CategoryDataset data, int row, int column) {
                double value = values.get(column);
                return (value > longest ? "… " : "") + Table.number(value);
            }
        });
        renderer.setDefaultItemLabelsVisible(true);
        renderer.setDefaultItemLabelFont(TEXT);
        renderer.setDefaultItemLabelPaint(FAINT_INK);
        renderer.setDefaultPositiveItemLabelPosition(
                new ItemLabelPosition(ItemLabelAnchor.OUTSIDE3, TextAnchor.CENTER_LEFT));
        NumberAxis axis = new NumberAxis();
        // Room for the numbers beside the bars.
        axis.setRange(0, longest * 1.25);
        axis.setVisible(false);
        CategoryPlot plot = plot(bars, axis, renderer);
        plot.setOrientation(PlotOrientation.HORIZONTAL);
        plot.setRangeGridlinesVisible(false);
        plot.getDomainAxis().setCategoryMargin(0.25);
        AxisSpace space = new AxisSpace();
        space.setLeft(labels);
        plot.setFixedDomainAxisSpace(space);
        plot.getDomainAxis().setTickLabelsVisible(labels > 0);
        // Aligned at the left, labels look right with any font.
        plot.getDomainAxis().setCategoryLabelPositions(CategoryLabelPositions.replaceLeftPosition(
                CategoryLabelPositions.STANDARD,
                new CategoryLabelPosition(RectangleAnchor.LEFT, TextBlockAnchor.CENTER_LEFT, CategoryLabelWidthType.RANGE,
                        1)));
        return chart(title, plot);
    }

    /** A bar that is much longer than the others is cut, so that those can be told apart. */
    private static double longest(List<Double> values) {
        List<Double> sorted = values.stream().sorted(Comparator.reverseOrder()).toList();
        return sorted.size() > 1 && sorted.get(0) > 2.5 * sorted.get(1) ? sorted.get(1) * 1.2 : sorted.get(0);
    }

    /** What becomes of both when there is more of something. */
    String scale() {
        int height = 250;
        int legend = 30;
        List<Growth> growths = ScalePart.GROWTHS;
        Drawing drawing = new Drawing();
        drawing.add(legend(), MARGIN, MARGIN, WIDTH - 2.0 * MARGIN, legend);
        double width = (WIDTH - MARGIN * (growths.size() + 1.0)) / growths.size();
        for (int at = 0; at < growths.size(); at++) {
            double x = MARGIN + at * (width + MARGIN);
            double y = MARGIN + legend;
            drawing.add(curves(growths.get(at), "pairs/s", Measure.PAIRS_PER_SECOND), x, y, width, height);
            drawing.add(curves(growths.get(at), "Redis CPU per pair, µs", Measure.REDIS_CPU), x, y + height + MARGIN, width,
                    height);
        }
        return drawing.svg(MARGIN + legend + 2 * (height + MARGIN));
    }

    private JFreeChart curves(Growth growth, String title, Measure measure) {
        DefaultCategoryDataset curves = new DefaultCategoryDataset();
        LineAndShapeRenderer renderer = new LineAndShapeRenderer();
        renderer.setDrawOutlines(false);
        for (Kind kind : growth.kinds()) {
            for (int size : growth.sizes(kind)) {
                OptionalDouble value = figures.number(ScalePart.name(growth, kind, size) + "." + measure.id());
                value.ifPresent(
                        number -> curves.addValue(number, kind, size < 1_000 ? "" + size : size / 1_000 + "k"));
            }
            int row = curves.getRowIndex(kind);
            if (row >= 0) {
                renderer.setSeriesPaint(row, colour(kind));
                renderer.setSeriesStroke(row, new BasicStroke(2));
                renderer.setSeriesShape(row, shape(kind));
            }
        }
        CategoryPlot plot = plot(curves, powersOfTen(curves), renderer);
        plot.setInsets(new RectangleInsets(8, 0, 0, 0));
        JFreeChart chart = chart(title, plot);
        chart.addSubtitle(title(growth.title(), TEXT, FAINT_INK));
        return chart;
    }

    private static LogAxis powersOfTen(CategoryDataset data) {
        Range values = DatasetUtils.findRangeBounds(data);
        int lowest = values == null ? 0 : (int) Math.floor(Math.log10(values.getLowerBound()));
        // Else noise looks like a slope.
        int highest = Math.max(lowest + 2, values == null ? 0 : (int) Math.ceil(Math.log10(values.getUpperBound())));
        LogAxis axis = new LogAxis() {

            // Its own are drawn as shapes.
            @Override
            public List<NumberTick> refreshTicks(Graphics2D graphics, AxisState state, Rectangle2D area, RectangleEdge edge) {
                return IntStream.rangeClosed(lowest, highest).mapToObj(power -> new NumberTick(Math.pow(10, power),
                        String.format(Locale.ROOT, power < 0 ? "%." + -power + "f" : "%,.0f", Math.pow(10, power)),
                        TextAnchor.CENTER_RIGHT, TextAnchor.CENTER, 0)).toList();
            }
        };
        axis.setRange(Math.pow(10, lowest), Math.pow(10, highest));
        return axis;
    }

    private static LegendTitle legend() {
        LegendItemCollection items = new LegendItemCollection();
        for (Kind kind : SCALED) {
            LegendItem item = new LegendItem(label(kind), null, null, null, shape(kind), colour(kind));
            item.setLabelFont(TEXT);
            item.setLabelPaint(INK);
            items.add(item);
        }
        return new LegendTitle(() -> items);
    }

    private static CategoryPlot plot(CategoryDataset data, ValueAxis axis,
            CategoryItemRenderer renderer) {
        CategoryAxis categories = new CategoryAxis();
        for (Axis each : List.of(categories, axis)) {
            each.setTickLabelFont(TEXT);
            each.setTickLabelPaint(INK);
            each.setAxisLinePaint(GRID);
            each.setTickMarksVisible(false);
        }
        CategoryPlot plot = new CategoryPlot(data, categories, axis, renderer);
        plot.setBackgroundPaint(null);
        plot.setOutlineVisible(false);
        plot.setRangeGridlinePaint(GRID);
        plot.setRangeGridlineStroke(new BasicStroke(1));
        plot.setInsets(RectangleInsets.ZERO_INSETS);
        return plot;
    }

    private static JFreeChart chart(String title, CategoryPlot plot) {
        JFreeChart chart = new JFreeChart(null, TITLE, plot, false);
        chart.setTitle(title(title, TITLE, INK));
        chart.setBackgroundPaint(null);
        return chart;
    }

    private static TextTitle title(String text, Font font, Paint paint) {
        TextTitle title = new TextTitle(text, font);
        title.setPaint(paint);
        title.setHorizontalAlignment(HorizontalAlignment.LEFT);
        return title;
    }

    private static String label(Kind kind) {
        return kind.title().replace("`", "");
    }

    private static Shape shape(Kind kind) {
        return DefaultDrawingSupplier.DEFAULT_SHAPE_SEQUENCE[SCALED.indexOf(kind)];
    }

    /** Ours blue, Redisson orange, the book grey, and what is no semaphore green. */
    private static Color colour(Kind kind) {
        return new Color(switch (kind) {
            case SCRIPT -> 0x1d4ed8;
            case SCRIPT_FAIR -> 0x60a5fa;
            case SCRIPT_RETURNING -> 0x3b5b9d;
            case SCRIPT_FAIR_RETURNING -> 0x7f9bc8;
            case SCRIPT_FAIR_CALLED, LOCK, LOCAL, LOCAL_FAIR -> 0xa5c8f5;
            case REDISSON_EXPIRABLE -> 0xea7317;
            case REDISSON_PLAIN -> 0xf5b27a;
            case BASIC -> 0x9ca3af;
            case FAIR -> 0x6b7280;
            case LOCKED -> 0x4b5563;
            case PINGS, POOLED_PINGS -> 0x047857;
        });
    }

    /** Charts, side by side and one below the other. */
    private static final class Drawing {

        private final List<Consumer<Graphics2D>> charts = new ArrayList<>();

        void add(JFreeChart chart, double x, double y, double width, double height) {
            charts.add(graphics -> chart.draw(graphics, new Rectangle2D.Double(x, y, width, height)));
        }

        void add(LegendTitle legend, double x, double y, double width, double height) {
            charts.add(graphics -> {
                legend.arrange(graphics, new RectangleConstraint(width, height));
                legend.draw(graphics, new Rectangle2D.Double(x, y, width, height));
            });
        }

        /** Smaller than the library writes it, the same each time, and with other fonts where this one is missing. */
        String svg(double height) {
            VectorGraphics2D page = new VectorGraphics2D();
            page.setPaint(Color.WHITE);
            page.fill(new RoundRectangle2D.Double(0, 0, WIDTH, height, 16, 16));
            charts.forEach(chart -> chart.accept(page));
            ByteArrayOutputStream svg = new ByteArrayOutputStream();
            try {
                new SVGProcessor().getDocument(page.getCommands(), new PageSize(WIDTH, height)).writeTo(svg);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return svg.toString(StandardCharsets.UTF_8).replaceAll("(?s)<!DOCTYPE.*?>\\s*|<defs>.*?</defs>\\s*", "")
                    .replaceAll(
                            " clip-path=\"[^\"]*\"|font-family:&quot;.*?&quot;;|stroke(:none|-miterlimit:10|-linecap:square);",
                            "")
                    .replaceAll("(\\.\\d\\d)\\d{2,}", "$1")
                    .replaceFirst("<svg ",
                            "<svg font-size=\"12\" font-family=\"'" + FONT + "', Arial, Helvetica, sans-serif\" ")
                    .replaceFirst("(<svg [^>]*>\\s*)", "$1" + DARK);
        }
    }
}
