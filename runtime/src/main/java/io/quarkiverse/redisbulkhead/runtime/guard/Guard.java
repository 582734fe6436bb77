package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.concurrent.Callable;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.quarkiverse.redisbulkhead.runtime.semaphore.WaitsOn;

/** Guards one method. Safe for use by many threads. */
@FunctionalInterface
public interface Guard {

    /**
     * Runs the method, or arranges for it to run, once its permits are held.
     *
     * @param admissions asks for the permits of one execution; may be called again for each subscription
     * @param method calls the method; may be called again for each subscription
     * @return what the method returned, or an object of the same kind that stands for it
     * @throws Exception what the method threw, or the rejection
     */
    Object call(Supplier<Admission> admissions, Callable<Object> method) throws Exception;

    /**
     * What a call by the current thread occupies while it waits for its permits.
     *
     * @return {@code NO_WORKER_THREAD} unless the guard blocks the calling thread
     */
    default WaitsOn waitsOn() {
        return WaitsOn.NO_WORKER_THREAD;
    }
}
