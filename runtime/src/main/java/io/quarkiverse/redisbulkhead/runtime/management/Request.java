package io.quarkiverse.redisbulkhead.runtime.management;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

/** Reads the query and the body of a request. Anything unknown is refused, so that a mistyped name is noticed. */
final class Request {

    /** How many bytes a body may have. */
    static final int MOST_BYTES = 1_024;

    private static final String NOT_UTF8 = "\uFFFD";
    private static final String NOT_UTF8_ENCODED = "%EF%BF%BD";

    private static final String JSON = "application/json";
    private static final String PERMITS = "permits";
    private static final String SEND = ". Send a body such as {\"permits\": 10}";

    private Request() {
    }

    /** The only allowed query parameter, which may be empty. */
    static Optional<String> query(RoutingContext ctx, String name) {
        MultiMap values = ctx.queryParams();
        for (String present : values.names()) {
            if (!present.equals(name)) {
                throw new Problem(400, "Unknown query parameter '" + present + "'. Known: " + name);
            }
        }
        if (values.getAll(name).size() > 1) {
            throw new Problem(400, "The query parameter " + name + " is present more than once");
        }
        if (values.contains(name) && values.get(name).contains(NOT_UTF8)
                && !ctx.request().query().toUpperCase(Locale.ROOT).contains(NOT_UTF8_ENCODED)) {
            throw new Problem(400, "The query is not UTF-8. Percent-encode names and keys, in UTF-8");
        }
        return Optional.ofNullable(values.get(name));
    }

    /** The only allowed query parameter, as a number from 0 to a bound. */
    static int query(RoutingContext ctx, String name, int otherwise, int most) {
        return query(ctx, name).map(text -> {
            try {
                int number = Integer.parseInt(text);
                if (number >= 0 && number <= most) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // The same problem as for a number that is out of range.
            }
            throw new Problem(400, "The query parameter " + name + " must be a number from 0 to " + most);
        }).orElse(otherwise);
    }

    /** The limit in a body such as <code>{"permits": 10}</code>. */
    static int permits(RoutingContext ctx) {
        requireJson(ctx.request().getHeader(HttpHeaders.CONTENT_TYPE));
        Buffer body = ctx.body().buffer();
        if (body == null || body.length() == 0) {
            throw new Problem(400, "The body is empty" + SEND);
        }
        if (body.length() > MOST_BYTES) {
            throw tooLarge();
        }
        JsonObject json = parsed(body);
        if (!json.fieldNames().equals(Set.of(PERMITS))) {
            throw new Problem(400, "The body must have the member permits and no other" + SEND);
        }
        if (json.getValue(PERMITS) instanceof Integer permits && permits >= 1) {
            return permits;
        }
        throw new Problem(400, "permits must be a whole number from 1 to " + Integer.MAX_VALUE + ", without quotes");
    }

    /** Why a longer body is not read. */
    static Problem tooLarge() {
        return new Problem(413, "The body must not be longer than " + MOST_BYTES + " bytes" + SEND);
    }

    // Also so that a page in a browser needs the consent of this server (CORS) to send it.
    private static void requireJson(String contentType) {
        String type = contentType == null ? "" : contentType.split(";", 2)[0].trim();
        if (!JSON.equalsIgnoreCase(type)) {
            throw new Problem(415, "The body must be JSON. Send the header Content-Type: " + JSON);
        }
    }

    private static JsonObject parsed(Buffer body) {
        try {
            return new JsonObject(body);
        } catch (DecodeException | ClassCastException e) {
            throw new Problem(400, "The body is not a JSON object" + SEND);
        }
    }
}
