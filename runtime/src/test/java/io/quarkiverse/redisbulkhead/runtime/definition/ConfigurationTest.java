package io.quarkiverse.redisbulkhead.runtime.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig.BulkheadConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig.LockConfig;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

class ConfigurationTest {

    static final String WITH = "quarkus.redis-bulkhead.\"open\".";
    static final String WITHOUT = "quarkus.redis-bulkhead.open.";
    static final String LOCK_WITH = "quarkus.redis-bulkhead.lock.\"open\".";
    static final String LOCK_WITHOUT = "quarkus.redis-bulkhead.lock.open.";

    private final SmallRyeConfigBuilder builder = new SmallRyeConfigBuilder()
            .addDefaultInterceptors()
            .withConverter(Duration.class, 1_000, new DurationConverter())
            .withMapping(RedisBulkheadRuntimeConfig.class)
            // As in Quarkus.
            .withMappingIgnore("quarkus.**")
            .withProfile("prod");
    private final ValidationErrors errors = new ValidationErrors();

    /** This is why names in two spellings are refused. */
    @Test
    void smallRyeConfigDropsTheValuesOfOneSpelling() {
        file(Map.of(WITH + "permits", "5", WITHOUT + "max-wait", "2s"));

        BulkheadConfig open = builder.build().getConfigMapping(RedisBulkheadRuntimeConfig.class).bulkheads().get("open");
        assertThat(open.permits().isPresent()).isNotEqualTo(open.maxWait().isPresent());
    }

    @ParameterizedTest
    @ValueSource(strings = { WITH, WITHOUT })
    void quotesAroundABulkheadNameAreOptional(String prefix) {
        file(Map.of(prefix + "permits", "5", prefix + "max-wait", "2s"));

        Configuration configuration = read("open");
        assertThat(configuration.values().bulkheads().get("open").permits()).hasValue(5);
        assertThat(configuration.values().bulkheads().get("open").maxWait()).contains(Duration.ofSeconds(2));
        assertThat(configuration.written(WITH + "permits")).isEqualTo(prefix + "permits");
        assertThat(configuration.isSet(WITH + "permits")).isTrue();
        assertThat(configuration.isSet(WITH + "fair")).isFalse();
        assertThat(errors.all()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { LOCK_WITH, LOCK_WITHOUT })
    void quotesAroundALockNameAreOptional(String prefix) {
        file(Map.of(prefix + "fair", "true", prefix + "lock-timeout", "5s"));

        LockConfig lock = read().values().lock().locks().get("open");
        assertThat(lock.fair()).contains(true);
        assertThat(lock.lockTimeout()).contains(Duration.ofSeconds(5));
        assertThat(errors.all()).isEmpty();
    }

    @Test
    void twoSpellingsOfANameAreRefusedWithBothLocations() {
        file(Map.of(WITH + "permits", "5", WITHOUT + "max-wait", "2s"));
        read("open");

        assertThat(errors.all()).singleElement().hasToString("RBH032 " + WITH
                + "permits (PropertiesConfigSource[source=file]) and " + WITHOUT
                + "max-wait (PropertiesConfigSource[source=file]): \"open\" is quoted in one place and unquoted in "
                + "the other, and only one of the two spellings would be read. Use the same spelling everywhere");
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '\'', value = { "permits, permits, false", "permits, permits, true", "permits, fair, true" })
    void twoSpellingsInTwoSourcesAreRefused(String quoted, String plain, boolean higher) {
        file(Map.of(WITH + quoted, "1"));
        builder.withSources(new PropertiesConfigSource(Map.of(WITHOUT + plain, "1"), "other", higher ? 400 : 100));
        read("open");

        assertThat(errors.all()).singleElement().asString().startsWith("RBH032 ")
                .contains(WITH + quoted + " (PropertiesConfigSource[source=file])",
                        WITHOUT + plain + " (PropertiesConfigSource[source=other])");
    }

    @Test
    void twoSpellingsOfALockNameAreRefused() {
        file(Map.of(LOCK_WITH + "fair", "true", LOCK_WITHOUT + "lock-timeout", "5s"));
        read();

        assertThat(errors.all()).singleElement().asString().startsWith("RBH032 ").contains(LOCK_WITH + "fair",
                LOCK_WITHOUT + "lock-timeout");
    }

    @Test
    void twoSpellingsInAnActiveProfileAreRefused() {
        file(Map.of(WITH + "permits", "5", "%prod." + WITHOUT + "permits", "6"));
        read("open");

        assertThat(errors.all()).singleElement().asString().startsWith("RBH032 ").contains(WITH + "permits",
                WITHOUT + "permits");
    }

    @Test
    void activeProfileWinsAndInactiveProfileIsIgnored() {
        file(Map.of(WITH + "permits", "5", "%prod." + WITH + "permits", "6", "%dev." + WITHOUT + "permits", "7"));

        assertThat(read("open").values().bulkheads().get("open").permits()).hasValue(6);
        assertThat(errors.all()).isEmpty();
    }

    @Test
    void blankValueIsIgnored() {
        file(Map.of(WITH + "permits", "5", WITHOUT + "permits", " "));

        assertThat(read("open").values().bulkheads().get("open").permits()).hasValue(5);
        assertThat(errors.all()).isEmpty();
    }

    @Test
    void blankValueInAHigherSourceUnsetsTheProperty() {
        file(Map.of(WITH + "permits", "5"));
        builder.withSources(new PropertiesConfigSource(Map.of(WITH + "permits", ""), "higher", 400));

        assertThat(read("open").isSet(WITH + "permits")).isFalse();
    }

    /** For any name, even if no other source gives SmallRye Config the property name. */
    @Test
    void environmentVariablesConfigureAnyBulkhead() {
        builder.withSources(new EnvConfigSource(Map.of("QUARKUS_REDIS_BULKHEAD_OPEN_PERMITS", "5",
                "QUARKUS_REDIS_BULKHEAD_OPEN_LATE_MAX_WAIT", "2s", "QUARKUS_REDIS_BULKHEAD__OF_SALES_2__FAIR", "true",
                "QUARKUS_REDIS_BULKHEAD__TWO_WORDS__PERMITS", "7", "QUARKUS_REDIS_BULKHEAD_LOCK_OPEN_FAIR", "true",
                "QUARKUS_REDIS_BULKHEAD_LOCK__CLOSED__LOCK_TIMEOUT", "5s"), 300));

        RedisBulkheadRuntimeConfig values = read("open", "open-late", "of.sales/2", "Two words").values();
        assertThat(values.bulkheads().get("open").permits()).hasValue(5);
        assertThat(values.bulkheads().get("open-late").maxWait()).contains(Duration.ofSeconds(2));
        assertThat(values.bulkheads().get("of.sales/2").fair()).contains(true);
        assertThat(values.bulkheads().get("Two words").permits()).hasValue(7);
        assertThat(values.lock().locks().get("open").fair()).contains(true);
        assertThat(values.lock().locks().get("closed").lockTimeout()).contains(Duration.ofSeconds(5));
        assertThat(errors.all()).isEmpty();
    }

    @Test
    void environmentVariableWinsOverTheSameSpelling() {
        file(Map.of(WITH + "permits", "5", LOCK_WITHOUT + "lock-timeout", "5s"));
        builder.withSources(new EnvConfigSource(Map.of("QUARKUS_REDIS_BULKHEAD__OPEN__PERMITS", "6",
                "QUARKUS_REDIS_BULKHEAD_LOCK_OPEN_LOCK_TIMEOUT", "6s"), 300));

        Configuration configuration = read("open");
        assertThat(configuration.values().bulkheads().get("open").permits()).hasValue(6);
        assertThat(configuration.values().lock().locks().get("open").lockTimeout()).contains(Duration.ofSeconds(6));
        assertThat(errors.all()).isEmpty();
    }

    @Test
    void messageNamesTheEnvironmentVariable() {
        file(Map.of(WITH + "permits", "5"));
        builder.withSources(new EnvConfigSource(Map.of("QUARKUS_REDIS_BULKHEAD_OPEN_PERMITS", "6"), 300));
        read("open");

        assertThat(errors.all()).singleElement().asString()
                .contains(WITHOUT + "permits (environment variable QUARKUS_REDIS_BULKHEAD_OPEN_PERMITS)")
                .endsWith(", or rename the variable to QUARKUS_REDIS_BULKHEAD__OPEN__PERMITS");
    }

    @Test
    void messageNamesAnEnvironmentVariableWithQuotedName() {
        file(Map.of(WITHOUT + "permits", "5"));
        builder.withSources(new EnvConfigSource(Map.of("QUARKUS_REDIS_BULKHEAD__OPEN__FAIR", "true"), 300));
        read("open");

        assertThat(errors.all()).singleElement().asString()
                .contains(WITH + "fair (environment variable QUARKUS_REDIS_BULKHEAD__OPEN__FAIR)")
                .endsWith(", or rename the variable to QUARKUS_REDIS_BULKHEAD_OPEN_FAIR");
    }

    @Test
    void messageShowsTheNameAsWritten() {
        file(Map.of(WITHOUT + "permits", "many"));

        assertThatThrownBy(builder::build).hasMessageContaining(WITHOUT + "permits");
    }

    /** Names that need quotes and names of the extension's own properties have one spelling. */
    @Test
    void someNamesHaveOneSpelling() {
        file(Map.of("quarkus.redis-bulkhead.\"of.sales\".permits", "5", "quarkus.redis-bulkhead.rest.status", "503",
                "quarkus.redis-bulkhead.lock.lock-timeout", "5s", "quarkus.redis-bulkhead.lock.lock-timeout.fair", "true",
                "quarkus.redis-bulkhead.lock.\"of.sales\".fair", "true"));

        RedisBulkheadRuntimeConfig values = read("of.sales", "lock", "rest").values();
        assertThat(values.bulkheads()).containsOnlyKeys("of.sales");
        assertThat(values.bulkheads().get("of.sales").permits()).hasValue(5);
        assertThat(values.rest().status()).isEqualTo(503);
        assertThat(values.lock().lockTimeout()).hasSeconds(5);
        assertThat(values.lock().locks()).containsOnlyKeys("lock-timeout", "of.sales");
        assertThat(errors.all()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "a \"b\"", "a\\b", "order:7", "größe" })
    void anyNameCanBeConfigured(String name) {
        file(Map.of(PropertyNames.of(name, "permits"), "5"));

        assertThat(read(name).values().bulkheads().get(name).permits()).hasValue(5);
    }

    @Test
    void unreadableValueIsNotKnown() {
        file(Map.of(WITHOUT + "permits", "5", WITHOUT + "fair", "true", "quarkus.redis-bulkhead.instances", "2"));
        EffectiveDefinitions.ValueReader reader = (property, value, errors) -> property.equals("*.fair");
        Configuration configuration = new Configuration(builder.build(), new KnownProperties(KnownProperties.ofMappings()),
                Set.of("open"), reader,
                errors);

        assertThat(configuration.isSet(WITH + "permits")).isTrue();
        assertThat(configuration.isKnown(WITH + "permits")).isFalse();
        assertThat(configuration.isKnown(WITH + "fair")).isTrue();
        assertThat(configuration.isKnown("quarkus.redis-bulkhead.instances")).isFalse();
        assertThat(configuration.values().instances()).isEqualTo(1);
        assertThat(configuration.values().bulkheads().get("open").permits()).isEmpty();
    }

    private void file(Map<String, String> properties) {
        builder.withSources(new PropertiesConfigSource(properties, "file", 250));
    }

    private Configuration read(String... bulkheads) {
        SmallRyeConfig config = builder.build();
        return new Configuration(config, new KnownProperties(KnownProperties.ofMappings()), Set.of(bulkheads),
                EffectiveDefinitions.ValueReader.ANY,
                errors);
    }
}
