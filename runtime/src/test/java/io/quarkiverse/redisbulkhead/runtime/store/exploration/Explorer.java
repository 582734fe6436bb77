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
    private final int maxStates;
    private final long startedAt = System.nanoTime();
    private final Set<Object> seen = new HashSet<>();
    private long moves;

    /** How a state was reached. It does not keep the state. */
    private record Path(Path before, String label) {

        private List<String> steps() {
            LinkedList<String> steps = new LinkedList<>();
            for (Path path = this; path.before != null; path = path.before) {
                steps.addFirst(path.label);
            }
            return steps;
        }
    }

    private record Reached<S>(S state, Path path) {
    }

    private Explorer(Model<S> model, int maxDepth, int maxStates) {
        this.model = model;
        this.maxDepth = maxDepth;
        this.maxStates = maxStates;
    }

    /** Explores all states within this number of moves. */
    public static <S> Exploration explore(Model<S> model, int maxDepth) {
        return explore(model, maxDepth, Integer.MAX_VALUE);
    }

    /** Explores all states within this number of moves, until so many were seen. */
    public static <S> Exploration explore(Model<S> model, int maxDepth, int maxStates) {
        return new Explorer<>(model, maxDepth, maxStates).run();
    }

    private Exploration run() {
        List<Reached<S>> front = new ArrayList<>();
        front.add(new Reached<>(model.start(), new Path(null, "")));
        seen.add(model.identity(model.start()));
        int depth = 0;
        while (!front.isEmpty() && depth < maxDepth && seen.size() < maxStates) {
            List<Reached<S>> next = new ArrayList<>();
            for (Reached<S> reached : front) {
                Optional<Counterexample> found = expand(reached, next);
                if (found.isPresent()) {
                    return result(depth + 1, false, found);
                }
            }
            front = next;
            depth += front.isEmpty() ? 0 : 1;
        }
        return result(depth, front.isEmpty(), Optional.empty());
    }

    private Optional<Counterexample> expand(Reached<S> from, List<Reached<S>> next) {
        for (Move<S> move : model.moves(from.state)) {
            moves++;
            Path path = new Path(from.path, move.label());
            List<String> broken = move.broken();
            if (broken.isEmpty() && seen.add(model.identity(move.next()))) {
                next.add(new Reached<>(move.next(), path));
                broken = model.broken(move.next());
            }
            if (!broken.isEmpty()) {
                return Optional.of(new Counterexample(broken.get(0), path.steps(), move.next().toString()));
            }
        }
        return Optional.empty();
    }

    private Exploration result(int depth, boolean complete, Optional<Counterexample> found) {
        return new Exploration(seen.size(), moves, depth, complete, found, Duration.ofNanos(System.nanoTime() - startedAt));
    }
}
