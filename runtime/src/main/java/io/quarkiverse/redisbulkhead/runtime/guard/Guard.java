package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.concurrent.Callable;

/** Guards one method. Safe for use by many threads. */
@FunctionalInterface
public interface Guard {

    /**
     * Runs the method, or arranges for it to run, once its permits are held.
     *
     * @param method calls the method; may be called again for each subscription
     * @return what the method returned, or an object of the same kind that stands for it
     * @throws Exception what the method threw, or the rejection
     */
    Object call(Callable<Object> method) throws Exception;
}
