package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigValue;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.runtime.definition.Definitions;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;

/** Looks up what the configuration says while the application is built. */
final class ConfiguredValues {

    /**
     * A property that is set.
     *
     * @param property its name as it is written, with or without quotes
     * @param text its value; empty when it refers to something that is known at run time only
     */
    record Value(String property, Optional<String> text) {

        /** What a reader makes of it; empty when the value is not known, or not valid. */
        <T> Optional<T> as(Function<String, T> reader) {
            try {
                return text.map(reader);
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }
    }

    private static final Set<String> OFF = Set.of("false", "no", "n", "off", "0");

    private static final String LOCKS = PropertyNames.PREFIX + "lock.";

    private final Config config;

    ConfiguredValues(Config config) {
        this.config = config;
    }

    /** What is set for all bulkheads. */
    Optional<Value> global(String property) {
        return read(PropertyNames.PREFIX + property);
    }

    /** What is set for one bulkhead. */
    Optional<Value> of(String bulkhead, String member) {
        return read(PropertyNames.of(bulkhead, member));
    }

    /** What is set for locks, for all of them or for one. */
    Stream<Value> ofLocks(String member) {
        return StreamSupport.stream(config.getPropertyNames().spliterator(), false)
                .filter(property -> property.startsWith(LOCKS) && property.endsWith("." + member))
                .flatMap(property -> read(property).stream()).distinct();
    }

    /** What the annotations say, as far as it is known. */
    Definitions definitions(BulkheadUsage usage) {
        return Definitions.of(usage.declarations(), config);
    }

    /** All properties. */
    Config all() {
        return config;
    }

    /** Whether a bulkhead, or all of them, is switched off as far as is known. */
    boolean isSwitchedOff(String bulkhead) {
        return Stream.of(of(bulkhead, "enabled"), global("enabled")).flatMap(Optional::stream)
                .anyMatch(value -> value.text().filter(text -> OFF.contains(text.trim().toLowerCase(Locale.ROOT))).isPresent());
    }

    /** What any property of the application is set to. */
    Optional<Value> read(String property) {
        ConfigValue value = config.getConfigValue(property);
        if (value.getRawValue() == null || value.getRawValue().isBlank()) {
            return Optional.empty();
        }
        return Optional.of(new Value(value.getName(), Optional.ofNullable(value.getValue())));
    }
}
