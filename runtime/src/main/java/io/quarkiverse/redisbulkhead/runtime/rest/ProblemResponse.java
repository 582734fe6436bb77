package io.quarkiverse.redisbulkhead.runtime.rest;

import java.time.Duration;

import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;

import io.vertx.core.json.JsonObject;

/** A rejection as {@code application/problem+json} (RFC 9457) with {@code Retry-After}. */
final class ProblemResponse {

    private static final String PROBLEM_JSON = "application/problem+json";

    private ProblemResponse() {
    }

    static Response of(int status, String title, String bulkhead, String detail, Duration retryAfter) {
        JsonObject problem = new JsonObject()
                .put("title", title)
                .put("status", status)
                .put("detail", detail)
                .put("bulkhead", bulkhead);
        return Response.status(status)
                .header(HttpHeaders.RETRY_AFTER, retryAfterSeconds(retryAfter))
                .type(PROBLEM_JSON)
                .entity(problem.encode())
                .build();
    }

    /** Whole seconds, rounded up, and never the zero that would make clients call again at once. */
    static long retryAfterSeconds(Duration wait) {
        long seconds = wait.getNano() > 0 ? wait.getSeconds() + 1 : wait.getSeconds();
        return Math.max(1, seconds);
    }
}
