package io.quarkiverse.redisbulkhead.benchmarks.contender;

import io.quarkiverse.redisbulkhead.BulkheadFullException;

/** One way to limit executions, set up as one application has it. */
public interface Contender extends AutoCloseable {

    /**
     * Prepares a caller that blocks.
     *
     * @return for use by one thread
     */
    BlockingCaller newBlockingCaller();

    /**
     * Prepares a caller that blocks, for a limit that is reached.
     *
     * @return for use by one thread; each of its pairs is a rejection
     */
    default BlockingCaller newRejectedCaller() {
        BlockingCaller caller = newBlockingCaller();
        return execution -> {
            try {
                caller.pair(execution);
            } catch (BulkheadFullException | RejectedException e) {
                return;
            }
            throw new IllegalStateException("It got a permit");
        };
    }

    /**
     * Prepares a caller that does not block.
     *
     * @return makes one pair at a time
     * @throws UnsupportedOperationException where there is no such API
     */
    default AsynchronousCaller newAsynchronousCaller() {
        throw new UnsupportedOperationException("It has no asynchronous API");
    }

    /**
     * Takes permits and keeps them, for a quarter of an hour at least.
     *
     * @param permits how many
     * @throws UnsupportedOperationException where permits have no holder
     */
    default void hold(int permits) throws Exception {
        throw new UnsupportedOperationException("It knows no holders");
    }

    /** Closes connections and removes what is in Redis. */
    @Override
    void close();
}
