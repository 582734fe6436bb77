package io.quarkiverse.redisbulkhead.runtime.rest;

import jakarta.inject.Inject;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;

/** Answers a call that did not get its turn to ask its bulkhead: 503. */
public class BulkheadContendedMapper implements ExceptionMapper<BulkheadContendedException> {

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
    public BulkheadContendedMapper(ProblemResponses responses, RetryAfter retryAfter) {
        this.responses = responses;
        this.retryAfter = retryAfter;
    }

    @Override
    public Response toResponse(BulkheadContendedException rejection) {
        return responses.of(SERVICE_UNAVAILABLE, "The limit cannot be checked",
                "Too many are asking bulkhead '" + rejection.name() + "' at the moment", rejection.name(),
                retryAfter.ofUnavailable(rejection.name()));
    }
}
