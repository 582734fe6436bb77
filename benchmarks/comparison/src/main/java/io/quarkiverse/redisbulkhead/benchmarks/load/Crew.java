package io.quarkiverse.redisbulkhead.benchmarks.load;

import java.time.Duration;

/** Callers of one contender that make pairs at the same time. */
public interface Crew extends AutoCloseable {

    /**
     * Makes pairs for so long; pairs that have begun by then are ended.
     *
     * @return what was done
     * @throws IllegalStateException when a pair failed
     */
    Work work(Duration duration) throws InterruptedException;

    /** What to throw when a pair failed. */
    static IllegalStateException failed(Throwable failure) {
        return new IllegalStateException("A pair failed, so the figures mean nothing", failure);
    }

    @Override
    void close();
}
