package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Shortens a failing history to make it readable. */
final class Shrinker {

    private Shrinker() {
    }

    /** Removes smaller and smaller chunks while the rest still fails. */
    static <T> List<T> shrink(List<T> failing, Predicate<List<T>> fails) {
        List<T> shortest = failing;
        int chunk = Math.max(1, shortest.size() / 2);
        while (true) {
            List<T> shorter = withoutChunks(shortest, chunk, fails);
            boolean progress = shorter.size() < shortest.size();
            shortest = shorter;
            if (chunk == 1 && !progress) {
                return shortest;
            }
            chunk = progress ? Math.min(chunk, Math.max(1, shortest.size() / 2)) : Math.max(1, chunk / 2);
        }
    }

    private static <T> List<T> withoutChunks(List<T> failing, int chunk, Predicate<List<T>> fails) {
        List<T> shortest = failing;
        // From the end, because steps depend on earlier ones.
        for (int to = shortest.size(); to > 0; to -= chunk) {
            List<T> candidate = new ArrayList<>(shortest.subList(0, Math.max(0, to - chunk)));
            candidate.addAll(shortest.subList(to, shortest.size()));
            if (fails.test(candidate)) {
                shortest = candidate;
            }
        }
        return shortest;
    }
}
