package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Visits all reachable states of a model, breadth first, until a rule is broken. It finds every violation within its bounds,
 * on a shortest path.
 *
 * @param <S> the states
 */
public final class Explorer<S> {

    private final Model<S> model;
    private final int maxDepth;
    private final long startedAt = System.nanoTime();
    private final Set<S> seen = new HashSet<>();
    private long moves;

    private record Path<S>(S state, Path<S> before, String label) {

        private List<String> steps() {
            LinkedList<String> steps = new LinkedList<>();
            for (Path<S> path = this; path.before != null; path = path.before) {
                steps.addFirst(path.label);
            }
            return steps;
        }
    }

    private Explorer(Model<S> model, int maxDepth) {
        this.model = model;
        this.maxDepth = maxDepth;
    }

    /** Explores all states within this number of moves. */
    public static <S> Exploration explore(Model<S> model, int maxDepth) {
        return new Explorer<>(model, maxDepth).run();
    }

    private Exploration run() {
        List<Path<S>> front = new ArrayList<>();
        front.add(new Path<>(model.start(), null, null));
        seen.add(model.start());
        int depth = 0;
        while (!front.isEmpty() && depth < maxDepth) {
            List<Path<S>> next = new ArrayList<>();
            for (Path<S> path : front) {
                Optional<Counterexample> found = expand(path, next);
                if (found.isPresent()) {
                    return result(depth + 1, false, found);
                }
            }
            front = next;
            depth += front.isEmpty() ? 0 : 1;
        }
        return result(depth, front.isEmpty(), Optional.empty());
    }

    private Optional<Counterexample> expand(Path<S> path, List<Path<S>> next) {
        for (Move<S> move : model.moves(path.state)) {
            moves++;
            Path<S> after = new Path<>(move.next(), path, move.label());
            List<String> broken = move.broken();
            if (seen.add(move.next())) {
                next.add(after);
                broken = broken.isEmpty() ? model.broken(move.next()) : broken;
            }
            if (!broken.isEmpty()) {
                return Optional.of(new Counterexample(broken.get(0), after.steps(), move.next().toString()));
            }
        }
        return Optional.empty();
    }

    private Exploration result(int depth, boolean complete, Optional<Counterexample> found) {
        return new Exploration(seen.size(), moves, depth, complete, found, Duration.ofNanos(System.nanoTime() - startedAt));
    }
}
