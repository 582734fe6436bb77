package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Shrinkable;
import net.jqwik.api.Tuple;
import net.jqwik.api.sessions.JqwikSession;

/** Texts that resemble data of the extension, and arbitrary other texts. */
public final class HostileTexts {

    private static final String[] WORDS = { "", "a", "A", "%", "%:", "%#", "%25", "%3A", "%3a", "%0A", "%7B", "%7D", "{", "}",
            "}:holders",
            ":", "holders", "\n", "\r\n", "\0", " ", "*", "?", "[a]", "\\", "\"", "'", "<b>", "&", "../", "\uD83D", "\uDE80",
            "🚀", "ü", "u\u0308", "\u2028", "\uFFFD", "\u202E", "handed-over", "free", "revoked", "9223372036854775807", "-1" };

    private HostileTexts() {
    }

    /** Any text, including invalid Unicode and very long ones. */
    public static Arbitrary<String> any() {
        Arbitrary<String> characters = Arbitraries.chars().all().list().ofMaxSize(12)
                .map(all -> all.stream().map(String::valueOf).collect(Collectors.joining()));
        return Arbitraries.frequencyOf(Tuple.of(8, ofWords()), Tuple.of(4, characters),
                Tuple.of(1, longTexts()));
    }

    /** A fixed sample for a seed, for tests that jqwik does not run. */
    public static List<String> some(int number, long seed) {
        List<String> some = new ArrayList<>();
        JqwikSession.run(() -> any().generator(number).stream(new Random(seed)).limit(number)
                .map(Shrinkable::value).forEach(some::add));
        return some;
    }

    private static Arbitrary<String> ofWords() {
        return Arbitraries.of(WORDS).list().ofMaxSize(6).map(words -> String.join("", words));
    }

    private static Arbitrary<String> longTexts() {
        return Arbitraries.integers().between(100, 5_000).flatMap(length -> Arbitraries.of("x", "%", "\uD83D", "ü")
                .map(one -> one.repeat(length)));
    }

    /** Valid bulkhead names. */
    public static Arbitrary<String> names() {
        return any().filter(HostileTexts::isName);
    }

    /** Returns whether the text is a valid bulkhead name. */
    public static boolean isName(String text) {
        try {
            SemaphoreSpec.named(text);
            return true;
        } catch (IllegalArgumentException refused) {
            return false;
        }
    }
}
