package io.quarkiverse.redisbulkhead.runtime.overview;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.vertx.core.json.JsonObject;

/**
 * A bulkhead that this application defines, as it is in force.
 *
 * @param spec the definition
 * @param enabled whether it limits anything
 * @param keyed whether it has one limit for each key
 * @param places the classes and methods that carry its annotations
 * @param weights the methods that it guards, as {@code Class#method}, in alphabetical order, and how much of the limit a call
 *        of each takes: a number, or {@link #OF_THE_CALL}
 */
public record DeclaredBulkhead(SemaphoreSpec spec, boolean enabled, boolean keyed, List<String> places,
        SortedMap<String, Integer> weights) {

    /** Each call states its weight ({@link io.quarkiverse.redisbulkhead.BulkheadWeight}). */
    public static final int OF_THE_CALL = 0;

    /** Copies the collections. */
    public DeclaredBulkhead {
        places = List.copyOf(places);
        weights = new TreeMap<>(weights);
    }

    /**
     * The bulkhead.
     *
     * @return its name
     */
    public String name() {
        return spec.name();
    }

    /**
     * The methods that it guards.
     *
     * @return as {@code Class#method}, in alphabetical order
     */
    public List<String> methods() {
        return List.copyOf(weights.keySet());
    }

    /**
     * A weight as operators see it.
     *
     * @param weight one of {@link #weights}
     * @return the number, or a text
     */
    public static Object shown(int weight) {
        return weight == OF_THE_CALL ? "of the call" : (Object) weight;
    }

    /** The values in force. {@code weight} is a number or {@code of the call}, or one for each method if they differ. */
    JsonObject json() {
        Map<String, Object> shown = new TreeMap<>();
        weights.forEach((method, weight) -> shown.put(method, shown(weight)));
        Set<Object> different = new HashSet<>(shown.values());
        JsonObject json = new JsonObject()
                .put("enabled", enabled)
                .put("permits", spec.permits())
                .put("weight", different.isEmpty() ? spec.weight()
                        : different.size() == 1 ? different.iterator().next() : new JsonObject(shown))
                .put("fair", spec.fair())
                .put("expire", spec.expire().toString())
                .put("maxWait", spec.maxWait().toString());
        spec.maxHold().ifPresent(bound -> json.put("maxHold", bound.toString()));
        json.put("minHold", spec.minHold().toString()).put("keepIdle", spec.keepIdle().toString());
        spec.maxWaiters().ifPresent(bound -> json.put("maxWaiters", bound));
        return json.put("onLost", Snapshot.text(spec.onLost()))
                .put("onOutage", Snapshot.text(spec.onOutage()))
                .put("localPermits", spec.localPermits())
                .put("awaitRelease", spec.awaitRelease());
    }
}
