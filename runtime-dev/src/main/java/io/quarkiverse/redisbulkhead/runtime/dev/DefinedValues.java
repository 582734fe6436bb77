package io.quarkiverse.redisbulkhead.runtime.dev;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.EffectiveBulkhead;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.Value;
import io.quarkiverse.redisbulkhead.runtime.dev.DefinedValues.DefinedValue.Source;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot;

/**
 * The values of declared bulkheads, with the source of each.
 *
 * @param definitions what is in force
 */
record DefinedValues(EffectiveDefinitions definitions) {

    /**
     * One value of the definition of a bulkhead, and where it comes from.
     *
     * @param member as the property of a single bulkhead is called, for example {@code max-wait}
     * @param value as people write it, or what happens by default; empty for no bound
     * @param source what states it
     * @param where the class or method that carries the annotation, or the property; empty for defaults
     */
    record DefinedValue(String member, String value, Source source, String where) {

        /** What states a value. */
        enum Source {
            /** {@link io.quarkiverse.redisbulkhead.RedisBulkhead}. */
            ANNOTATION,
            /** A property. */
            CONFIGURATION,
            /** Nothing. */
            DEFAULT
        }
    }

    List<DefinedValue> of(String name) {
        SortedMap<String, Integer> weights = definitions.bulkheads().get(name).weights();
        return inForce(name, definitions.bulkheads().get(name), weights).entrySet().stream()
                .map(member -> value(member.getKey(), text(member.getValue()), stated(name, member.getKey(), weights)))
                .toList();
    }

    private Map<String, Object> inForce(String name, EffectiveBulkhead bulkhead, SortedMap<String, Integer> weights) {
        SemaphoreSpec spec = bulkhead.spec();
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("permits", spec.permits());
        values.put("weight", weights.isEmpty() ? spec.weight()
                : weights.values().stream().distinct().map(Snapshot::weight).map(Object::toString)
                        .collect(Collectors.joining(", ")));
        values.put("fair", spec.fair());
        values.put("expire", spec.expire());
        values.put("max-wait", waits(name, spec.maxWait()));
        values.put("max-hold", spec.maxHold().orElse(null));
        values.put("min-hold", spec.minHold());
        values.put("keep-idle", spec.keepIdle());
        Duration warnAfter = BulkheadRegistry.warnAfter(name, definitions);
        values.put("warn-after", warnAfter.isZero() ? null : warnAfter);
        values.put("on-lost", spec.onLost());
        values.put("on-full", definitions.onFull(name).<Object> map(onFull -> onFull)
                .orElse("scheduled runs are skipped, other calls rejected"));
        values.put("on-outage", spec.onOutage());
        values.put("local-permits", spec.localPermits());
        values.put("max-waiters", spec.maxWaiters().isPresent() ? spec.maxWaiters().getAsInt() : null);
        values.put("await-release", spec.awaitRelease());
        values.put("rest.retry-after", definitions.retryAfter(name).<Object> map(delay -> delay.isZero() ? "none" : delay)
                .orElse("estimate"));
        values.put("enabled", bulkhead.enabled());
        return values;
    }

    /** What annotations may state differently. */
    private String waits(String name, Duration inForce) {
        return definitions.values(name).containsKey("max-wait") ? text(inForce)
                : definitions.annotations().of(name).stream()
                        .map(place -> Value.of(place.values(), "max-wait", inForce)).distinct().map(DefinedValues::text)
                        .collect(Collectors.joining(", "));
    }

    /** What states a value; the places of those that differ. Null for a default. */
    private Value stated(String name, String member, SortedMap<String, Integer> weights) {
        Value one = definitions.values(name).get(member);
        if (one != null) {
            return one;
        }
        if (member.equals("local-permits")) {
            return definitions.forAll().get("instances");
        }
        if (member.equals("keep-idle") && definitions.bulkheads().get(name).spec().permits() > 1) {
            return definitions.forAll().get(member);
        }
        Stream<String> ofCalls = weights.keySet().stream()
                .filter(method -> member.equals("weight") && weights.get(method) == EffectiveBulkhead.OF_THE_CALL);
        String places = Stream.concat(definitions.annotations().of(name).stream()
                .filter(place -> place.values().containsKey(member)).map(place -> place.written().location()), ofCalls)
                .distinct().collect(Collectors.joining(", "));
        return places.isEmpty() ? null : new Value(places, null);
    }

    private static DefinedValue value(String member, String text, Value stated) {
        return stated == null || stated.where().isEmpty() ? new DefinedValue(member, text, Source.DEFAULT, "")
                : new DefinedValue(member, text, stated.isConfigured() ? Source.CONFIGURATION : Source.ANNOTATION,
                        stated.where());
    }

    private static String text(Object value) {
        if (value instanceof Duration time) {
            return time.toMillis() % 1_000 == 0 ? time.toSeconds() + "s" : time.toMillis() + "ms";
        }
        return value instanceof Enum<?> choice ? choice.name().toLowerCase(Locale.ROOT) : Objects.toString(value, "");
    }
}
