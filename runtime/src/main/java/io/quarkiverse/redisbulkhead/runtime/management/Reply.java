package io.quarkiverse.redisbulkhead.runtime.management;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.runtime.overview.WrongTargetException;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.StoreAwayException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreContendedException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.core.Context;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

/** Answers requests: with JSON, with nothing but a status, or with a {@link Problem}. Responses are not cacheable. */
final class Reply {

    private static final Logger LOG = Logger.getLogger(Reply.class);

    private static final String JSON = "application/json";
    private static final int OK = 200;
    private static final int DONE = 204;
    private static final int UNAVAILABLE = 503;

    private Reply() {
    }

    /**
     * Answers with what comes out.
     *
     * @param ctx the request
     * @param answer may throw, or fail with, a {@link Problem}
     */
    static void json(RoutingContext ctx, Supplier<CompletionStage<JsonObject>> answer) {
        send(ctx, answer, json -> end(ctx, OK, JSON, json));
    }

    /** Answers that it is done. */
    static void done(RoutingContext ctx, Supplier<CompletionStage<Void>> change) {
        send(ctx, change, nothing -> headers(ctx, DONE).end());
    }

    /** Answers that it is not. */
    static void problem(RoutingContext ctx, Throwable failure) {
        Problem problem = problem(failure);
        if (problem.status() == UNAVAILABLE) {
            ctx.response().putHeader("Retry-After", "1");
        }
        end(ctx, problem.status(), Problem.CONTENT_TYPE, problem.json());
    }

    private static <T> void send(RoutingContext ctx, Supplier<CompletionStage<T>> answer, Consumer<T> end) {
        Context context = ctx.vertx().getOrCreateContext();
        CompletionStage<T> asked;
        try {
            asked = answer.get();
        } catch (RuntimeException e) {
            problem(ctx, e);
            return;
        }
        asked.whenComplete((value, failure) -> context.runOnContext(now -> {
            if (ctx.response().ended() || ctx.response().closed()) {
                return;
            }
            if (failure == null) {
                end.accept(value);
            } else {
                problem(ctx, failure);
            }
        }));
    }

    // The reasons of exceptions stay in the log; they may name servers.
    private static Problem problem(Throwable failure) {
        Throwable cause = Failures.cause(failure);
        if (cause instanceof Problem problem) {
            return problem;
        }
        if (cause instanceof WrongTargetException wrong) {
            return Problem.of(wrong);
        }
        if (cause instanceof BulkheadContendedException || cause instanceof StoreContendedException) {
            return Problem.unavailable("Too many are asking at the moment. Ask again");
        }
        if (cause instanceof BulkheadUnavailableException || cause instanceof StoreException) {
            boolean isAway = cause instanceof StoreAwayException || cause.getCause() instanceof StoreAwayException;
            return Problem.unavailable(isAway ? "Redis is not available. Try again later"
                    : "Redis refuses commands. The log of the application says why");
        }
        LOG.error("A request to the management endpoint failed", cause);
        return Problem.internal();
    }

    private static void end(RoutingContext ctx, int status, String type, JsonObject body) {
        headers(ctx, status).putHeader(HttpHeaders.CONTENT_TYPE, type).end(body.toBuffer());
    }

    private static HttpServerResponse headers(RoutingContext ctx, int status) {
        return ctx.response().setStatusCode(status).putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
                .putHeader("X-Content-Type-Options", "nosniff");
    }
}
