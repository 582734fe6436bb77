package io.quarkiverse.redisbulkhead.runtime;

import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.BulkheadFullException;

/** Tells the calls that a scheduler makes from other calls of the same methods. There is a bean where Quarkus Scheduler is. */
public interface ScheduledRuns {

    /**
     * The run of a scheduled method that the current call is.
     *
     * @param method the binary name of the bean's class, {@code #} and the name of the method
     * @return takes the rejection when the run is skipped; null when the scheduler does not make this call
     */
    Consumer<BulkheadFullException> current(String method);
}
