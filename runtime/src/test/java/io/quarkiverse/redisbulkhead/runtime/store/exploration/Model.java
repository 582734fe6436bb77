package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.util.List;

/**
 * What can be explored. States are values: two that are equal behave the same.
 *
 * @param <S> the states
 */
public interface Model<S> {

    /** Where all begins. */
    S start();

    /** All that may happen next. */
    List<Move<S>> moves(S state);

    /** The rules that a state breaks by itself. */
    List<String> broken(S state);
}
