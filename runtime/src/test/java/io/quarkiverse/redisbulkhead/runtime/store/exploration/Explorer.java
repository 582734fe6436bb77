package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Visits all reachable states of a model, breadth first, until a rule is broken or there is nothing more. So what
 * it does not find within its bounds is not there, and what it finds it finds by a shortest way.
 *
 * @param <S> the states
 */
public final class Explorer<S> {

    private final Model<S> model;
    private final int deepest;
    private final long began = System.nanoTime();
    private final Set<S> seen = new HashSet<>();
    private long moves;

    private record Way<S>(S state, Way<S> before, String label) {

        private List<String> steps() {
            LinkedList<String> steps = new LinkedList<>();
            for (Way<S> way = this; way.before != null; way = way.before) {
                steps.addFirst(way.label);
            }
            return steps;
        }
    }

    private Explorer(Model<S> model, int deepest) {
        this.model = model;
        this.deepest = deepest;
    }

    /** Explores everything that can be reached in so many moves. */
    public static <S> Exploration explore(Model<S> model, int deepest) {
        return new Explorer<>(model, deepest).run();
    }

    private Exploration run() {
        List<Way<S>> front = new ArrayList<>();
        front.add(new Way<>(model.start(), null, null));
        seen.add(model.start());
        int depth = 0;
        while (!front.isEmpty() && depth < deepest) {
            List<Way<S>> next = new ArrayList<>();
            for (Way<S> way : front) {
                Optional<Counterexample> found = expand(way, next);
                if (found.isPresent()) {
                    return result(depth + 1, false, found);
                }
            }
            front = next;
            depth += front.isEmpty() ? 0 : 1;
        }
        return result(depth, front.isEmpty(), Optional.empty());
    }

    private Optional<Counterexample> expand(Way<S> way, List<Way<S>> next) {
        for (Move<S> move : model.moves(way.state)) {
            moves++;
            Way<S> after = new Way<>(move.next(), way, move.label());
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
        return new Exploration(seen.size(), moves, depth, complete, found, Duration.ofNanos(System.nanoTime() - began));
    }
}
