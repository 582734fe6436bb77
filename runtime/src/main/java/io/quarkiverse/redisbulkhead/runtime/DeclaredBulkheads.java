package io.quarkiverse.redisbulkhead.runtime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.eclipse.microprofile.config.Config;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.definition.AnnotationDefinitions.Definition;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadUse;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.MethodDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.EffectiveBulkhead;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;
import io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead;
import io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead.DefinedValue;
import io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead.DefinedValue.Source;

/** Finds out where each value of a bulkhead comes from. */
final class DeclaredBulkheads {

    private static final long ONE_SECOND = 1_000;

    private final EffectiveDefinitions definitions;
    private final Declarations declarations;
    private final Config properties;

    /**
     * @param definitions what is in force
     * @param declarations what the build found
     * @param properties the configuration of the application
     */
    DeclaredBulkheads(EffectiveDefinitions definitions, Declarations declarations, Config properties) {
        this.definitions = definitions;
        this.declarations = declarations;
        this.properties = properties;
    }

    DeclaredBulkhead of(String name, boolean keyed) {
        EffectiveBulkhead bulkhead = definitions.bulkheads().get(name);
        return new DeclaredBulkhead(bulkhead.spec(), bulkhead.enabled(), keyed, values(name, bulkhead),
                definitions.annotations().locations(name),
                methods(name, definitions, declarations));
    }

    /** The methods that a bulkhead guards, in alphabetical order. */
    static List<String> methods(String name, EffectiveDefinitions definitions, Declarations declarations) {
        Set<String> labels = new TreeSet<>();
        for (MethodDeclaration method : declarations.methods()) {
            for (BulkheadUse use : method.bulkheads()) {
                if (name.equals(definitions.annotations().resolved(use.name()))) {
                    labels.add(method.label());
                }
            }
        }
        return List.copyOf(labels);
    }

    private List<DefinedValue> values(String name, EffectiveBulkhead bulkhead) {
        SemaphoreSpec spec = bulkhead.spec();
        List<DefinedValue> values = new ArrayList<>();
        values.add(value(name, "permits", Integer.toString(spec.permits()), stated(name, one -> one.permits().isPresent())));
        values.add(value(name, "weight", weights(name, spec), stated(name, Definition::statesWeight)));
        values.add(value(name, "fair", Boolean.toString(spec.fair()), stated(name, Definition::fair)));
        values.add(value(name, "expire", text(spec.expire()), stated(name, Definition::statesExpire)));
        values.add(value(name, "max-wait", text(spec.maxWait()), stated(name, Definition::statesMaxWait)));
        values.add(value(name, "max-hold", spec.maxHold().map(DeclaredBulkheads::text).orElse(""), Optional.empty()));
        values.add(value(name, "min-hold", text(spec.minHold()), Optional.empty()));
        values.add(value(name, "keep-idle", text(spec.keepIdle()), Optional.empty(),
                spec.permits() == 1 ? new String[0] : new String[] { "keep-idle" }));
        values.add(value(name, "warn-after", definitions.warnAfter(name).map(DeclaredBulkheads::text).orElse(""),
                Optional.empty(), "warn-after"));
        values.add(value(name, "on-lost", text(spec.onLost()), Optional.empty()));
        values.add(value(name, "on-full", definitions.onFull(name).map(DeclaredBulkheads::text)
                .orElse("scheduled runs are skipped, other calls rejected"), Optional.empty()));
        values.add(value(name, "on-outage", text(spec.onOutage()), Optional.empty(), "on-outage"));
        values.add(value(name, "local-permits", Integer.toString(spec.localPermits()), Optional.empty(), "instances"));
        values.add(value(name, "max-waiters",
                spec.maxWaiters().isPresent() ? Integer.toString(spec.maxWaiters().getAsInt()) : "", Optional.empty()));
        values.add(value(name, "await-release", Boolean.toString(spec.awaitRelease()), Optional.empty(), "await-release"));
        values.add(value(name, "rest.retry-after", definitions.retryAfter(name)
                .map(delay -> delay.isZero() ? "none" : text(delay)).orElse("estimate"), Optional.empty(),
                "rest.retry-after"));
        values.add(value(name, "enabled", Boolean.toString(bulkhead.enabled()), Optional.empty(), "enabled"));
        return values;
    }

    /** Places may state different ones. */
    private String weights(String name, SemaphoreSpec spec) {
        return definitions.isConfigured(name, "weight") ? Integer.toString(spec.weight())
                : definitions.annotations().of(name).stream().flatMapToInt(definition -> definition.weight().stream())
                        .distinct()
                        .sorted().mapToObj(Integer::toString).collect(Collectors.joining(", "));
    }

    /** The first annotation that states something. */
    private Optional<String> stated(String name, Function<Definition, Boolean> states) {
        return definitions.annotations().of(name).stream().filter(states::apply).map(Definition::location).findFirst();
    }

    /**
     * @param places where an annotation states it
     * @param forAll the properties that state it for all bulkheads
     */
    private DefinedValue value(String name, String member, String value, Optional<String> place, String... forAll) {
        String own = PropertyNames.of(name, member);
        if (definitions.isConfigured(name, member)) {
            return new DefinedValue(member, value, Source.CONFIGURATION, own);
        }
        return place.map(where -> new DefinedValue(member, value, Source.ANNOTATION, where))
                .or(() -> Arrays.stream(forAll).map(property -> PropertyNames.PREFIX + property).filter(this::isSet).findFirst()
                        .map(property -> new DefinedValue(member, value, Source.CONFIGURATION, property)))
                .orElseGet(() -> new DefinedValue(member, value, Source.DEFAULT, ""));
    }

    // Defaults of mappings come from a source with the lowest ordinal.
    private boolean isSet(String property) {
        return properties.getConfigValue(property).getSourceOrdinal() > Integer.MIN_VALUE
                && properties.getConfigValue(property).getValue() != null;
    }

    private static String text(Duration duration) {
        long millis = duration.toMillis();
        return millis % ONE_SECOND == 0 ? millis / ONE_SECOND + "s" : millis + "ms";
    }

    private static String text(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT);
    }
}
