package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.util.List;

/**
 * Something that may happen next.
 *
 * @param <S> the states
 * @param label what happens, for people
 * @param next the state after it
 * @param broken the rules that it breaks
 */
public record Move<S>(String label, S next, List<String> broken) {
}
