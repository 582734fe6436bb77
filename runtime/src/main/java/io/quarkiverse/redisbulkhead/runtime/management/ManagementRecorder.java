package io.quarkiverse.redisbulkhead.runtime.management;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.StreamSupport;

import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.message.LogMessage;
import io.quarkus.arc.Arc;
import io.quarkus.runtime.annotations.Recorder;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;

/** Makes the routes of the management endpoint. */
@Recorder
public class ManagementRecorder {

    private static final Logger LOG = Logger.getLogger(ManagementRecorder.class);

    private static final String PATHS = ".paths";

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
        private final BiConsumer<ManagementEndpoint, RoutingContext> handler;

        Operation(String method, String path, BiConsumer<ManagementEndpoint, RoutingContext> handler) {
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

    /**
     * Answers requests.
     *
     * @param operation what to do
     * @return the handler
     */
    public Handler<RoutingContext> handler(Operation operation) {
        return ctx -> operation.handler.accept(Arc.container().instance(ManagementEndpoint.class).get(), ctx);
    }

    /**
     * Limits a route to the method of an operation. {@code PUT} reads a small body.
     *
     * @param operation what to do
     * @return changes the route
     */
    public Consumer<Route> route(Operation operation) {
        return route -> {
            route.method(HttpMethod.valueOf(operation.method));
            if (operation == Operation.RESIZE) {
                route.handler(BodyHandler.create(false).setBodyLimit(ManagementEndpoint.MOST_BYTES)).failureHandler(ctx -> {
                    if (ctx.statusCode() == 413) {
                        ManagementEndpoint.refuse(ctx, ManagementEndpoint.tooLarge());
                    } else {
                        ctx.next();
                    }
                });
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
}
