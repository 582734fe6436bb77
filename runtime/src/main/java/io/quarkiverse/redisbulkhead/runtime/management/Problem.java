package io.quarkiverse.redisbulkhead.runtime.management;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.vertx.core.json.JsonObject;

/** Why a request fails: {@code application/problem+json} (RFC 9457), with the reason phrase of the status as title. */
final class Problem extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;

    Problem(int status, String detail) {
        super(detail, null, false, false);
        this.status = status;
    }

    int status() {
        return status;
    }

    JsonObject json() {
        return new JsonObject().put("title", HttpResponseStatus.valueOf(status).reasonPhrase()).put("status", status)
                .put("detail", getMessage());
    }
}
