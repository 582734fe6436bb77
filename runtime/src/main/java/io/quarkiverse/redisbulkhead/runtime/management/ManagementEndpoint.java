package io.quarkiverse.redisbulkhead.runtime.management;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.logging.Logger;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.quarkiverse.redisbulkhead.runtime.message.LogMessage;
import io.quarkiverse.redisbulkhead.runtime.overview.Overview;
import io.quarkiverse.redisbulkhead.runtime.overview.Overview.Problem;
import io.quarkus.arc.Arc;
import io.quarkus.runtime.annotations.Recorder;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.auth.User;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;

/**
 * Shows all bulkheads to operators over HTTP, and lets them change them. It never blocks. Anything unknown in a request is
 * refused, so that a mistyped name is noticed. Responses are not cacheable.
 */
@Recorder
public class ManagementEndpoint {

    /** How many holders, and how many waiters, of each limit are shown unless the request says otherwise. */
    public static final int USUALLY_LISTED = 100;

    /** How many bytes a body may have. */
    private static final int MOST_BYTES = 1_024;

    private static final Logger LOG = Logger.getLogger(ManagementEndpoint.class);

    private static final String JSON = "application/json";
    private static final String NAME = "name";
    private static final String PERMITS = "permits";
    private static final String SEND = ". Send a body such as {\"permits\": 10}";
    private static final String PATHS = ".paths";
    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,6}");

    /** A request that the endpoint answers. */
    public enum Operation {
        /** Shows all bulkheads. */
        LIST("GET", "", ManagementEndpoint::show),
        /** Shows one bulkhead. */
        SHOW("GET", "/:name", ManagementEndpoint::show),
        /** Takes a permit away. */
        REVOKE("DELETE", "/:name/permits/:permitId", ManagementEndpoint::revoke),
        /** Sets a limit. */
        RESIZE("PUT", "/:name/limit", ManagementEndpoint::resize),
        /** Undoes that. */
        RESET_SIZE("DELETE", "/:name/limit", ManagementEndpoint::resetSize);

        private final String method;
        private final String path;
        private final Consumer<RoutingContext> handler;

        Operation(String method, String path, Consumer<RoutingContext> handler) {
            this.method = method;
            this.path = path;
            this.handler = handler;
        }

        /**
         * Where it is.
         *
         * @return the path below the endpoint
         */
        public String path() {
            return path;
        }

        /**
         * Whether it needs {@code management.changes-enabled}.
         *
         * @return {@code true} unless it only shows something
         */
        public boolean changes() {
            return !method.equals("GET");
        }
    }

    // ---- Routes

    /**
     * Answers requests.
     *
     * @param operation what to do
     * @return the handler
     */
    public Handler<RoutingContext> handler(Operation operation) {
        return operation.handler::accept;
    }

    /**
     * Limits a route to the method of an operation. {@code PUT} reads a body, within the bound that Quarkus has for all bodies.
     *
     * @param operation what to do
     * @return changes the route
     */
    public Consumer<Route> route(Operation operation) {
        return route -> {
            route.method(HttpMethod.valueOf(operation.method));
            if (operation == Operation.RESIZE) {
                route.handler(BodyHandler.create(false));
            }
        };
    }

    /**
     * Warns if anyone could change limits.
     *
     * @param path where the endpoint is
     * @param permissions the properties of HTTP permissions start with this
     * @param root what paths without a slash at the beginning are relative to
     * @param open why permissions have no effect; null if they do
     */
    public void warnIfOpen(String path, String permissions, String root, String open) {
        if (open != null || !isCovered(ConfigProvider.getConfig(), path, permissions, root)) {
            LOG.warn("Any client that reaches " + path + " can revoke permits and set limits:"
                    + " quarkus.redis-bulkhead.management.changes-enabled=true, and " + (open != null ? open
                            : "no " + permissions + "* covers that path and the paths below it. End its paths with /*")
                    + ". " + LogMessage.OPEN_ENDPOINT);
        }
    }

    /** Whether the paths of a permission that is enabled end with {@code /*} and include the endpoint. */
    static boolean isCovered(Config config, String path, String permissions, String root) {
        return StreamSupport.stream(config.getPropertyNames().spliterator(), false)
                .filter(property -> property.startsWith(permissions) && property.endsWith(PATHS))
                .filter(property -> config.getOptionalValue(
                        property.substring(0, property.length() - PATHS.length()) + ".enabled", Boolean.class).orElse(true))
                .flatMap(property -> config.getOptionalValues(property, String.class).orElse(List.of()).stream())
                .map(String::trim)
                .map(paths -> paths.startsWith("/") ? paths : root + (root.endsWith("/") ? "" : "/") + paths)
                .anyMatch(paths -> paths.endsWith("/*")
                        && (path + "/").startsWith(paths.substring(0, paths.length() - 1)));
    }

    // ---- Requests

    private static Overview overview() {
        return Arc.container().instance(BulkheadRegistry.class).get().overview();
    }

    /** Shows all bulkheads, or the one in the path. */
    private static void show(RoutingContext ctx) {
        answer(ctx, () -> {
            int most = most(ctx);
            String name = ctx.pathParam(NAME);
            return overview().snapshot().map(now -> name == null ? now.json(most) : now.json(name, most));
        });
    }

    private static void revoke(RoutingContext ctx) {
        String permit = ctx.pathParam("permitId");
        answer(ctx, () -> change(ctx, limit -> limit.revokeAsync(permit).invoke(revoked -> {
            if (!revoked) {
                throw new Problem(404, "Bulkhead '" + ctx.pathParam(NAME)
                        + "' has no such permit. It may have been returned, its lease may have ended,"
                        + " or the id belongs to a call that is waiting");
            }
        }), "revoked permit " + permit + " of", ""));
    }

    private static void resize(RoutingContext ctx) {
        answer(ctx, () -> {
            int permits = permits(ctx);
            return change(ctx, limit -> limit.resizeAsync(permits), "set the limit of", " to " + permits);
        });
    }

    private static void resetSize(RoutingContext ctx) {
        answer(ctx, () -> change(ctx, RedisSemaphore::resetSizeAsync, "reset the limit of", ""));
    }

    // The log has no texts of keys, which may be confidential.
    private static <T> Uni<JsonObject> change(RoutingContext ctx, Function<RedisSemaphore, Uni<T>> change, String done,
            String value) {
        Optional<String> key = query(ctx, "key");
        return overview().change(ctx.pathParam(NAME), key, change).invoke(() -> LOG.infof(
                "%s %s %s '%s'%s through the management endpoint", user(ctx), done,
                key.isPresent() ? "a key of bulkhead" : "bulkhead", ctx.pathParam(NAME), value)).replaceWith((JsonObject) null);
    }

    private static String user(RoutingContext ctx) {
        // Behind a proxy, that of the client if quarkus.http.proxy says so. Null once the connection is closed.
        SocketAddress address = ctx.request().remoteAddress();
        return Optional.ofNullable(ctx.user()).map(User::principal).map(user -> user.getString("username"))
                .filter(user -> !user.isBlank()).map(user -> "User '" + user + "'")
                .orElse("anonymous (" + (address == null ? "address unknown" : address.hostAddress()) + ")");
    }

    // ---- Query and body

    private static int most(RoutingContext ctx) {
        String most = query(ctx, "most").orElse(String.valueOf(USUALLY_LISTED));
        if (!DIGITS.matcher(most).matches() || Integer.parseInt(most) > Overview.MOST_LISTED) {
            throw new Problem(400, "The query parameter most must be a number from 0 to " + Overview.MOST_LISTED);
        }
        return Integer.parseInt(most);
    }

    /** The only allowed query parameter, which may be empty. */
    private static Optional<String> query(RoutingContext ctx, String name) {
        MultiMap values = ctx.queryParams();
        for (String present : values.names()) {
            if (!present.equals(name)) {
                throw new Problem(400, "Unknown query parameter '" + present + "'. Known: " + name);
            }
        }
        if (values.getAll(name).size() > 1) {
            throw new Problem(400, "The query parameter " + name + " is present more than once");
        }
        Optional<String> value = Optional.ofNullable(values.get(name));
        // What is not UTF-8 was replaced; it would be the key of another limit.
        if (value.isPresent() && value.get().indexOf('\uFFFD') >= 0) {
            throw new Problem(400, "The query is not UTF-8. Percent-encode names and keys, in UTF-8");
        }
        return value;
    }

    /** The limit in a body such as <code>{"permits": 10}</code>. */
    private static int permits(RoutingContext ctx) {
        String type = ctx.request().getHeader(HttpHeaders.CONTENT_TYPE);
        // Also so that a page in a browser needs the consent of this server (CORS) to send it.
        if (type == null || !JSON.equalsIgnoreCase(type.split(";", 2)[0].trim())) {
            throw new Problem(415, "The body must be JSON. Send the header Content-Type: " + JSON);
        }
        Buffer body = ctx.body().buffer();
        if (body != null && body.length() > MOST_BYTES) {
            throw new Problem(413, "The body must not be longer than " + MOST_BYTES + " bytes" + SEND);
        }
        try {
            JsonObject json = body == null ? new JsonObject() : new JsonObject(body);
            if (json.size() == 1 && json.getValue(PERMITS) instanceof Integer permits && permits >= 1) {
                return permits;
            }
        } catch (DecodeException | ClassCastException e) {
            // As for other bodies.
        }
        throw new Problem(400, "The body must be a JSON object with the member permits, a whole number from 1 to "
                + Integer.MAX_VALUE + " without quotes, and no other member" + SEND);
    }

    // ---- Responses

    private static void answer(RoutingContext ctx, Supplier<Uni<? extends JsonObject>> answer) {
        Context context = ctx.vertx().getOrCreateContext();
        Uni.createFrom().deferred(answer).emitOn(task -> context.runOnContext(now -> task.run())).subscribe()
                .with(json -> end(ctx, json == null ? 204 : 200, JSON, json), failure -> refuse(ctx, failure));
    }

    /** Responds with {@code application/problem+json} (RFC 9457), with the reason phrase of the status as title. */
    private static void refuse(RoutingContext ctx, Throwable failure) {
        Problem problem = Problem.of(failure);
        if (problem.status() == 500) {
            LOG.error("A request to the management endpoint failed. " + LogMessage.UNEXPECTED, failure);
        }
        end(ctx, problem.status(), "application/problem+json",
                new JsonObject().put("title", HttpResponseStatus.valueOf(problem.status()).reasonPhrase())
                        .put("status", problem.status()).put("detail", problem.getMessage()));
    }

    private static void end(RoutingContext ctx, int status, String type, JsonObject body) {
        HttpServerResponse response = ctx.response();
        if (response.headWritten() || response.closed()) {
            return;
        }
        response.setStatusCode(status).putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
                .putHeader("X-Content-Type-Options", "nosniff");
        if (status == 503) {
            response.putHeader(HttpHeaders.RETRY_AFTER, "1");
        }
        if (body == null) {
            response.end();
        } else {
            response.putHeader(HttpHeaders.CONTENT_TYPE, type).end(body.toBuffer());
        }
    }
}
