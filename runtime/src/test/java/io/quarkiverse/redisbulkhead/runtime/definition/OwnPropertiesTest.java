package io.quarkiverse.redisbulkhead.runtime.definition;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadBuildTimeConfig.DevServicesConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadBuildTimeConfig.HealthConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadBuildTimeConfig.ManagementConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadBuildTimeConfig.MetricsBuildConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadBuildTimeConfig.TracingBuildConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.BulkheadConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.LockConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.LockStoreConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.LocksConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.MetricsConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.RestConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.TracingConfig;
import io.smallrye.config.WithParentName;
import io.smallrye.config.common.utils.StringUtil;

/** Whoever adds a property of the extension must name it here as well, and so reserve the names of those that hold for all. */
class OwnPropertiesTest {

    // Some have properties of both phases.
    private static final Map<String, List<Class<?>>> GROUPS = Map.of("rest", List.of(RestConfig.class), "lock",
            List.of(LocksConfig.class), "lock-store", List.of(LockStoreConfig.class), "devservices",
            List.of(DevServicesConfig.class), "metrics", List.of(MetricsBuildConfig.class, MetricsConfig.class), "tracing",
            List.of(TracingBuildConfig.class, TracingConfig.class), "management", List.of(ManagementConfig.class), "health",
            List.of(HealthConfig.class));

    @Test
    void thePropertiesThatHoldForAllAreKnown() {
        assertThat(Stream.concat(OwnProperties.SINGLE.stream(), OwnProperties.GROUPS.keySet().stream()))
                .containsExactlyInAnyOrderElementsOf(Stream
                        .of(RedisBulkheadBuildTimeConfig.class, RedisBulkheadRuntimeConfig.class)
                        .flatMap(config -> members(config).stream()).distinct().toList())
                .allMatch(OwnProperties::isReserved);
    }

    @Test
    void thePropertiesOfEachGroupAreKnown() {
        assertThat(OwnProperties.GROUPS).isEqualTo(GROUPS.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, group -> group.getValue().stream()
                        .flatMap(config -> members(config).stream()).collect(Collectors.toSet()))));
    }

    @Test
    void thePropertiesOfOneBulkheadAndOfOneLockAreKnown() {
        assertThat(OwnProperties.OF_ONE_BULKHEAD).isEqualTo(members(BulkheadConfig.class));
        assertThat(OwnProperties.OF_ONE_LOCK).isEqualTo(members(LockConfig.class));
    }

    /** A map has no name of its own: its keys stand where the names of the other properties stand. */
    private static Set<String> members(Class<?> config) {
        return Stream.of(config.getMethods())
                .filter(property -> !property.isAnnotationPresent(WithParentName.class))
                .map(Method::getName)
                .map(StringUtil::skewer)
                .collect(Collectors.toSet());
    }
}
