package io.quarkiverse.redisbulkhead.runtime;

import java.util.Locale;
import java.util.regex.Pattern;

/** Constants as labels of series and spans, in lower camel case as MicroProfile has them. */
public final class Labels {

    private static final Pattern NEXT_WORD = Pattern.compile("_(.)");

    private Labels() {
    }

    /**
     * The label of a constant.
     *
     * @param constant any
     * @return as {@code timedOut} for {@code TIMED_OUT}
     */
    public static String of(Enum<?> constant) {
        return NEXT_WORD.matcher(constant.name().toLowerCase(Locale.ROOT))
                .replaceAll(word -> word.group(1).toUpperCase(Locale.ROOT));
    }
}
