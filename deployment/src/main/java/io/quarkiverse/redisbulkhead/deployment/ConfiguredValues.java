package io.quarkiverse.redisbulkhead.deployment;

import java.util.List;
import java.util.Optional;

import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigValue;

/** Looks up what the configuration says about a bulkhead while the application is built. */
final class ConfiguredValues {

    private static final String PREFIX = "quarkus.redis-bulkhead.";

    /**
     * A property that is set.
     *
     * @param property its name
     * @param text its value; empty when it refers to something that is known at run time only
     */
    record Value(String property, Optional<String> text) {
    }

    private final Config config;

    ConfiguredValues(Config config) {
        this.config = config;
    }

    /** The name of the property, as documentation and messages write it. */
    static String property(String bulkhead, String member) {
        return PREFIX + '"' + bulkhead.replace("\\", "\\\\").replace("\"", "\\\"") + "\"." + member;
    }

    Optional<Value> of(String bulkhead, String member) {
        for (String property : List.of(property(bulkhead, member), PREFIX + bulkhead + "." + member)) {
            Optional<Value> value = read(property);
            if (value.isPresent()) {
                return value;
            }
        }
        return Optional.empty();
    }

    private Optional<Value> read(String property) {
        ConfigValue value = config.getConfigValue(property);
        if (value.getRawValue() == null || value.getRawValue().isBlank()) {
            return Optional.empty();
        }
        return Optional.of(new Value(property, Optional.ofNullable(value.getValue())));
    }
}
