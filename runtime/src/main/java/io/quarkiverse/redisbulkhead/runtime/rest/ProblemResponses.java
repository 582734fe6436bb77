package io.quarkiverse.redisbulkhead.runtime.rest;

import java.util.OptionalLong;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.ResponseBuilder;

import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.vertx.core.json.JsonObject;

/** Rejections as {@code application/problem+json} (RFC 9457). */
@Singleton
public class ProblemResponses {

    private static final String PROBLEM_JSON = "application/problem+json";

    private final boolean exposeName;

    /**
     * Creates the bean.
     *
     * @param bulkheads says how much clients are told
     */
    @Inject
    public ProblemResponses(BulkheadRegistry bulkheads) {
        this.exposeName = bulkheads.exposesNames();
    }

    /**
     * A response.
     *
     * @param title the kind of rejection, without names
     * @param detail what happened; only where names are exposed
     * @param bulkhead its name; only where names are exposed
     * @param retryAfter seconds; empty for no such header
     */
    Response of(int status, String title, String detail, String bulkhead, OptionalLong retryAfter) {
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
