package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HeldPermit;

/**
 * Lets every call through, on whatever thread: all bulkheads of the method are switched off. It has permits that nobody
 * counts, so that the method finds some, and not those of a guarded method around it.
 */
public final class OpenGuard implements Guard {

    private final List<HeldPermit> permits;

    /**
     * Creates the guard.
     *
     * @param permits one for each bulkhead of the method, in their order
     */
    public OpenGuard(List<HeldPermit> permits) {
        this.permits = permits;
    }

    @Override
    public Object call(Supplier<Admission> admissions, Callable<Object> method) throws Exception {
        return HeldPermits.with(permits, method);
    }
}
