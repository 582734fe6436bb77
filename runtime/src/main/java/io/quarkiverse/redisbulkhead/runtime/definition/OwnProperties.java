package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.Map;
import java.util.Set;

/** The properties of the extension, below its prefix. */
public final class OwnProperties {

    static final Set<String> SINGLE = Set.of("enabled", "store", "redis-client", "key-prefix", "command-timeout", "on-outage",
            "instances", "max-blocked-threads", "await-release");

    static final Map<String, Set<String>> GROUPS = Map.of(
            "rest", Set.of("status"),
            "lock", Set.of("acquire-timeout", "lock-timeout"),
            "lock-store", Set.of("step-timeout", "contention-timeout"),
            "metrics", Set.of("enabled", "cluster-interval", "key-tag"),
            "tracing", Set.of("enabled", "key-attribute"),
            "devservices", Set.of("enabled"),
            "management", Set.of("enabled", "changes-enabled"),
            "health", Set.of("enabled"));

    static final Set<String> OF_ONE_LOCK = Set.of("acquire-timeout", "lock-timeout", "min-hold", "fair");

    /** Those of one bulkhead. */
    public static final Set<String> OF_ONE_BULKHEAD = Set.of("enabled", "permits", "weight", "fair", "expire", "max-wait",
            "max-hold", "min-hold", "on-lost", "on-outage", "local-permits", "max-waiters", "await-release");

    private OwnProperties() {
    }

    /** Whether a property or a group of properties has this name, so that no bulkhead can have it. */
    static boolean isReserved(String name) {
        return SINGLE.contains(name) || GROUPS.containsKey(name);
    }
}
