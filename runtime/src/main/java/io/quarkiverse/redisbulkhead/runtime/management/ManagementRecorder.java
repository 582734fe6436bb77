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

    /**
     * Shows all bulkheads.
     *
     * @return the handler
     */
    public Handler<RoutingContext> list() {
        return handler(ManagementEndpoint::list);
    }

    /**
     * Shows one bulkhead.
     *
     * @return the handler
     */
    public Handler<RoutingContext> show() {
        return handler(ManagementEndpoint::show);
    }

    /**
     * Takes a permit away.
     *
     * @return the handler
     */
    public Handler<RoutingContext> revoke() {
        return handler(ManagementEndpoint::revoke);
    }

    /**
     * Sets a limit.
     *
     * @return the handler
     */
    public Handler<RoutingContext> resize() {
        return handler(ManagementEndpoint::resize);
    }

    /**
     * Undoes {@link #resize}.
     *
     * @return the handler
     */
    public Handler<RoutingContext> resetSize() {
        return handler(ManagementEndpoint::resetSize);
    }

    private static Handler<RoutingContext> handler(BiConsumer<ManagementEndpoint, RoutingContext> operation) {
        return ctx -> operation.accept(Arc.container().instance(ManagementEndpoint.class).get(), ctx);
    }

    /**
     * A route for one method.
     *
     * @param method its name
     * @return limits the route to it
     */
    public Consumer<Route> method(String method) {
        return route -> route.method(HttpMethod.valueOf(method));
    }

    /**
     * A route for {@code PUT}, which reads a small body.
     *
     * @return limits the route to it
     */
    public Consumer<Route> put() {
        return route -> route.method(HttpMethod.PUT)
                .handler(BodyHandler.create(false).setBodyLimit(LimitBody.MOST_BYTES))
                .failureHandler(ManagementRecorder::tellOfTooLarge);
    }

    private static void tellOfTooLarge(RoutingContext ctx) {
        if (ctx.statusCode() == TOO_LARGE && !ctx.response().headWritten()) {
            Reply.problem(ctx, LimitBody.tooLarge());
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
        new OpenEndpointWarning(path, group, secured).unlessCovered(new Permissions(ConfigProvider.getConfig(), group, root))
                .ifPresent(LOG::warn);
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
