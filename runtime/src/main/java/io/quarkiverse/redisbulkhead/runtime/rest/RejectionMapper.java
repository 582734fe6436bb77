package io.quarkiverse.redisbulkhead.runtime.rest;

import jakarta.inject.Inject;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.ResponseBuilder;
import jakarta.ws.rs.core.Response.Status;
import jakarta.ws.rs.ext.ExceptionMapper;

import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.rest.Rejections.Rejection;
import io.vertx.core.json.JsonObject;

/**
 * Answers rejected calls with {@code application/problem+json} (RFC 9457). The build registers it for each of their exceptions.
 */
public class RejectionMapper implements ExceptionMapper<RuntimeException> {

    private static final String PROBLEM_JSON = "application/problem+json";

    private final int statusWhenFull;
    private final boolean exposeName;
    private final Rejections rejections;

    /**
     * Creates the mapper.
     *
     * @param config tells the status, and how much clients are told
     * @param rejections what they may be told
     */
    @Inject
    public RejectionMapper(RedisBulkheadRuntimeConfig config, Rejections rejections) {
        this.statusWhenFull = config.rest().status();
        this.exposeName = config.rest().exposeName();
        this.rejections = rejections;
    }

    @Override
    public Response toResponse(RuntimeException failure) {
        Rejection rejection = rejections.of(failure).orElseThrow();
        int status = switch (rejection.kind()) {
            case FULL -> statusWhenFull;
            case UNAVAILABLE -> Status.SERVICE_UNAVAILABLE.getStatusCode();
            case INVALID_KEY -> Status.BAD_REQUEST.getStatusCode();
        };
        JsonObject problem = new JsonObject().put("type", "about:blank").put("title", rejection.title()).put("status", status);
        if (exposeName) {
            problem.put("detail", rejection.detail()).put("bulkhead", rejection.bulkhead());
        }
        ResponseBuilder response = Response.status(status).type(PROBLEM_JSON);
        rejection.retryAfter().ifPresent(seconds -> {
            problem.put("retry-after", seconds);
            response.header(HttpHeaders.RETRY_AFTER, seconds);
        });
        return response.entity(problem.encode()).build();
    }
}
