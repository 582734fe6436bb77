package io.quarkiverse.redisbulkhead.runtime;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadUse;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.MethodDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.EffectiveBulkhead;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.Value;
import io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead;
import io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead.DefinedValue;
import io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead.DefinedValue.Source;

/** Shows the declared bulkheads to operators, with the source of each value. */
final class DeclaredBulkheads {

    private final EffectiveDefinitions definitions;
    private final Declarations declarations;

    /**
     * @param definitions what is in force
     * @param declarations what the build found
     */
    DeclaredBulkheads(EffectiveDefinitions definitions, Declarations declarations) {
        this.definitions = definitions;
        this.declarations = declarations;
    }

    DeclaredBulkhead of(String name, boolean keyed) {
        EffectiveBulkhead bulkhead = definitions.bulkheads().get(name);
        Map<String, Value> stated = definitions.values(name);
        List<DefinedValue> values = inForce(name, bulkhead).entrySet().stream()
                .map(member -> value(member.getKey(), text(member.getValue()), stated.get(member.getKey()))).toList();
        return new DeclaredBulkhead(bulkhead.spec(), bulkhead.enabled(), keyed, values,
                definitions.annotations().locations(name), weights(name, definitions, declarations));
    }

    /** The methods that a bulkhead guards, in alphabetical order, and what each call takes. */
    static SortedMap<String, Integer> weights(String name, EffectiveDefinitions definitions, Declarations declarations) {
        SortedMap<String, Integer> weights = new TreeMap<>();
        int configured = definitions.isConfigured(name, "weight") ? definitions.bulkheads().get(name).spec().weight() : 0;
        for (MethodDeclaration method : declarations.methods()) {
            for (BulkheadUse use : method.bulkheads()) {
                if (name.equals(definitions.annotations().resolved(use.name()))) {
                    weights.put(method.label(), configured > 0 ? configured : use.weight());
                }
            }
        }
        return weights;
    }

    private Map<String, Object> inForce(String name, EffectiveBulkhead bulkhead) {
        SemaphoreSpec spec = bulkhead.spec();
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("permits", spec.permits());
        values.put("weight", ofPlaces(name, "weight", spec.weight()));
        values.put("fair", spec.fair());
        values.put("expire", spec.expire());
        values.put("max-wait", ofPlaces(name, "max-wait", spec.maxWait()));
        values.put("max-hold", spec.maxHold());
        values.put("min-hold", spec.minHold());
        values.put("keep-idle", spec.keepIdle());
        values.put("warn-after", definitions.warnAfter(name));
        values.put("on-lost", spec.onLost());
        values.put("on-full", definitions.onFull(name).<Object> map(onFull -> onFull)
                .orElse("scheduled runs are skipped, other calls rejected"));
        values.put("on-outage", spec.onOutage());
        values.put("local-permits", spec.localPermits());
        values.put("max-waiters", spec.maxWaiters());
        values.put("await-release", spec.awaitRelease());
        values.put("rest.retry-after", definitions.retryAfter(name).<Object> map(delay -> delay.isZero() ? "none" : delay)
                .orElse("estimate"));
        values.put("enabled", bulkhead.enabled());
        return values;
    }

    /** What annotations may state differently. */
    private String ofPlaces(String name, String member, Object inForce) {
        return definitions.values(name).containsKey(member) ? text(inForce)
                : definitions.annotations().of(name).stream()
                        .map(place -> place.values().containsKey(member) ? place.values().get(member).value() : inForce)
                        .distinct().map(DeclaredBulkheads::text).collect(Collectors.joining(", "));
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
        if (value instanceof OptionalInt number) {
            return number.isPresent() ? Integer.toString(number.getAsInt()) : "";
        }
        if (value instanceof Optional<?> optional) {
            return optional.map(DeclaredBulkheads::text).orElse("");
        }
        return value instanceof Enum<?> choice ? choice.name().toLowerCase(Locale.ROOT) : value.toString();
    }
}
