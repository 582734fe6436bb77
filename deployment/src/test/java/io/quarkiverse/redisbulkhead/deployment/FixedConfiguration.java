package io.quarkiverse.redisbulkhead.deployment;

import java.util.Map;

import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;

/** Build-time configuration for tests that build no application. */
public final class FixedConfiguration {

    private FixedConfiguration() {
    }

    /** The defaults, and these properties. */
    public static RedisBulkheadBuildTimeConfig of(Map<String, String> properties) {
        return new SmallRyeConfigBuilder().withMapping(RedisBulkheadBuildTimeConfig.class)
                .withSources(new PropertiesConfigSource(properties, "test", 100))
                .withValidateUnknown(false).build().getConfigMapping(RedisBulkheadBuildTimeConfig.class);
    }
}
