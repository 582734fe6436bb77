package io.quarkiverse.redisbulkhead.benchmarks.contender;

/** A thread that takes a permit and gives it back. */
@FunctionalInterface
public interface BlockingCaller extends AutoCloseable {

    /**
     * Takes a permit, waiting for it if need be, and gives it back.
     *
     * @param execution runs while the permit is held
     */
    void pair(Runnable execution) throws Exception;

    @Override
    default void close() {
        // Most have nothing of their own.
    }
}
