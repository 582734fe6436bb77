package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import io.quarkiverse.redisbulkhead.runtime.store.exploration.ShareModel.Move;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.ShareModel.World;

/**
 * Visits all reachable states of a model, breadth first, until a rule is broken. It finds every violation within its bounds,
 * on a shortest path.
 */
final class Explorer {

    /**
     * What was found.
     *
     * @param states the number of distinct states
     * @param moves the number of moves between them
     * @param depth the largest distance of a state from the start
     * @param complete whether all states were visited
     * @param counterexample a shortest path that breaks a rule, as readable text
     */
    record Exploration(int states, long moves, int depth, boolean complete, Optional<String> counterexample) {
    }

    /** How a state was reached. It does not keep the state. */
    private record Path(Path before, String label) {

        private String counterexample(String rule, World end) {
            LinkedList<String> lines = new LinkedList<>();
            for (Path path = this; path.before != null; path = path.before) {
                lines.addFirst("  " + path.label);
            }
            lines.addFirst(rule);
            lines.add("  => " + end);
            return String.join("\n", lines);
        }
    }

    private record Reached(World state, Path path) {
    }

    private final ShareModel model;
    private final Set<Object> seen = new HashSet<>();
    private long moves;

    private Explorer(ShareModel model) {
        this.model = model;
    }

    /** Explores all states within this number of moves, until so many were seen. */
    static Exploration explore(ShareModel model, int maxDepth, int maxStates) {
        return new Explorer(model).run(maxDepth, maxStates);
    }

    private Exploration run(int maxDepth, int maxStates) {
        List<Reached> front = new ArrayList<>();
        front.add(new Reached(model.start(), new Path(null, "")));
        seen.add(model.identity(model.start()));
        int depth = 0;
        while (!front.isEmpty() && depth < maxDepth && seen.size() < maxStates) {
            List<Reached> next = new ArrayList<>();
            for (Reached reached : front) {
                Optional<String> found = expand(reached, next);
                if (found.isPresent()) {
                    return new Exploration(seen.size(), moves, depth + 1, false, found);
                }
            }
            front = next;
            depth += front.isEmpty() ? 0 : 1;
        }
        return new Exploration(seen.size(), moves, depth, front.isEmpty(), Optional.empty());
    }

    private Optional<String> expand(Reached from, List<Reached> next) {
        for (Move move : model.moves(from.state)) {
            moves++;
            Path path = new Path(from.path, move.label());
            String broken = move.broken();
            if (broken.isEmpty() && seen.add(model.identity(move.next()))) {
                next.add(new Reached(move.next(), path));
                broken = model.broken(move.next());
            }
            if (!broken.isEmpty()) {
                return Optional.of(path.counterexample(broken, move.next()));
            }
        }
        return Optional.empty();
    }
}
