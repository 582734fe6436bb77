package io.quarkiverse.redisbulkhead.runtime.observation;

import java.util.Locale;

/** Constants as labels, in lower camel case as MicroProfile has them. */
public final class ConstantLabels {

    private ConstantLabels() {
    }

    /**
     * The label of a constant.
     *
     * @param constant any
     * @return as {@code timedOut} for {@code TIMED_OUT}
     */
    public static String of(Enum<?> constant) {
        StringBuilder label = new StringBuilder();
        for (String word : constant.name().split("_")) {
            label.append(label.isEmpty() ? word.substring(0, 1).toLowerCase(Locale.ROOT) : word.substring(0, 1))
                    .append(word.substring(1).toLowerCase(Locale.ROOT));
        }
        return label.toString();
    }
}
