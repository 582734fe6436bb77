package io.quarkiverse.redisbulkhead.runtime.rest;

import java.util.OptionalLong;

import jakarta.inject.Inject;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.ResponseBuilder;
import jakarta.ws.rs.core.Response.Status;
import jakarta.ws.rs.ext.ExceptionMapper;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.InvalidBulkheadKeyException;
import io.quarkiverse.redisbulkhead.LockNotAcquiredException;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException.Reason;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;
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
                detail(failure, rejection.bulkhead()), rejection.bulkhead(), rejection.retryAfter()))
                // A retry would not help.
                .orElseGet(() -> response(Status.BAD_REQUEST.getStatusCode(), "A parameter is missing or malformed",
                        failure.getMessage(), ((InvalidBulkheadKeyException) failure).name(), OptionalLong.empty()));
    }

    private static String detail(RuntimeException failure, String bulkhead) {
        if (failure instanceof BulkheadFullException full) {
            return detail(full);
        }
        if (failure instanceof BulkheadUnavailableException) {
            // The reason stays in the log; it may name servers.
            return "Bulkhead '" + bulkhead + "' is temporarily unavailable";
        }
        return failure instanceof BulkheadContendedException
                ? "Too many requests are competing for bulkhead '" + bulkhead + "'"
                : "The call was interrupted while it waited for " + Texts.bulkheadOrLock(bulkhead);
    }

    private static String detail(BulkheadFullException rejection) {
        Reason reason = CallRejectedException.reasonOf(rejection);
        if (reason == Reason.NESTED) {
            return "The call would wait for " + (rejection instanceof LockNotAcquiredException lock ? "lock '" + lock.lock()
                    : "permits of bulkhead '" + rejection.name()) + "', which this request itself holds";
        }
        if (rejection instanceof LockNotAcquiredException lock) {
            return "Lock '" + lock.lock() + "' is held by another";
        }
        if (reason == Reason.ABOVE_LIMIT) {
            return "The limit of bulkhead '" + rejection.name() + "' is too low for this call";
        }
        if (reason == Reason.TOO_FEW) {
            return "Too few permits of bulkhead '" + rejection.name() + "' are free";
        }
        String whose = "of bulkhead '" + rejection.name() + "' " + (rejection.key().isPresent() ? "for this key " : "");
        return rejection.limit() == 1 ? "The only permit " + whose + "is taken"
                : "All " + rejection.limit() + " permits " + whose + "are taken";
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
