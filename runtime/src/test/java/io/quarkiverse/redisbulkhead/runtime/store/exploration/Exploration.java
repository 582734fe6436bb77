package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.time.Duration;
import java.util.Optional;

/**
 * What an exploration has found.
 *
 * @param states how many different states were seen
 * @param moves how many moves between them
 * @param depth the length of the longest of the shortest ways to a state
 * @param complete whether there is nothing more to see
 * @param counterexample a shortest way to break a rule, if there is any
 * @param took how long it took
 */
public record Exploration(int states, long moves, int depth, boolean complete, Optional<Counterexample> counterexample,
        Duration took) {
}
