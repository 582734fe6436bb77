package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;

/** Annotations as the build records them. */
public final class Annotated {

    private Annotated() {
    }

    /** One annotation; null, {@link RedisBulkhead#PERMITS_UNSET} and a weight of 1 stand for what it does not state. */
    public static BulkheadDeclaration bulkhead(String location, String name, int permits, int weight, Boolean fair,
            String expire, String maxWait) {
        Map<String, String> values = new TreeMap<>();
        values.put("permits", permits == RedisBulkhead.PERMITS_UNSET ? null : Integer.toString(permits));
        values.put("weight", weight == 1 ? null : Integer.toString(weight));
        values.put("fair", fair == null ? null : fair.toString());
        values.put("expire", expire);
        values.put("max-wait", maxWait);
        values.values().removeIf(value -> value == null);
        return new BulkheadDeclaration(location, name, values, Optional.empty());
    }
}
