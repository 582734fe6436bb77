package io.quarkiverse.redisbulkhead.runtime.rest;

import jakarta.inject.Inject;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;

import io.quarkiverse.redisbulkhead.BulkheadInterruptedException;
import io.quarkiverse.redisbulkhead.LockSpec;

/** Answers a call whose thread was interrupted while it waited: 503. */
public class BulkheadInterruptedMapper implements ExceptionMapper<BulkheadInterruptedException> {

    private static final int SERVICE_UNAVAILABLE = 503;

    private final ProblemResponses responses;
    private final RetryAfter retryAfter;

    /**
     * Creates the mapper.
     *
     * @param responses makes the response
     * @param retryAfter says when to come back
     */
    @Inject
    public BulkheadInterruptedMapper(ProblemResponses responses, RetryAfter retryAfter) {
        this.responses = responses;
        this.retryAfter = retryAfter;
    }

    @Override
    public Response toResponse(BulkheadInterruptedException rejection) {
        String name = rejection.name();
        String what = name.startsWith(LockSpec.BULKHEAD_PREFIX)
                ? "lock '" + name.substring(LockSpec.BULKHEAD_PREFIX.length())
                : "bulkhead '" + name;
        return responses.of(SERVICE_UNAVAILABLE, "The call was interrupted",
                "The call was interrupted while it waited for " + what + "'", name,
                retryAfter.ofUnavailable(name));
    }
}
