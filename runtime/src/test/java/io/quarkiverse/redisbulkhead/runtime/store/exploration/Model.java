package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.util.List;

/**
 * A model that can be explored. Equal states behave the same.
 *
 * @param <S> the states
 */
public interface Model<S> {

    /** The initial state. */
    S start();

    /** The possible next moves. */
    List<Move<S>> moves(S state);

    /** The rules that a state breaks by itself. */
    List<String> broken(S state);

    /** What the explorer remembers of a state, to recognize it: equal for equal states. */
    default Object identity(S state) {
        return state;
    }
}
