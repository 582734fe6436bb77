package org.acme.tenants;

import java.util.Map;

import jakarta.inject.Singleton;

import io.quarkus.logging.Log;
import io.quarkus.runtime.Startup;
import io.quarkus.scheduler.Scheduled;

// tag::limits[]
@Singleton
public class TenantLimits {

    private static final int DEFAULT = 2;

    private final LimitTable table;
    private volatile Map<String, Integer> limits = Map.of();

    TenantLimits(LimitTable table) {
        this.table = table;
    }

    @Startup
    @Scheduled(every = "1m")
    void refresh() {
        try {
            limits = table.permitsByTenant();
        } catch (RuntimeException e) {
            Log.warn("The limits of tenants cannot be read. The last ones remain in force", e);
        }
    }

    public int permitsOf(String tenant) {
        return limits.getOrDefault(tenant, DEFAULT);
    }
}
// end::limits[]
