package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Makes a failing history short, so that a human can read it. */
final class Shrinker {

    private Shrinker() {
    }

    /**
     * Leaves out smaller and smaller chunks as long as the rest still fails.
     *
     * @return a history that fails, and of which no single step can be left out
     */
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
        // From the end, as a step depends on those before it.
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
