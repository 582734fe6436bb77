package io.quarkiverse.redisbulkhead.runtime.management;

import java.util.function.BiConsumer;
import java.util.function.Consumer;

import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.logging.Logger;

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

    private static final int TOO_LARGE = 413;

    /** A request that the endpoint answers. */
    public enum Operation {
        /** Shows all bulkheads. */
        LIST("GET", "", ManagementEndpoint::list),
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
                route.handler(BodyHandler.create(false).setBodyLimit(Request.MOST_BYTES))
                        .failureHandler(ManagementRecorder::tellOfTooLarge);
            }
        };
    }

    private static void tellOfTooLarge(RoutingContext ctx) {
        if (ctx.statusCode() == TOO_LARGE && !ctx.response().headWritten()) {
            Reply.problem(ctx, Request.tooLarge());
        } else {
            ctx.next();
        }
    }

    /**
     * Warns if the endpoint that changes limits looks unprotected.
     *
     * @param path where the endpoint is
     * @param group the properties that secure it start with this
     * @param root what paths without a slash at the beginning are relative to
     * @param secured whether the application has any security, and whether code may secure the path
     */
    public void warnIfOpen(String path, String group, String root, Secured secured) {
        new OpenEndpointWarning(path, group, root, secured).text(ConfigProvider.getConfig()).ifPresent(LOG::warn);
    }

    /** What may secure paths. */
    public enum Secured {
        /** Nothing. */
        NOT,
        /** Nothing, because authentication is off on the management interface. */
        NOT_ENFORCED,
        /** Permissions in the configuration. */
        BY_CONFIGURATION,
        /** Code of the application, which cannot be asked for what it secures. */
        BY_CODE
    }
}
