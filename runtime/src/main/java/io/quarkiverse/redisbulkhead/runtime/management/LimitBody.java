package io.quarkiverse.redisbulkhead.runtime.management;

import java.util.Set;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

/** The body of a request that sets a limit: <code>{"permits": 10}</code>. */
final class LimitBody {

    /** How many bytes it may have. */
    static final int MOST_BYTES = 1_024;

    private static final String JSON = "application/json";
    private static final String PERMITS = "permits";
    private static final String SEND = ". Send {\"permits\": 10}, with the limit that you want";

    private LimitBody() {
    }

    /** The limit that it says. */
    static int permits(RoutingContext ctx) {
        requireJson(ctx.request().getHeader(HttpHeaders.CONTENT_TYPE));
        Buffer body = ctx.body().buffer();
        if (body == null || body.length() == 0) {
            throw Problem.badRequest("The body is empty" + SEND);
        }
        if (body.length() > MOST_BYTES) {
            throw tooLarge();
        }
        return permits(parsed(body));
    }

    /** Why a longer one is not read. */
    static Problem tooLarge() {
        return Problem.tooLarge("The body must not be longer than " + MOST_BYTES + " bytes" + SEND);
    }

    // Also so that a page in a browser needs the consent of this server (CORS) to send it.
    private static void requireJson(String contentType) {
        String type = contentType == null ? "" : contentType.split(";", 2)[0].trim();
        if (!JSON.equalsIgnoreCase(type)) {
            throw Problem.unsupportedType("The body must be JSON. Send the header Content-Type: " + JSON);
        }
    }

    private static JsonObject parsed(Buffer body) {
        try {
            return new JsonObject(body);
        } catch (DecodeException | ClassCastException e) {
            throw Problem.badRequest("The body is no JSON object" + SEND);
        }
    }

    private static int permits(JsonObject body) {
        if (!body.fieldNames().equals(Set.of(PERMITS))) {
            throw Problem.badRequest("The body must have the member permits, and no other" + SEND);
        }
        if (body.getValue(PERMITS) instanceof Integer permits && permits >= 1) {
            return permits;
        }
        throw Problem.badRequest("permits must be a whole number from 1 to " + Integer.MAX_VALUE + ", without quotes");
    }
}
