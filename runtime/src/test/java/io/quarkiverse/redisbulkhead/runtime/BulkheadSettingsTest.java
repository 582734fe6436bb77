package io.quarkiverse.redisbulkhead.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

class BulkheadSettingsTest {

    static final BulkheadDeclaration REPORTS = new BulkheadDeclaration("reports", 5, false, Duration.ofSeconds(30),
            List.of("Reports#render"));
    static final BulkheadDeclaration OPEN = new BulkheadDeclaration("a.b c", RedisBulkhead.PERMITS_UNSET, false,
            Duration.ofSeconds(30), List.of("Open#call", "Open#again"));

    @Test
    void theAnnotationHoldsWhereNothingIsConfigured() {
        assertThat(settings(Map.of(), REPORTS).get("reports"))
                .isEqualTo(new BulkheadSettings.Setting(SemaphoreSpec.named("reports").permits(5).build(), true));
    }

    @Test
    void configurationWins() {
        assertThat(settings(Map.of("\"reports\".permits", "7", "\"reports\".fair", "true",
                "\"reports\".expire", "2m", "\"reports\".enabled", "false", "\"a.b c\".permits", "1"), REPORTS, OPEN))
                .satisfies(settings -> {
                    assertThat(settings.get("reports")).isEqualTo(new BulkheadSettings.Setting(SemaphoreSpec.named("reports")
                            .permits(7).fair(true).expire(Duration.ofMinutes(2)).build(), false));
                    assertThat(settings.get("a.b c").spec().permits()).isEqualTo(1);
                });
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

    private static Map<String, BulkheadSettings.Setting> settings(Map<String, String> properties,
            BulkheadDeclaration... declarations) {
        Map<String, String> full = new HashMap<>();
        properties.forEach((key, value) -> full.put("quarkus.redis-bulkhead." + key, value));
        SmallRyeConfig config = new SmallRyeConfigBuilder()
                .withConverter(Duration.class, 1_000, new DurationConverter())
                .withMapping(RedisBulkheadRuntimeConfig.class)
                .withSources(new PropertiesConfigSource(full, "test", 100))
                .build();
        return BulkheadSettings.of(List.of(declarations), config.getConfigMapping(RedisBulkheadRuntimeConfig.class));
    }
}
