package io.quarkiverse.redisbulkhead.runtime.health;

import java.util.Locale;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.StoreKind;
import io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead;
import io.quarkiverse.redisbulkhead.runtime.overview.Overview;
import io.smallrye.health.api.AsyncHealthCheck;
import io.smallrye.mutiny.Uni;

/**
 * Tells what each declared bulkhead does. The application is not ready while Redis gives no answer and a bulkhead rejects
 * calls for that; where all go on, it stays ready.
 */
@Readiness
@Singleton
public class BulkheadsHealthCheck implements AsyncHealthCheck {

    /** The name of the check. */
    public static final String NAME = "Redis bulkheads";

    private final Overview overview;
    private final StoreKind store;

    /**
     * Asks nothing yet.
     *
     * @param registry knows the bulkheads
     * @param buildTimeConfig says which store
     */
    @Inject
    public BulkheadsHealthCheck(BulkheadRegistry registry, RedisBulkheadBuildTimeConfig buildTimeConfig) {
        this.overview = registry.overview();
        this.store = buildTimeConfig.store();
    }

    @Override
    public Uni<HealthCheckResponse> call() {
        return store.needsRedis()
                ? Uni.createFrom().completionStage(overview::ask).replaceWith(RedisState.ANSWERS)
                        .onFailure().recoverWithItem(RedisState.AWAY).map(this::response)
                : Uni.createFrom().item(() -> response(RedisState.NOT_NEEDED));
    }

    private HealthCheckResponse response(RedisState redis) {
        HealthCheckResponseBuilder response = HealthCheckResponse.named(NAME)
                .withData("store", store.name().toLowerCase(Locale.ROOT)).withData("redis", redis.text());
        boolean ready = true;
        for (DeclaredBulkhead bulkhead : overview.declared()) {
            BulkheadReadiness state = BulkheadReadiness.of(bulkhead, redis);
            response.withData("bulkhead." + bulkhead.name(), state.text());
            ready &= state.ready();
        }
        return response.status(ready).build();
    }
}
