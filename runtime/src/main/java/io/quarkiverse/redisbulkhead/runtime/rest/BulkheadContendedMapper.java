package io.quarkiverse.redisbulkhead.runtime.rest;

import java.time.Duration;

import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;

/** Answers a call that did not get its turn to ask its bulkhead: 503. */
public class BulkheadContendedMapper implements ExceptionMapper<BulkheadContendedException> {

    private static final int SERVICE_UNAVAILABLE = 503;

    @Override
    public Response toResponse(BulkheadContendedException rejection) {
        return ProblemResponse.of(SERVICE_UNAVAILABLE, "The limit cannot be checked", rejection.name(),
                "Too many are asking bulkhead '" + rejection.name() + "' at the moment", Duration.ofSeconds(1));
    }
}
