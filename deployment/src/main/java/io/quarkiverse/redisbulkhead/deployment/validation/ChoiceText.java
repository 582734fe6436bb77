package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.List;
import java.util.stream.Stream;

import io.smallrye.config.common.utils.StringUtil;

/** Reads a value that is one of a few words, just as the configuration reads enums when the application starts. */
final class ChoiceText {

    private ChoiceText() {
    }

    /**
     * Checks a value.
     *
     * @param member what it is set for
     * @param written the value, not yet checked
     * @param type the enum with the words
     * @throws IllegalArgumentException when it is none of them
     */
    static void check(String member, String written, Class<? extends Enum<?>> type) {
        List<String> allowed = Stream.of(type.getEnumConstants()).map(ChoiceText::word).toList();
        if (allowed.stream().noneMatch(word -> matches(word, written))) {
            throw new IllegalArgumentException(member + " must be " + listOf(allowed) + ", but is '" + written + "'");
        }
    }

    /** Whether a value stands for one of the words. */
    static boolean is(Enum<?> choice, String written) {
        return matches(word(choice), written);
    }

    private static String word(Enum<?> choice) {
        return StringUtil.skewer(choice.name());
    }

    // Case and underscores do not matter: both sides become lower case with hyphens.
    private static boolean matches(String word, String written) {
        return word.equals(StringUtil.skewer(written.trim()));
    }

    private static String listOf(List<String> words) {
        int last = words.size() - 1;
        return String.join(", ", words.subList(0, last)) + " or " + words.get(last);
    }
}
