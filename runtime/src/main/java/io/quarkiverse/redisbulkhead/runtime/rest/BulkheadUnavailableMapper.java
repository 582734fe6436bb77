package io.quarkiverse.redisbulkhead.runtime.rest;

import jakarta.inject.Inject;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;

/** Answers a call whose bulkhead could not be asked: 503. The reason stays in the log; it may name servers. */
public class BulkheadUnavailableMapper implements ExceptionMapper<BulkheadUnavailableException> {

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
    public BulkheadUnavailableMapper(ProblemResponses responses, RetryAfter retryAfter) {
        this.responses = responses;
        this.retryAfter = retryAfter;
    }

    @Override
    public Response toResponse(BulkheadUnavailableException rejection) {
        return responses.of(SERVICE_UNAVAILABLE, "The limit cannot be checked",
                "Bulkhead '" + rejection.name() + "' is temporarily unavailable", rejection.name(),
                retryAfter.ofUnavailable(rejection.name()));
    }
}
