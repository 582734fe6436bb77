package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What the build can tell about the bulkheads that code defines with a {@link io.quarkiverse.redisbulkhead.SemaphoreSpec}.
 *
 * @param possible whether a class of the application uses that type at all
 * @param texts the constant texts in those classes, among which most names are; {@value #PART} stands for what a
 *        concatenation inserts
 */
public record DefinedInCode(boolean possible, List<String> texts) {

    /** Code defines no bulkheads. */
    public static final DefinedInCode NONE = new DefinedInCode(false, List.of());

    /** Stands for a part of a text that is known only at run time. */
    public static final char PART = '\1';

    /**
     * The names that code may use, as far as the build can tell.
     *
     * @param translation applied to what is known of a name
     */
    List<Pattern> patterns(UnaryOperator<String> translation) {
        return texts.stream().map(text -> Pattern.compile(Arrays.stream(text.split(String.valueOf(PART), -1)).map(translation)
                .map(Pattern::quote).collect(Collectors.joining(".*")), Pattern.DOTALL)).toList();
    }

    /** The texts that are names as they stand. */
    List<String> names() {
        return texts.stream().filter(text -> text.indexOf(PART) < 0).toList();
    }
}
