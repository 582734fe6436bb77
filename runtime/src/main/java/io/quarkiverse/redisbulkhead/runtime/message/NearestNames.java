package io.quarkiverse.redisbulkhead.runtime.message;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Orders names by how near they are to a mistyped one. */
public final class NearestNames {

    private NearestNames() {
    }

    /**
     * The names, those first that need the fewest letters changed, added or taken away (Levenshtein distance).
     *
     * @param mistyped what was asked for
     * @param known what there is
     * @return all that are known
     */
    public static List<String> to(String mistyped, Collection<String> known) {
        return known.stream().sorted(Comparator.<String> comparingInt(name -> distance(mistyped, name))
                .thenComparing(Comparator.naturalOrder())).toList();
    }

    /**
     * What may well have been meant: no more than a third of its letters differ.
     *
     * @param mistyped what was asked for
     * @param known what there is
     * @return empty when nothing is near
     */
    public static Optional<String> meant(String mistyped, Collection<String> known) {
        return to(mistyped, known).stream().limit(1)
                .filter(nearest -> distance(mistyped, nearest) <= Math.max(1, nearest.length() / 3)).findFirst();
    }

    /**
     * Asks for what may well have been meant.
     *
     * @param mistyped what was asked for
     * @param known what there is
     * @param quote stands around the name
     * @return a sentence after a space; empty when nothing is near
     */
    public static String hint(String mistyped, Collection<String> known, String quote) {
        return meant(mistyped, known).map(nearest -> " Did you mean " + quote + nearest + quote + "?").orElse("");
    }

    private static int distance(String a, String b) {
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] current = new int[b.length() + 1];
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replaced, Math.min(previous[j], current[j - 1]) + 1);
            }
            previous = current;
        }
        return previous[b.length()];
    }
}
