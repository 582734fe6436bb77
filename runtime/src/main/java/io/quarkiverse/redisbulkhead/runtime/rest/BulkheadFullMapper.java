package io.quarkiverse.redisbulkhead.runtime.rest;

import jakarta.inject.Inject;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.LockNotAcquiredException;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HeavyCallRejectedException;
import io.quarkiverse.redisbulkhead.runtime.semaphore.NestedCallRejectedException;

/** Answers a call that found its bulkhead full: 429, or what {@code quarkus.redis-bulkhead.rest.status} says. */
public class BulkheadFullMapper implements ExceptionMapper<BulkheadFullException> {

    private final int status;
    private final ProblemResponses responses;
    private final RetryAfter retryAfter;

    /**
     * Creates the mapper.
     *
     * @param config tells the status
     * @param responses makes the response
     * @param retryAfter says when to come back
     */
    @Inject
    public BulkheadFullMapper(RedisBulkheadRuntimeConfig config, ProblemResponses responses, RetryAfter retryAfter) {
        this.status = config.rest().status();
        this.responses = responses;
        this.retryAfter = retryAfter;
    }

    @Override
    public Response toResponse(BulkheadFullException rejection) {
        return responses.of(status,
                rejection instanceof LockNotAcquiredException ? "Locked" : "Too many concurrent executions",
                detail(rejection), rejection.name(), retryAfter.of(rejection));
    }

    private static String detail(BulkheadFullException rejection) {
        if (NestedCallRejectedException.isReasonOf(rejection)) {
            return "The call would wait for " + (rejection instanceof LockNotAcquiredException lock ? "lock '" + lock.lock()
                    : "permits of bulkhead '" + rejection.name()) + "', which this request itself holds";
        }
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
