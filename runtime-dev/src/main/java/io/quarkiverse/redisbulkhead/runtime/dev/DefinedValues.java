package io.quarkiverse.redisbulkhead.runtime.dev;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.EffectiveBulkhead;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.Value;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot;
import io.vertx.core.json.JsonObject;

/**
 * The values of declared bulkheads, with the source of each.
 *
 * @param definitions what is in force
 */
record DefinedValues(EffectiveDefinitions definitions) {

    /**
     * The values of one bulkhead: the {@code member} as in the configuration, the {@code value} as people write it (empty for
     * no bound), the {@code source}, which is {@code annotation}, {@code configuration} or {@code default}, and {@code where}
     * the class or method with the annotation, or the property is.
     */
    List<JsonObject> of(String name) {
        EffectiveBulkhead bulkhead = definitions.bulkheads().get(name);
        Map<String, Object> values = Snapshot.values(bulkhead);
        values.compute("max-wait", (member, inForce) -> definitions.values(name).containsKey(member) ? inForce
                : joined(definitions.annotations().of(name).stream().map(place -> Value.of(place.values(), member, inForce))));
        Duration warnAfter = BulkheadRegistry.warnAfter(name, definitions);
        values.put("warn-after", warnAfter.isZero() ? null : warnAfter);
        values.put("on-full", definitions.stated(name, "on-full")
                .orElse("scheduled runs are skipped, other calls rejected"));
        values.put("rest.retry-after", definitions.<Duration> stated(name, "rest.retry-after")
                .<Object> map(delay -> delay.isZero() ? "none" : delay).orElse("estimate"));
        return values.entrySet().stream()
                .map(member -> value(member.getKey(), text(member.getValue()), stated(bulkhead, member.getKey()))).toList();
    }

    /** What states a value; the places of those that differ. Null for a default. */
    private Value stated(EffectiveBulkhead bulkhead, String member) {
        String name = bulkhead.spec().name();
        Value one = definitions.values(name).get(member);
        if (one != null) {
            return one;
        }
        if (member.equals("local-permits")) {
            return definitions.forAll().get("instances");
        }
        if (member.equals("keep-idle") && bulkhead.spec().permits() > 1) {
            return definitions.forAll().get(member);
        }
        Stream<String> ofCalls = bulkhead.weights().entrySet().stream()
                .filter(weight -> member.equals("weight") && weight.getValue() == EffectiveBulkhead.OF_THE_CALL)
                .map(Map.Entry::getKey);
        String places = Stream.concat(definitions.annotations().of(name).stream()
                .filter(place -> place.values().containsKey(member)).map(place -> place.written().location()), ofCalls)
                .distinct().collect(Collectors.joining(", "));
        return places.isEmpty() ? null : new Value(places, null);
    }

    private static JsonObject value(String member, String text, Value stated) {
        String where = stated == null ? "" : stated.where();
        return new JsonObject().put("member", member).put("value", text).put("where", where)
                .put("source", where.isEmpty() ? "default" : stated.isConfigured() ? "configuration" : "annotation");
    }

    private static String joined(Stream<?> values) {
        return values.distinct().map(DefinedValues::text).collect(Collectors.joining(", "));
    }

    private static String text(Object value) {
        if (value instanceof Duration time) {
            return time.toMillis() % 1_000 == 0 ? time.toSeconds() + "s" : time.toMillis() + "ms";
        }
        return value instanceof Map<?, ?> ofMethods ? joined(ofMethods.values().stream())
                : value instanceof Enum<?> choice ? Snapshot.text(choice) : Objects.toString(value, "");
    }
}
