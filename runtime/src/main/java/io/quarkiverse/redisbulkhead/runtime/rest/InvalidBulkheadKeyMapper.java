package io.quarkiverse.redisbulkhead.runtime.rest;

import java.util.OptionalLong;

import jakarta.inject.Inject;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;

import io.quarkiverse.redisbulkhead.InvalidBulkheadKeyException;

/** Answers a request without a usable key: 400. A retry would not help. */
public class InvalidBulkheadKeyMapper implements ExceptionMapper<InvalidBulkheadKeyException> {

    private static final int BAD_REQUEST = 400;

    private final ProblemResponses responses;

    /**
     * Creates the mapper.
     *
     * @param responses makes the response
     */
    @Inject
    public InvalidBulkheadKeyMapper(ProblemResponses responses) {
        this.responses = responses;
    }

    @Override
    public Response toResponse(InvalidBulkheadKeyException invalid) {
        return responses.of(BAD_REQUEST, "A parameter is missing or malformed", invalid.getMessage(), invalid.name(),
                OptionalLong.empty());
    }
}
