package io.quarkiverse.redisbulkhead.runtime.management;

import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.runtime.overview.WrongTargetException;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

/** Responses: JSON, only a status, or a {@link Problem}. They are not cacheable. */
final class Reply {

    private static final Logger LOG = Logger.getLogger(Reply.class);

    private static final String JSON = "application/json";
    private static final String PROBLEM_JSON = "application/problem+json";
    private static final int OK = 200;
    private static final int DONE = 204;
    private static final int UNAVAILABLE = 503;

    private Reply() {
    }

    /**
     * Responds with the item.
     *
     * @param ctx the request
     * @param answer may throw, or fail with, a {@link Problem}
     */
    static void json(RoutingContext ctx, Supplier<Uni<? extends JsonObject>> answer) {
        send(ctx, answer, json -> end(ctx, OK, JSON, json));
    }

    /** Responds without a body. */
    static void done(RoutingContext ctx, Supplier<Uni<?>> change) {
        send(ctx, change, nothing -> headers(ctx, DONE).end());
    }

    private static <T> void send(RoutingContext ctx, Supplier<Uni<? extends T>> answer, Consumer<? super T> end) {
        Context context = ctx.vertx().getOrCreateContext();
        Uni.createFrom().deferred(answer).emitOn(task -> context.runOnContext(now -> task.run()))
                .subscribe().with(item -> unlessEnded(ctx, () -> end.accept(item)),
                        failure -> unlessEnded(ctx, () -> problem(ctx, failure)));
    }

    private static void unlessEnded(RoutingContext ctx, Runnable end) {
        if (!ctx.response().ended() && !ctx.response().closed()) {
            end.run();
        }
    }

    /** Responds with the reason of a failure. */
    static void problem(RoutingContext ctx, Throwable failure) {
        Problem problem = problem(failure);
        if (problem.status() == UNAVAILABLE) {
            ctx.response().putHeader(HttpHeaders.RETRY_AFTER, "1");
        }
        end(ctx, problem.status(), PROBLEM_JSON, problem.json());
    }

    // The reasons of exceptions stay in the log; they may name servers.
    private static Problem problem(Throwable failure) {
        Throwable cause = Failures.cause(failure);
        if (cause instanceof Problem problem) {
            return problem;
        }
        if (cause instanceof WrongTargetException wrong) {
            return new Problem(switch (wrong.kind()) {
                case UNKNOWN -> 404;
                case LOCK -> 409;
                case KEY_MISSING, KEY_NEEDLESS -> 400;
            }, wrong.getMessage());
        }
        if (cause instanceof BulkheadContendedException || StoreException.is(cause, Kind.CONTENDED)) {
            return new Problem(UNAVAILABLE, "Too many operations compete. Try again");
        }
        if (cause instanceof BulkheadUnavailableException || cause instanceof StoreException) {
            boolean isAway = StoreException.is(cause, Kind.AWAY) || StoreException.is(cause.getCause(), Kind.AWAY);
            return new Problem(UNAVAILABLE, isAway ? "Redis is not available. Try again later"
                    : "Redis refused the command. See the log of the application");
        }
        LOG.error("A request to the management endpoint failed", cause);
        return new Problem(500, "The request failed. See the log of the application");
    }

    private static void end(RoutingContext ctx, int status, String type, JsonObject body) {
        headers(ctx, status).putHeader(HttpHeaders.CONTENT_TYPE, type).end(body.toBuffer());
    }

    private static HttpServerResponse headers(RoutingContext ctx, int status) {
        return ctx.response().setStatusCode(status).putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
                .putHeader("X-Content-Type-Options", "nosniff");
    }
}
