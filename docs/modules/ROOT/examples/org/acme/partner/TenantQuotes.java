package org.acme.partner;

import java.math.BigDecimal;
import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;

/** Asks a partner for prices: with a limit for all tenants, one for each, a bound on waiting calls, and one deadline. */
@ApplicationScoped
public class TenantQuotes {

    private final RedisBulkheads bulkheads;
    private final Partner partner;

    TenantQuotes(RedisBulkheads bulkheads, Partner partner) {
        this.bulkheads = bulkheads;
        this.partner = partner;
    }

    // tag::permits[]
    static final SemaphoreSpec WAITING = SemaphoreSpec.named("partner-waiting").permits(20).build();
    static final SemaphoreSpec OF_TENANT = SemaphoreSpec.named("partner-of-tenant").permits(2).fair(true).build();
    static final SemaphoreSpec TOTAL = SemaphoreSpec.named("partner").permits(10).fair(true).build();
    static final Duration PATIENCE = Duration.ofSeconds(2);

    public BigDecimal price(String tenant, String article) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        RedisSemaphore tenantLimit = bulkheads.semaphore(OF_TENANT).forKey(tenant, isPremium(tenant) ? 6 : 2);
        try (Permit waiting = bulkheads.semaphore(WAITING).forKey(tenant).acquire(Duration.ZERO);
                Permit ofTenant = tenantLimit.acquire(PATIENCE);
                Permit ofAll = bulkheads.semaphore(TOTAL).acquire(until(deadline))) {
            waiting.close(); // has waited
            return partner.price(article);
        }
    }

    private static Duration until(long deadline) {
        return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }
    // end::permits[]

    private static boolean isPremium(String tenant) {
        return tenant.startsWith("premium");
    }
}
