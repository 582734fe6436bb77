package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.List;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.runtime.GuardedBulkhead;
import io.quarkiverse.redisbulkhead.runtime.KeyOrigin;

/** Bulkheads that are one limit for all calls. */
final class Unkeyed {

    private Unkeyed() {
    }

    static List<GuardedBulkhead> bulkheads(String... names) {
        return Stream.of(names).map(name -> new GuardedBulkhead(name, 1, new KeyOrigin.None())).toList();
    }
}
