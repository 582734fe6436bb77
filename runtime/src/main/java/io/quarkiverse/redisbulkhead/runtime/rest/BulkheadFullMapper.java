package io.quarkiverse.redisbulkhead.runtime.rest;

import jakarta.inject.Inject;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.LockNotAcquiredException;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HeavyCallRejectedException;

/** Answers a call that found its bulkhead full: 429, or what {@code quarkus.redis-bulkhead.rest.status} says. */
public class BulkheadFullMapper implements ExceptionMapper<BulkheadFullException> {

    private final int status;

    /**
     * Creates the mapper.
     *
     * @param config tells the status
     */
    @Inject
    public BulkheadFullMapper(RedisBulkheadRuntimeConfig config) {
        this.status = config.rest().status();
    }

    @Override
    public Response toResponse(BulkheadFullException rejection) {
        return ProblemResponse.of(status,
                rejection instanceof LockNotAcquiredException ? "Locked" : "Too many concurrent executions", rejection.name(),
                detail(rejection), rejection.nearestLeaseEnd());
    }

    private static String detail(BulkheadFullException rejection) {
        if (rejection instanceof LockNotAcquiredException lock) {
            return "Lock '" + lock.lock() + "' is held by another";
        }
        if (rejection instanceof HeavyCallRejectedException heavy) {
            return heavy.isAboveLimit() ? "The limit of bulkhead '" + rejection.name() + "' is too low for this call"
                    : "Too few permits of bulkhead '" + rejection.name() + "' are free";
        }
        String whose = "of bulkhead '" + rejection.name() + "' " + (rejection.key().isPresent() ? "for this key " : "");
        return rejection.limit() == 1 ? "The only permit " + whose + "is taken"
                : "All " + rejection.limit() + " permits " + whose + "are taken";
    }
}
