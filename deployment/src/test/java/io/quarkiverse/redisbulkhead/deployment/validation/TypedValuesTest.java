package io.quarkiverse.redisbulkhead.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.smallrye.config.ConfigMappings.ConfigClass;
import io.smallrye.config.ConfigValue;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

class TypedValuesTest {

    private static final String PREFIX = "quarkus.redis-bulkhead.";
    private static final SmallRyeConfig CONFIG = new SmallRyeConfigBuilder().build();

    private final TypedValues values = new TypedValues();

    /** The build checks each property of the run-time mapping. */
    @ParameterizedTest
    @MethodSource("properties")
    void checksEachProperty(String property) {
        assertThat(values.properties()).contains(property);
    }

    static Stream<String> properties() {
        return ConfigClass.configClass(RedisBulkheadRuntimeConfig.class).getProperties().keySet().stream()
                .map(property -> property.substring(PREFIX.length()))
                // Elements of lists are checked as their lists are.
                .filter(property -> !property.endsWith("[*]"));
    }

    @Test
    void checksNoOtherProperty() {
        assertThat(values.properties()).containsExactlyInAnyOrderElementsOf(properties().toList());
    }

    @ParameterizedTest
    @ValueSource(strings = { "reject", "REJECT", "Reject", " reject ", "rEjEcT", "local", "LOCAL", "allow_", "Al low",
            "nowhere",
            "-", "." })
    void buildAcceptsTheSameChoicesAsTheApplication(String text) {
        assertThat(errors("on-outage", text).isEmpty()).isEqualTo(isConverted(text));
    }

    private static boolean isConverted(String text) {
        try {
            CONFIG.requireConverter(OnOutage.class).convert(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "on-outage              | nowhere    | onOutage must be reject, allow or local, but is 'nowhere'",
            "*.on-lost              | nowhere    | onLost must be report or interrupt, but is 'nowhere'",
            "instances              | 2147483648 | instances must be a whole number up to 2147483647, but is '2147483648'",
            "*.weight               | 1.5        | weight must be a whole number up to 2147483647, but is '1.5'",
            "*.fair                 | maybe      | fair must be true or false, but is 'maybe'",
            "lock.*.min-hold        | short      | minHold must be a duration such as 10s, 500ms or PT10S, but is 'short'",
            "lock-store.step-timeout | 1 week    | stepTimeout must be a duration such as 1s, 500ms or PT1S, but is '1 week'" })
    void messageNamesTheExpectedValues(String property, String text, String message) {
        assertThat(errors(property, text)).isEqualTo("RBH005 written: " + message);
    }

    @ParameterizedTest
    @CsvSource({ "*.permits, -1", "*.expire, 400d", "key-prefix, {x}", "*.enabled, No" })
    void acceptsReadableValues(String property, String text) {
        assertThat(errors(property, text)).isEmpty();
    }

    private String errors(String property, String text) {
        ValidationErrors errors = new ValidationErrors();
        boolean readable = values.isReadable(property, ConfigValue.builder().withName("written").withValue(text).build(),
                errors);
        assertThat(errors.all().isEmpty()).isEqualTo(readable);
        return errors.all().isEmpty() ? "" : errors.all().get(0).toString();
    }
}
