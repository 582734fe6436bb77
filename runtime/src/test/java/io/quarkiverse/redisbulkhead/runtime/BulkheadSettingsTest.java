package io.quarkiverse.redisbulkhead.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.OnLost;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.ConfigValidationException;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

class BulkheadSettingsTest {

    static final BulkheadDeclaration REPORTS = new BulkheadDeclaration("reports", 5, false, Duration.ofSeconds(30),
            Duration.ofSeconds(2), List.of("Reports#render"));
    static final BulkheadDeclaration OPEN = new BulkheadDeclaration("a.b c", RedisBulkhead.PERMITS_UNSET, false,
            Duration.ofSeconds(30), Duration.ZERO, List.of("Open#call", "Open#again"));

    @Test
    void theAnnotationHoldsWhereNothingIsConfigured() {
        assertThat(settings(Map.of(), REPORTS).get("reports"))
                .isEqualTo(new BulkheadSettings.Setting(
                        SemaphoreSpec.named("reports").permits(5).maxWait(Duration.ofSeconds(2)).build(), true));
    }

    @Test
    void configurationWins() {
        assertThat(settings(Map.of("\"reports\".permits", "7", "\"reports\".fair", "true",
                "\"reports\".expire", "2m", "\"reports\".max-wait", "500ms", "\"reports\".max-hold", "1h",
                "\"reports\".on-lost", "interrupt", "\"reports\".local-permits", "3", "\"reports\".enabled", "false",
                "\"a.b c\".permits", "1"), REPORTS, OPEN))
                .satisfies(settings -> {
                    assertThat(settings.get("reports")).isEqualTo(new BulkheadSettings.Setting(SemaphoreSpec.named("reports")
                            .permits(7).fair(true).expire(Duration.ofMinutes(2)).maxWait(Duration.ofMillis(500))
                            .maxHold(Duration.ofHours(1)).onLost(OnLost.INTERRUPT).localPermits(3).build(), false));
                    assertThat(settings.get("a.b c").spec().permits()).isEqualTo(1);
                });
    }

    @Test
    void aConfiguredWaitOfZeroWins() {
        assertThat(settings(Map.of("reports.max-wait", "0s"), REPORTS).get("reports").spec().maxWait()).isZero();
    }

    @Test
    void theGlobalOnOutageIsTheDefaultOfEachBulkhead() {
        assertThat(settings(Map.of("on-outage", "local", "\"a.b c\".permits", "1", "\"a.b c\".on-outage", "allow"), REPORTS,
                OPEN)).satisfies(settings -> {
                    assertThat(settings.get("reports").spec().onOutage()).isEqualTo(OnOutage.LOCAL);
                    assertThat(settings.get("a.b c").spec().onOutage()).isEqualTo(OnOutage.ALLOW);
                });
    }

    @ParameterizedTest
    @CsvSource({ "6, 1, 6", "6, 2, 3", "7, 2, 3", "6, 6, 1", "6, 7, 1", "1, 2147483647, 1", "2147483647, 1, 2147483647" })
    void eachInstanceKeepsItsShareOfThePermitsAndAtLeastOne(String permits, String instances, int share) {
        assertThat(settings(Map.of("reports.permits", permits, "instances", instances), REPORTS).get("reports").spec()
                .localPermits()).isEqualTo(share);
    }

    @Test
    void configuredLocalPermitsWinOverTheShare() {
        assertThat(settings(Map.of("reports.local-permits", "4", "instances", "5"), REPORTS).get("reports").spec()
                .localPermits()).isEqualTo(4);
    }

    @Test
    void everythingCanBeSwitchedOff() {
        assertThat(settings(Map.of("enabled", "false", "reports.enabled", "true"), REPORTS).get("reports").enabled()).isFalse();
    }

    @Test
    void aNameNeedsNoQuotesInConfiguration() {
        assertThat(settings(Map.of("reports.permits", "7"), REPORTS).get("reports").spec().permits()).isEqualTo(7);
    }

    @Test
    void allErrorsAreToldTogetherAndNameTheirProperties() {
        assertThatThrownBy(() -> settings(Map.of("\"reports\".permits", "0", "\"reports\".expire", "0s", "key-prefix", "{x}",
                "command-timeout", "0s", "rest.status", "200"), REPORTS, OPEN))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("6 errors")
                .hasMessageContaining("quarkus.redis-bulkhead.\"reports\".permits: permits must be at least 1, but is 0")
                .hasMessageContaining("quarkus.redis-bulkhead.\"reports\".expire: expire must be at least one millisecond")
                .hasMessageContaining("quarkus.redis-bulkhead.\"a.b c\".permits is not set")
                .hasMessageContaining("Open#call, Open#again")
                .hasMessageContaining("quarkus.redis-bulkhead.key-prefix")
                .hasMessageContaining("quarkus.redis-bulkhead.command-timeout")
                .hasMessageContaining("quarkus.redis-bulkhead.rest.status");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "\"reports\".max-wait      | PT-1S | maxWait must not be negative, but is PT-1S",
            "\"reports\".max-wait      | 366d  | maxWait must not be longer than 365 days, but is PT8784H",
            "\"reports\".max-hold      | 0s    | maxHold must be at least one millisecond, but is PT0S",
            "\"reports\".max-hold      | 366d  | maxHold must not be longer than 365 days, but is PT8784H",
            "\"reports\".local-permits | 0     | localPermits must be at least 1, but is 0" })
    void aValueOutOfBoundsNamesItsProperty(String property, String value, String message) {
        assertThatThrownBy(() -> settings(Map.of(property, value), REPORTS))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("The configuration of Redis Bulkhead has an error:\n  quarkus.redis-bulkhead." + property + ": "
                        + message);
    }

    @ParameterizedTest
    @ValueSource(strings = { "0", "-3" })
    void aWrongNumberOfInstancesNamesItsProperty(String instances) {
        assertThatThrownBy(() -> settings(Map.of("instances", instances), REPORTS))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("The configuration of Redis Bulkhead has an error:\n"
                        + "  quarkus.redis-bulkhead.instances must be at least 1, but is " + instances);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "on-outage         | reject,allow,local",
            "reports.on-outage | reject,allow,local",
            "reports.on-lost   | report,interrupt" })
    void anUnknownWordNamesItsPropertyAndTheWordsThereAre(String property, String words) {
        assertThatThrownBy(() -> settings(Map.of(property, "panic"), REPORTS))
                .isInstanceOf(ConfigValidationException.class)
                .hasMessageContaining("quarkus.redis-bulkhead." + property)
                .hasMessageContaining("panic")
                .hasMessageContainingAll(words.split(","));
    }

    @ParameterizedTest
    @ValueSource(strings = { "0", "-4" })
    void wrongPermitsAreOneErrorAndDoNotHideOthers(String permits) {
        assertThatThrownBy(
                () -> settings(Map.of("\"reports\".permits", permits, "instances", "2", "on-outage", "local"), REPORTS))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("The configuration of Redis Bulkhead has an error:\n"
                        + "  quarkus.redis-bulkhead.\"reports\".permits: permits must be at least 1, but is " + permits);
        assertThatThrownBy(() -> settings(
                Map.of("\"reports\".permits", permits, "\"reports\".max-wait", "PT-1S", "instances", "0"), REPORTS))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("3 errors");
    }

    @Test
    void missingPermitsAreOneErrorAndDoNotHideOthers() {
        assertThatThrownBy(() -> settings(Map.of("instances", "2"), OPEN)).hasMessageContaining("has an error:")
                .hasMessageContaining("quarkus.redis-bulkhead.\"a.b c\".permits is not set");
        assertThatThrownBy(() -> settings(Map.of("\"a.b c\".local-permits", "0"), OPEN)).hasMessageContaining("2 errors")
                .hasMessageContaining("quarkus.redis-bulkhead.\"a.b c\".permits is not set")
                .hasMessageContaining("quarkus.redis-bulkhead.\"a.b c\".local-permits: localPermits must be at least 1");
    }

    private static Map<String, BulkheadSettings.Setting> settings(Map<String, String> properties,
            BulkheadDeclaration... declarations) {
        Map<String, String> full = new HashMap<>();
        properties.forEach((key, value) -> full.put("quarkus.redis-bulkhead." + key, value));
        SmallRyeConfig config = new SmallRyeConfigBuilder()
                .withConverter(Duration.class, 1_000, new DurationConverter())
                .withMapping(RedisBulkheadRuntimeConfig.class)
                .withSources(new PropertiesConfigSource(full, "test", 100))
                .build();
        ConfigurationErrors errors = new ConfigurationErrors();
        RedisBulkheadRuntimeConfig mapping = config.getConfigMapping(RedisBulkheadRuntimeConfig.class);
        GlobalSettings.check(mapping, errors);
        Map<String, BulkheadSettings.Setting> settings = BulkheadSettings.of(List.of(declarations), mapping, errors);
        errors.report();
        return settings;
    }
}
