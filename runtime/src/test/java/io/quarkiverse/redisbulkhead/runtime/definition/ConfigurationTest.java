package io.quarkiverse.redisbulkhead.runtime.definition;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig.BulkheadConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.Value;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
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

    /** This is why properties are looked up by name. */
    @Test
    void smallRyeConfigDropsTheValuesOfOneSpelling() {
        file(Map.of(WITH + "permits", "5", WITHOUT + "max-wait", "2s"));

        BulkheadConfig open = builder.build().getConfigMapping(RedisBulkheadRuntimeConfig.class).bulkheads().get("open");
        assertThat(open.permits().isPresent()).isNotEqualTo(open.maxWait().isPresent());
    }

    @Test
    void quotesAreOptional() {
        file(Map.of(WITH + "permits", "5", WITHOUT + "max-wait", "2s", LOCK_WITH + "fair", "true",
                LOCK_WITHOUT + "lock-timeout",
                "5s"));

        assertThat(read("open")).isEqualTo(Map.of("permits", new Value(WITH + "permits", 5), "max-wait",
                new Value(WITHOUT + "max-wait", Duration.ofSeconds(2))));
        assertThat(read().ofLocks()).isEqualTo(Map.of("open", Map.of("fair", new Value(LOCK_WITH + "fair", true),
                "lock-timeout", new Value(LOCK_WITHOUT + "lock-timeout", Duration.ofSeconds(5)))));
        assertThat(errors.all()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({ "400, 6", "100, 5" })
    void higherSourceWinsWhateverTheSpelling(int ordinal, int permits) {
        file(Map.of(WITH + "permits", "5"));
        builder.withSources(new PropertiesConfigSource(Map.of(WITHOUT + "permits", "6"), "other", ordinal));

        assertThat(read("open").get("permits").value()).isEqualTo(permits);
        assertThat(errors.all()).isEmpty();
    }

    @Test
    void bothSpellingsInOneSourceAreRefused() {
        file(Map.of(WITH + "permits", "5", "%prod." + WITHOUT + "permits", "6", LOCK_WITH + "fair", "true",
                LOCK_WITHOUT + "fair",
                "true"));
        read("open");
        read().ofLocks();

        assertThat(errors.all()).extracting(Object::toString).containsExactlyInAnyOrder(refused(WITH, WITHOUT, "permits"),
                refused(LOCK_WITH, LOCK_WITHOUT, "fair"));
    }

    private static String refused(String with, String without, String member) {
        return "RBH032 " + with + member + " and " + without + member + ": \"open\" is in quotes in one of them and not in the"
                + " other, and both have the same priority. Remove one of them";
    }

    @Test
    void activeProfileWinsAndInactiveProfileIsIgnored() {
        file(Map.of(WITH + "permits", "5", "%prod." + WITH + "permits", "6", "%dev." + WITHOUT + "permits", "7"));

        assertThat(read("open").get("permits").value()).isEqualTo(6);
        assertThat(errors.all()).isEmpty();
    }

    @Test
    void blankValueUnsetsTheProperty() {
        file(Map.of(WITH + "permits", "5", WITHOUT + "fair", " ", WITH + "fair", "true"));
        builder.withSources(new PropertiesConfigSource(Map.of(WITH + "permits", ""), "higher", 400));

        assertThat(read("open")).containsOnlyKeys("fair");
    }

    /** For any name, even if no other source gives SmallRye Config the property name. */
    @Test
    void environmentVariablesConfigureAnyBulkhead() {
        file(Map.of(WITH + "permits", "4"));
        builder.withSources(new EnvConfigSource(Map.of("QUARKUS_REDIS_BULKHEAD_OPEN_PERMITS", "5",
                "QUARKUS_REDIS_BULKHEAD_OPEN_LATE_MAX_WAIT", "2s", "QUARKUS_REDIS_BULKHEAD__OF_SALES_2__FAIR", "true",
                "QUARKUS_REDIS_BULKHEAD__TWO_WORDS__PERMITS", "7", "QUARKUS_REDIS_BULKHEAD_LOCK_OPEN_FAIR", "true",
                "QUARKUS_REDIS_BULKHEAD_LOCK__CLOSED__LOCK_TIMEOUT", "5s"), 300));

        assertThat(read("open").get("permits").value()).as("in the other spelling").isEqualTo(5);
        assertThat(read("open-late").get("max-wait").value()).isEqualTo(Duration.ofSeconds(2));
        assertThat(read("of.sales/2").get("fair").value()).isEqualTo(true);
        assertThat(read("Two words").get("permits").value()).isEqualTo(7);
        assertThat(read().ofLocks().get("open").get("fair").value()).isEqualTo(true);
        assertThat(read().ofLocks().get("closed").get("lock-timeout").value()).isEqualTo(Duration.ofSeconds(5));
        assertThat(errors.all()).isEmpty();
    }

    /** Names that need quotes and names of the extension's own properties have one spelling. */
    @Test
    void someNamesHaveOneSpelling() {
        file(Map.of("quarkus.redis-bulkhead.\"of.sales\".permits", "5", "quarkus.redis-bulkhead.rest.status", "503",
                "quarkus.redis-bulkhead.lock.lock-timeout", "5s", "quarkus.redis-bulkhead.lock.lock-timeout.fair", "true",
                "quarkus.redis-bulkhead.lock.\"of.sales\".fair", "true"));

        assertThat(read("of.sales")).containsOnlyKeys("permits");
        assertThat(read("rest")).isEmpty();
        assertThat(read().ofLocks()).containsOnlyKeys("lock-timeout", "of.sales");
        assertThat(read().forAll().get("rest.status")).isEqualTo(new Value("quarkus.redis-bulkhead.rest.status", 503));
        assertThat(read().forAll().get("rest.expose-name")).as("a default").isEqualTo(new Value("", false));
        assertThat(errors.all()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "a \"b\"", "a\\b", "order:7", "größe" })
    void anyNameCanBeConfigured(String name) {
        file(Map.of(Texts.property(name, "permits"), "5"));

        assertThat(read(name).get("permits").value()).isEqualTo(5);
    }

    /** Quarkus keeps what was set for the build among the defaults. */
    @Test
    void valuesOfTheBuildApply() {
        builder.withDefaultValue(WITH + "permits", "5").withDefaultValue("quarkus.redis-bulkhead.instances", "4");

        assertThat(read("open").get("permits")).isEqualTo(new Value(WITH + "permits", 5));
        assertThat(read().forAll().get("instances").value()).isEqualTo(4);
    }

    @Test
    void valueThatIsNotKnownYetIsNoMistakeOfTheBuild() {
        file(Map.of(WITHOUT + "permits", "${nowhere}", WITHOUT + "fair", "true"));

        assertThat(new Configuration(builder.build(), true, errors).ofBulkhead("open")).isEqualTo(Map.of("permits",
                new Value(WITHOUT + "permits", null), "fair", new Value(WITHOUT + "fair", true)));
        assertThat(errors.all()).isEmpty();
        read("open");
        assertThat(errors.all()).singleElement().asString().startsWith("RBH026 " + WITHOUT + "permits");
    }

    private void file(Map<String, String> properties) {
        builder.withSources(new PropertiesConfigSource(new HashMap<>(properties), "file", 250));
    }

    private Configuration read() {
        return new Configuration(builder.build(), false, errors);
    }

    private Map<String, Value> read(String bulkhead) {
        return read().ofBulkhead(bulkhead);
    }
}
