package io.quarkiverse.redisbulkhead.runtime.definition;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.smallrye.config.ConfigMappings.ConfigClass;

class KnownPropertiesTest {

    private static final String PREFIX = "quarkus.redis-bulkhead.";

    /** SmallRye Config generates the names from the mappings. */
    @Test
    void propertiesAreThoseOfTheMappings() {
        Set<String> runTime = names(RedisBulkheadRuntimeConfig.class);
        Set<String> fixed = names(RedisBulkheadBuildTimeConfig.class);

        assertThat(runTime).isEqualTo(union(KnownProperties.FOR_ALL, prefixed("*.", KnownProperties.OF_BULKHEAD),
                prefixed("lock.*.", KnownProperties.OF_LOCK), Set.of(KnownProperties.LIST + "[*]")));
        assertThat(union(fixed, KnownProperties.FOR_ALL)).isEqualTo(KnownProperties.GLOBAL);
    }

    private static Set<String> names(Class<?> mapping) {
        return ConfigClass.configClass(mapping).getProperties().keySet().stream()
                .map(property -> property.substring(PREFIX.length())).collect(Collectors.toSet());
    }

    private static Set<String> prefixed(String prefix, Set<String> names) {
        return names.stream().map(prefix::concat).collect(Collectors.toSet());
    }

    @SafeVarargs
    private static Set<String> union(Set<String>... sets) {
        Set<String> all = new TreeSet<>();
        Set.of(sets).forEach(all::addAll);
        return all;
    }

    /** A wrong type would show when the application uses the mapping. */
    @Test
    void defaultsOfTheMappingCanBeRead() {
        ConfigClass.configClass(RedisBulkheadRuntimeConfig.class).getProperties().forEach((property, byDefault) -> {
            if (byDefault != null) {
                assertThat(KnownProperties.read(property.substring(PREFIX.length()), byDefault)).as(property).isNotNull();
            }
        });
    }

    @Test
    void namesOfPropertiesAndGroupsAreReserved() {
        assertThat(Set.of("rest", "lock", "lock-store", "metrics", "store", "enabled", "key-prefix"))
                .allMatch(KnownProperties::isReserved);
        assertThat(Set.of("reports", "lockers", "res", "permits", "")).noneMatch(KnownProperties::isReserved);
    }

    @Test
    void valuesHaveTheirTypes() {
        Map<String, Object> expected = Map.of("7", KnownProperties.read("permits", " 7 "), "on",
                KnownProperties.read("fair", "On"), "none",
                KnownProperties.read("rest.retry-after", " none"), "2m", KnownProperties.read("max-wait", "2m"), "0",
                KnownProperties.read("keep-idle", "0"));
        assertThat(expected).isEqualTo(Map.of("7", 7, "on", true, "none", Duration.ZERO, "2m", Duration.ofMinutes(2), "0",
                Duration.ZERO));
    }
}
