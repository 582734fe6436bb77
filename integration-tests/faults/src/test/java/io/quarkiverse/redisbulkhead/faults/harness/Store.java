package io.quarkiverse.redisbulkhead.faults.harness;

import java.util.Locale;

/** The stores that keep permits in Redis. */
public enum Store {

    SCRIPT,
    LOCK;

    /** The value of {@code quarkus.redis-bulkhead.store}. */
    public String configured() {
        return name().toLowerCase(Locale.ROOT);
    }
}
