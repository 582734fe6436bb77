package io.quarkiverse.redisbulkhead.runtime.dev;

import java.time.Duration;

/** Calls again and again. Tests hand in one that they drive. */
@FunctionalInterface
interface Ticks {

    /**
     * Calls until told to stop.
     *
     * @param period the time before the first call and between two
     * @param task what to call; must not block
     * @return stops it
     */
    Runnable every(Duration period, Runnable task);
}
