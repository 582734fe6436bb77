package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.time.Duration;
import java.util.Optional;

/**
 * The result of an exploration.
 *
 * @param states the number of distinct states
 * @param moves the number of moves between them
 * @param depth the largest distance of a state from the start
 * @param complete whether all states were visited
 * @param counterexample a shortest path that breaks a rule, if any
 * @param took the duration
 */
public record Exploration(int states, long moves, int depth, boolean complete, Optional<Counterexample> counterexample,
        Duration took) {
}
