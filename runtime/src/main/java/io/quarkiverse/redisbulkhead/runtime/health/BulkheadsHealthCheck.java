package io.quarkiverse.redisbulkhead.runtime.health;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.quarkiverse.redisbulkhead.runtime.VertxTimers;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Timers;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig.StoreKind;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.EffectiveBulkhead;
import io.quarkiverse.redisbulkhead.runtime.overview.Overview;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.smallrye.health.api.AsyncHealthCheck;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;

/**
 * Tells what each declared bulkhead does. The application is not ready while Redis is away, or refuses commands, and a
 * bulkhead rejects calls for that; where all go on, it stays ready. Any other failure is one of the check itself.
 * <p>
 * It answers within {@code command-timeout}: Redis is away for it when it has not answered by then.
 */
@Readiness
@Singleton
public class BulkheadsHealthCheck implements AsyncHealthCheck {

    /** The name of the check. */
    public static final String NAME = "Redis bulkheads";

    // A pause of this process is one of them, and no silence of Redis: its answer is read before they are over.
    private static final int PARTS_OF_TIMEOUT = 10;

    private final Overview overview;
    private final StoreKind store;
    private final Duration timeout;
    private final Timers timers;

    /**
     * Asks nothing yet.
     *
     * @param registry knows the bulkheads
     * @param buildTimeConfig says which store
     * @param config says after what time Redis is away
     * @param vertx runs timers
     */
    @Inject
    public BulkheadsHealthCheck(BulkheadRegistry registry, RedisBulkheadBuildTimeConfig buildTimeConfig,
            RedisBulkheadRuntimeConfig config, Vertx vertx) {
        this(registry.overview(), buildTimeConfig.store(), config.commandTimeout(), new VertxTimers(vertx));
    }

    BulkheadsHealthCheck(Overview overview, StoreKind store, Duration timeout, Timers timers) {
        this.overview = overview;
        this.store = store;
        this.timeout = timeout;
        this.timers = timers;
    }

    @Override
    public Uni<HealthCheckResponse> call() {
        return Uni.createFrom().completionStage(this::redis).map(this::response);
    }

    /** How Redis is; fails when that cannot be told. */
    CompletableFuture<RedisState> redis() {
        if (!store.needsRedis()) {
            return CompletableFuture.completedFuture(RedisState.NOT_NEEDED);
        }
        CompletableFuture<RedisState> state = new CompletableFuture<>();
        ask(state);
        giveUpAfter(PARTS_OF_TIMEOUT, state);
        return state;
    }

    // A connection that was lost, or a failover, is no answer: the check asks again until its time is over.
    private void ask(CompletableFuture<RedisState> state) {
        overview.ask().whenComplete((answer, failure) -> {
            Throwable cause = Failures.cause(failure);
            if (cause == null) {
                state.complete(RedisState.ANSWERS);
            } else if (!(cause instanceof StoreException known)) {
                state.completeExceptionally(cause);
            } else {
                switch (known.kind()) {
                    case CONTENDED -> state.complete(RedisState.ANSWERS);
                    case AWAY -> state.complete(RedisState.AWAY);
                    case TRANSIENT -> {
                        if (!state.isDone()) {
                            timers.after(timeout.dividedBy(PARTS_OF_TIMEOUT), () -> ask(state));
                        }
                    }
                    case REFUSED -> state.complete(RedisState.REFUSES);
                }
            }
        });
    }

    private void giveUpAfter(int parts, CompletableFuture<RedisState> state) {
        if (parts == 0) {
            state.complete(RedisState.AWAY);
        } else if (!state.isDone()) {
            timers.after(timeout.dividedBy(PARTS_OF_TIMEOUT), () -> giveUpAfter(parts - 1, state));
        }
    }

    private HealthCheckResponse response(RedisState redis) {
        HealthCheckResponseBuilder response = HealthCheckResponse.named(NAME)
                .withData("store", store.name().toLowerCase(Locale.ROOT)).withData("redis", redis.text);
        boolean ready = true;
        for (EffectiveBulkhead bulkhead : overview.declared().values()) {
            boolean isRejecting = bulkhead.enabled() && redis.isOutage() && bulkhead.spec().onOutage() == OnOutage.REJECT;
            response.withData("bulkhead." + bulkhead.spec().name(), behaviour(bulkhead, redis));
            ready &= !isRejecting;
        }
        return response.status(ready).build();
    }

    private static String behaviour(EffectiveBulkhead bulkhead, RedisState redis) {
        if (!bulkhead.enabled()) {
            return "disabled, so calls run without a limit";
        }
        if (!redis.isOutage()) {
            return redis == RedisState.ANSWERS ? "limited in Redis" : "limited in this process";
        }
        return switch (bulkhead.spec().onOutage()) {
            case REJECT -> "calls are rejected (on-outage=reject)";
            case ALLOW -> "calls run without a limit (on-outage=allow)";
            case LOCAL -> "limit of this process" + (bulkhead.keyed() ? " for each key: " : ": ")
                    + bulkhead.spec().localPermits() + " (on-outage=local)";
        };
    }

    /** How Redis is. */
    enum RedisState {

        ANSWERS("answers"),
        /** Nothing but transient failures has come from it for the command timeout. */
        AWAY("away"),
        /** For example because of a password or a missing right. */
        REFUSES("refuses commands; the log says why"),
        /** Permits live in this process. */
        NOT_NEEDED("not needed");

        private final String text;

        RedisState(String text) {
            this.text = text;
        }

        boolean isOutage() {
            return this == AWAY || this == REFUSES;
        }
    }
}
