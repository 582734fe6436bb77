package io.quarkiverse.redisbulkhead.benchmarks.load;

import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** Shows figures while the benchmarks run. */
public final class FiguresOnConsole {

    private FiguresOnConsole() {
    }

    /** Prints a table. */
    public static <K> void print(String title, Map<K, RoundFigures> rows, Function<K, String> names) {
        StringBuilder text = new StringBuilder("\n").append(title).append('\n').append(String.format("%-22s", ""));
        for (Measure measure : Measure.values()) {
            text.append(String.format("%17s", measure.id()));
        }
        rows.forEach((key, figures) -> {
            text.append('\n').append(String.format("%-22s", names.apply(key)));
            figures.values().values().forEach(value -> text.append(String.format(Locale.ROOT, "%17.2f", value)));
        });
        System.out.println(text);
    }
}
