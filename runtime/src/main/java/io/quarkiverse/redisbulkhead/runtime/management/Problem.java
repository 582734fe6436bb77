package io.quarkiverse.redisbulkhead.runtime.management;

import io.quarkiverse.redisbulkhead.runtime.overview.WrongTargetException;
import io.vertx.core.json.JsonObject;

/** Why a request is not answered as it was meant: {@code application/problem+json} (RFC 9457). */
final class Problem extends RuntimeException {

    static final String CONTENT_TYPE = "application/problem+json";

    private static final long serialVersionUID = 1L;

    private final int status;
    private final String title;

    private Problem(int status, String title, String detail) {
        super(detail, null, false, false);
        this.status = status;
        this.title = title;
    }

    /** The request is about something that is not there, or not to be changed. */
    static Problem of(WrongTargetException wrong) {
        return switch (wrong.kind()) {
            case UNKNOWN -> notFound(wrong.getMessage());
            case LOCK -> conflict(wrong.getMessage());
            case KEY_MISSING, KEY_NEEDLESS -> badRequest(wrong.getMessage());
        };
    }

    /** The request is wrong. */
    static Problem badRequest(String detail) {
        return new Problem(400, "Bad request", detail);
    }

    /** There is no such thing. */
    static Problem notFound(String detail) {
        return new Problem(404, "Not found", detail);
    }

    /** There is such a thing, but this cannot be done to it. */
    static Problem conflict(String detail) {
        return new Problem(409, "Conflict", detail);
    }

    /** The body is too long. */
    static Problem tooLarge(String detail) {
        return new Problem(413, "Content too large", detail);
    }

    /** The body is something else than expected. */
    static Problem unsupportedType(String detail) {
        return new Problem(415, "Unsupported media type", detail);
    }

    /** Something is wrong here, and the log tells what. */
    static Problem internal() {
        return new Problem(500, "Internal error", "The request failed; the log of the application tells why");
    }

    /** Redis cannot be asked; try again. */
    static Problem unavailable(String detail) {
        return new Problem(503, "Redis cannot be asked", detail);
    }

    int status() {
        return status;
    }

    JsonObject json() {
        return new JsonObject().put("title", title).put("status", status).put("detail", getMessage());
    }
}
