package io.quarkiverse.redisbulkhead.deployment;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;

/** Creates configurations for build steps that run outside a build. */
public final class Mapped {

    private Mapped() {
    }

    /** Reads properties such as {@code redis.hosts=a redis-bulkhead.store=local}, without their common prefix. */
    public static Map<String, String> properties(String text) {
        return text == null ? Map.of()
                : Stream.of(text.split(" ")).map(property -> property.split("=", 2))
                        .collect(Collectors.toMap(property -> "quarkus." + property[0], property -> property[1]));
    }

    /**
     * Reads a configuration.
     *
     * @param type its interface
     * @param properties all that is set
     */
    public static <T> T config(Class<T> type, Map<String, String> properties) {
        return new SmallRyeConfigBuilder()
                .withMapping(type)
                .withValidateUnknown(false)
                .withSources(new PropertiesConfigSource(properties, "test", 100))
                .build()
                .getConfigMapping(type);
    }
}
