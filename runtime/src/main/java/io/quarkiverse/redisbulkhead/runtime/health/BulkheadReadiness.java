package io.quarkiverse.redisbulkhead.runtime.health;

import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead;

/**
 * What a bulkhead does at this moment.
 *
 * @param ready whether calls are served
 * @param text as operators read it
 */
record BulkheadReadiness(boolean ready, String text) {

    static BulkheadReadiness of(DeclaredBulkhead bulkhead, RedisState redis) {
        if (!bulkhead.enabled()) {
            return new BulkheadReadiness(true, "disabled, so calls run without a limit");
        }
        return switch (redis) {
            case NOT_NEEDED -> new BulkheadReadiness(true, "limited in this process");
            case ANSWERS -> new BulkheadReadiness(true, "limited in Redis");
            case AWAY, REFUSES -> duringOutage(bulkhead);
        };
    }

    private static BulkheadReadiness duringOutage(DeclaredBulkhead bulkhead) {
        OnOutage policy = bulkhead.spec().onOutage();
        return switch (policy) {
            case REJECT -> new BulkheadReadiness(false, "calls are rejected (on-outage=reject)");
            case ALLOW -> new BulkheadReadiness(true, "calls run without a limit (on-outage=allow)");
            case LOCAL -> new BulkheadReadiness(true, "limit of this process" + (bulkhead.keyed() ? " for each key: " : ": ")
                    + bulkhead.spec().localPermits() + " (on-outage=local)");
        };
    }
}
