package io.quarkiverse.redisbulkhead.deployment;

import java.util.Map;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;

/** Creates configurations for build steps that run outside a build. */
public final class Mapped {

    private Mapped() {
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
