package io.quarkiverse.redisbulkhead.runtime.definition;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig.DevServicesConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig.HealthConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig.ManagementConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig.MetricsBuildConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig.TracingBuildConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig.BulkheadConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig.BulkheadRestConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig.LockConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig.LockStoreConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig.LocksConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig.MetricsConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig.RestConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig.TracingConfig;
import io.smallrye.config.WithParentName;
import io.smallrye.config.common.utils.StringUtil;

/** SmallRye Config generates the names from the mappings, so they are compared with the methods of the mappings. */
class KnownPropertiesTest {

    // Some groups have properties of both phases.
    private static final Map<String, List<Class<?>>> GROUPS = Map.of("rest", List.of(RestConfig.class), "lock",
            List.of(LocksConfig.class), "lock-store", List.of(LockStoreConfig.class), "devservices",
            List.of(DevServicesConfig.class), "metrics", List.of(MetricsBuildConfig.class, MetricsConfig.class), "tracing",
            List.of(TracingBuildConfig.class, TracingConfig.class), "management", List.of(ManagementConfig.class), "health",
            List.of(HealthConfig.class));

    private final KnownProperties known = new KnownProperties(KnownProperties.ofMappings());

    @Test
    void globalPropertiesAreKnown() {
        assertThat(Stream.concat(known.single().stream(), known.groups().keySet().stream()))
                .containsExactlyInAnyOrderElementsOf(Stream
                        .of(RedisBulkheadBuildTimeConfig.class, RedisBulkheadRuntimeConfig.class)
                        .flatMap(config -> members(config).stream()).distinct().toList())
                .allMatch(known::isReserved);
    }

    @Test
    void propertiesOfEachGroupAreKnown() {
        assertThat(known.groups()).isEqualTo(GROUPS.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, group -> group.getValue().stream()
                        .flatMap(config -> members(config).stream()).collect(Collectors.toSet()))));
    }

    @Test
    void propertiesOfABulkheadAndALockAreKnown() {
        assertThat(known.ofOneBulkhead()).isEqualTo(members(BulkheadConfig.class));
        assertThat(known.ofOneLock()).isEqualTo(members(LockConfig.class));
    }

    /** A map has no name: its keys are at the same level as other properties. */
    private static Set<String> members(Class<?> config) {
        return Stream.of(config.getMethods())
                .filter(property -> !property.isAnnotationPresent(WithParentName.class))
                .flatMap(KnownPropertiesTest::names)
                .collect(Collectors.toSet());
    }

    private static Stream<String> names(Method property) {
        String name = StringUtil.skewer(property.getName());
        return property.getReturnType() == BulkheadRestConfig.class
                ? members(BulkheadRestConfig.class).stream().map(member -> name + "." + member)
                : Stream.of(name);
    }
}
