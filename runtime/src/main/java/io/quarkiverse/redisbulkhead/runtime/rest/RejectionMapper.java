package io.quarkiverse.redisbulkhead.runtime.rest;

import java.util.OptionalLong;

import jakarta.inject.Inject;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.ResponseBuilder;
import jakarta.ws.rs.core.Response.Status;
import jakarta.ws.rs.ext.ExceptionMapper;

import io.quarkiverse.redisbulkhead.InvalidBulkheadKeyException;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.vertx.core.json.JsonObject;

/**
 * Answers rejected calls with {@code application/problem+json} (RFC 9457). The build registers it for each of their exceptions.
 */
public class RejectionMapper implements ExceptionMapper<RuntimeException> {

    private static final String PROBLEM_JSON = "application/problem+json";

    private final int statusWhenFull;
    private final boolean exposeName;
    private final RetryAfter retryAfter;

    /**
     * Creates the mapper.
     *
     * @param config tells the status, and how much clients are told
     * @param retryAfter says when to come back
     */
    @Inject
    public RejectionMapper(RedisBulkheadRuntimeConfig config, RetryAfter retryAfter) {
        this.statusWhenFull = config.rest().status();
        this.exposeName = config.rest().exposeName();
        this.retryAfter = retryAfter;
    }

    @Override
    public Response toResponse(RuntimeException failure) {
        return Rejection.of(failure, retryAfter).map(rejection -> response(
                rejection.isFull() ? statusWhenFull : Status.SERVICE_UNAVAILABLE.getStatusCode(), rejection.title(),
                rejection.detail(), rejection.bulkhead(), rejection.retryAfter()))
                // A retry would not help.
                .orElseGet(() -> response(Status.BAD_REQUEST.getStatusCode(), "A parameter is missing or malformed",
                        failure.getMessage(), ((InvalidBulkheadKeyException) failure).name(), OptionalLong.empty()));
    }

    /** The detail and the bulkhead are for clients that may see names, the title for all. */
    private Response response(int status, String title, String detail, String bulkhead, OptionalLong retryAfter) {
        JsonObject problem = new JsonObject().put("type", "about:blank").put("title", title).put("status", status);
        if (exposeName) {
            problem.put("detail", detail).put("bulkhead", bulkhead);
        }
        ResponseBuilder response = Response.status(status).type(PROBLEM_JSON);
        retryAfter.ifPresent(seconds -> {
            problem.put("retry-after", seconds);
            response.header(HttpHeaders.RETRY_AFTER, seconds);
        });
        return response.entity(problem.encode()).build();
    }
}
