package io.quarkiverse.redisbulkhead.runtime.rest;

import java.time.Duration;

import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;

/** Answers a call whose bulkhead could not be asked: 503. The reason stays in the log; it may name servers. */
public class BulkheadUnavailableMapper implements ExceptionMapper<BulkheadUnavailableException> {

    private static final int SERVICE_UNAVAILABLE = 503;

    @Override
    public Response toResponse(BulkheadUnavailableException rejection) {
        return ProblemResponse.of(SERVICE_UNAVAILABLE, "The limit cannot be checked", rejection.name(),
                "Bulkhead '" + rejection.name() + "' is temporarily unavailable", Duration.ofSeconds(1));
    }
}
