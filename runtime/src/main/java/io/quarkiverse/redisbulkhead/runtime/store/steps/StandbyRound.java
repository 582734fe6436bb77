package io.quarkiverse.redisbulkhead.runtime.store.steps;

/** Goes through the waiters that are not in the queue, in their turn, and meets each at most once. */
public interface StandbyRound {

    /**
     * Tells the next waiter that a permit is free; only one that goes by a limit above the given number. It is the last in
     * turn from then on.
     *
     * @param taken how many permits are held, or promised to those told before
     * @return {@code false} when there was nobody to tell
     */
    boolean callNext(int taken);
}
