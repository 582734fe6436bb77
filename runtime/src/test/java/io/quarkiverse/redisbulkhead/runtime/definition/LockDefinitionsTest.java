package io.quarkiverse.redisbulkhead.runtime.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.DefinedInCode;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

class LockDefinitionsTest {

    @Test
    void defaultsApplyWithoutConfiguration() {
        assertThat(settings(Map.of()).lock("orders")).isEqualTo(LockSpec.named("orders").build());
    }

    @Test
    void valuesOfALockOverrideGlobalValues() {
        EffectiveDefinitions settings = settings(
                Map.of("acquire-timeout", "1s", "lock-timeout", "2s", "\"of.orders\".lock-timeout",
                        "4s", "\"of.orders\".fair", "true", "jobs.acquire-timeout", "0s"));

        assertThat(settings.lock("any")).isEqualTo(
                LockSpec.named("any").acquireTimeout(Duration.ofSeconds(1)).lockTimeout(Duration.ofSeconds(2)).build());
        assertThat(settings.lock("of.orders")).isEqualTo(LockSpec.named("of.orders").acquireTimeout(Duration.ofSeconds(1))
                .lockTimeout(Duration.ofSeconds(4)).fair(true).build());
        assertThat(settings.lock("jobs")).isEqualTo(LockSpec.named("jobs").acquireTimeout(Duration.ZERO)
                .lockTimeout(Duration.ofSeconds(2)).build());
    }

    /** A bulkhead and a lock of the same name have separate settings. */
    @Test
    void locksAndBulkheadsAreSeparate() {
        Map<String, String> properties = Map.of("lock.acquire-timeout", "1s", "lock.orders.fair", "true", "orders.fair",
                "false");
        assertThat(config(properties).bulkheads()).containsOnlyKeys("orders");
        assertThat(config(properties).lock().locks()).containsOnlyKeys("orders");
        assertThat(config(properties).lock().locks().get("orders").fair()).hasValue(true);
    }

    @Test
    void minHoldIsThatOfTheLock() {
        assertThat(settings(Map.of("jobs.min-hold", "30s")).lock("jobs").minHold()).hasSeconds(30);
        assertThat(settings(Map.of("jobs.min-hold", "30s")).lock("orders").minHold()).isZero();
    }

    @Test
    void globalAwaitReleaseAppliesToLocks() {
        assertThat(settings(Map.of(), true).lock("archive").awaitRelease()).isTrue();
    }

    @Test
    void onlyKeepIdleOfTheLockApplies() {
        assertThat(settings(Map.of("jobs.keep-idle", "2s")).lock("jobs").keepIdle()).hasSeconds(2);
        assertThat(settings(Map.of("jobs.keep-idle", "2s")).lock("orders").keepIdle()).as("global keep-idle").isZero();
    }

    @Test
    void blankNameIsRefused() {
        assertThatThrownBy(() -> settings(Map.of()).lock(" ")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name must not be blank");
        assertThatThrownBy(() -> settings(Map.of()).lock(null)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name must not be blank");
    }

    private static EffectiveDefinitions settings(Map<String, String> properties) {
        return settings(properties, false);
    }

    private static EffectiveDefinitions settings(Map<String, String> properties, boolean awaitRelease) {
        Map<String, String> ofLocks = new HashMap<>();
        properties.forEach((key, value) -> ofLocks.put("lock." + key, value));
        ofLocks.put("command-timeout", "500ms");
        ofLocks.put("await-release", Boolean.toString(awaitRelease));
        ofLocks.put("keep-idle", "5s");
        ValidationErrors errors = new ValidationErrors();
        EffectiveDefinitions definitions = new EffectiveDefinitions(
                new Declarations(List.of(), List.of(), List.of(), DefinedInCode.NONE), properties(ofLocks), true,
                false,
                errors);
        errors.report();
        return definitions;
    }

    private static RedisBulkheadRuntimeConfig config(Map<String, String> properties) {
        return properties(properties).getConfigMapping(RedisBulkheadRuntimeConfig.class);
    }

    private static SmallRyeConfig properties(Map<String, String> properties) {
        Map<String, String> full = new HashMap<>();
        properties.forEach((key, value) -> full.put("quarkus.redis-bulkhead." + key, value));
        return new SmallRyeConfigBuilder()
                .withConverter(Duration.class, 1_000, new DurationConverter())
                .withMapping(RedisBulkheadRuntimeConfig.class)
                .withSources(new PropertiesConfigSource(full, "test", 100))
                .build();
    }
}
