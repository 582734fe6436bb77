package io.quarkiverse.redisbulkhead.runtime.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.smallrye.config.ConfigMappings.ConfigClass;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

class KnownPropertiesTest {

    private static final String PREFIX = "quarkus.redis-bulkhead.";
    private static final SmallRyeConfig CONFIG = new SmallRyeConfigBuilder().build();

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

    @ParameterizedTest
    @ValueSource(strings = { "reject", "REJECT", "Reject", " reject ", "rEjEcT", "local", "LOCAL", "allow_", "Al low",
            "nowhere",
            "-", "." })
    void choicesAreThoseOfTheConfiguration(String text) {
        assertThat(read("on-outage", text)).isEqualTo(converted(text));
    }

    private static Object read(String member, String text) {
        try {
            return KnownProperties.read(member, text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static OnOutage converted(String text) {
        try {
            return CONFIG.requireConverter(OnOutage.class).convert(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    @Test
    void valuesHaveTheirTypes() {
        Map<String, Object> expected = Map.of("7", read("permits", " 7 "), "on", read("fair", "On"), "none",
                read("rest.retry-after", " none"), "2m", read("max-wait", "2m"), "0", read("keep-idle", "0"));
        assertThat(expected).isEqualTo(Map.of("7", 7, "on", true, "none", Duration.ZERO, "2m", Duration.ofMinutes(2), "0",
                Duration.ZERO));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "on-outage        | panic      | onOutage must be reject, allow or local, but is 'panic'",
            "on-lost          | cry        | onLost must be report or interrupt, but is 'cry'",
            "on-full          | skipp      | onFull must be reject or skip, but is 'skipp'",
            "instances        | 2147483648 | instances must be a whole number up to 2147483647, but is '2147483648'",
            "weight           | 1.5        | weight must be a whole number up to 2147483647, but is '1.5'",
            "fair             | maybe      | fair must be true or false, but is 'maybe'",
            "min-hold         | short      | minHold must be a duration such as 30s, 500ms or PT30S, but is 'short'",
            "rest.retry-after | 10ms       | retryAfter must be none, or a duration from one second to 365 days such as 5s, 2m or PT5S, but is '10ms'",
            "expire           | 99999999999999999999d | expire must be a duration such as 30s, 500ms or PT30S, but is '99999999999999999999d'" })
    void messageNamesTheExpectedValues(String member, String text, String message) {
        assertThatIllegalArgumentException().isThrownBy(() -> KnownProperties.read(member, text)).withMessage(message);
    }
}
