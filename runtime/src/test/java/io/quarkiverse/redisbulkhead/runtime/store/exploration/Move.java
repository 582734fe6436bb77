package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.util.List;

/**
 * A possible next move.
 *
 * @param <S> the states
 * @param label a readable description
 * @param next the state after it
 * @param broken the rules that it breaks
 */
public record Move<S>(String label, S next, List<String> broken) {
}
