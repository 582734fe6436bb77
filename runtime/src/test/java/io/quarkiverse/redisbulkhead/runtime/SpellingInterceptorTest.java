package io.quarkiverse.redisbulkhead.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.BulkheadConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.LockConfig;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

class SpellingInterceptorTest {

    static final String WITH = "quarkus.redis-bulkhead.\"open\".";
    static final String WITHOUT = "quarkus.redis-bulkhead.open.";
    static final String LOCK_WITH = "quarkus.redis-bulkhead.lock.\"open\".";
    static final String LOCK_WITHOUT = "quarkus.redis-bulkhead.lock.open.";

    private final SmallRyeConfigBuilder builder = new SmallRyeConfigBuilder()
            .addDiscoveredInterceptors()
            .addDefaultInterceptors()
            .withConverter(Duration.class, 1_000, new DurationConverter())
            .withMapping(RedisBulkheadRuntimeConfig.class)
            // As Quarkus does.
            .withMappingIgnore("quarkus.**")
            .withProfile("prod");

    @Test
    void eachPropertyMayBeWrittenInItsOwnWay() {
        file(Map.of(WITH + "permits", "5", WITHOUT + "max-wait", "2s", WITH + "fair", "true", WITHOUT + "expire", "10s",
                LOCK_WITH + "fair", "true", LOCK_WITHOUT + "lock-timeout", "5s", LOCK_WITH + "acquire-timeout", "0s"));

        BulkheadConfig open = open();
        assertThat(open.permits()).hasValue(5);
        assertThat(open.maxWait()).contains(Duration.ofSeconds(2));
        assertThat(open.fair()).contains(true);
        assertThat(open.expire()).contains(Duration.ofSeconds(10));
        LockConfig lock = read().lock().locks().get("open");
        assertThat(lock.fair()).contains(true);
        assertThat(lock.lockTimeout()).contains(Duration.ofSeconds(5));
        assertThat(lock.acquireTimeout()).contains(Duration.ZERO);
    }

    @Test
    void theEmptyDefaultThatTheBuildAddsHidesNothing() {
        builder.withDefaultValue(WITH + "permits", "");
        file(Map.of(WITHOUT + "permits", "5"));

        assertThat(open().permits()).hasValue(5);
    }

    @Test
    void theHigherSourceWinsWhateverTheSpelling() {
        file(Map.of(WITH + "permits", "5", WITHOUT + "local-permits", "5"));
        builder.withSources(new PropertiesConfigSource(Map.of(WITHOUT + "permits", "6", WITH + "local-permits", "6"), "higher",
                400));

        assertThat(open().permits()).hasValue(6);
        assertThat(open().localPermits()).hasValue(6);
    }

    @Test
    void aBlankValueOfTheHigherSourceUnsetsTheOther() {
        file(Map.of(WITH + "permits", "5"));
        builder.withSources(new PropertiesConfigSource(Map.of(WITHOUT + "permits", ""), "higher", 400));

        assertThat(open().permits()).isEmpty();
    }

    @Test
    void withinOneSourceTheQuotedOneWins() {
        file(Map.of(WITH + "permits", "5", WITHOUT + "permits", "6", LOCK_WITH + "fair", "true", LOCK_WITHOUT + "fair",
                "false"));

        assertThat(open().permits()).hasValue(5);
        assertThat(read().lock().locks().get("open").fair()).contains(true);
        assertThat(builder.build().getConfigValue(WITHOUT + "permits").getValue()).isEqualTo("5");
    }

    @Test
    void aProfileWinsWhateverTheSpelling() {
        file(Map.of(WITH + "permits", "5", "%prod." + WITHOUT + "permits", "6", "%dev." + WITH + "permits", "7",
                WITHOUT + "local-permits", "5", "%prod." + WITH + "local-permits", "6"));

        assertThat(open().permits()).hasValue(6);
        assertThat(open().localPermits()).hasValue(6);
    }

    @Test
    void environmentVariablesNeedNoDoubledUnderscores() {
        builder.withDefaultValue("quarkus.redis-bulkhead.\"open-late\".max-wait", "");
        builder.withSources(new EnvConfigSource(Map.of("QUARKUS_REDIS_BULKHEAD_OPEN_PERMITS", "5",
                "QUARKUS_REDIS_BULKHEAD__OPEN__FAIR", "true", "QUARKUS_REDIS_BULKHEAD_OPEN_LATE_MAX_WAIT", "2s",
                "QUARKUS_REDIS_BULKHEAD_LOCK_OPEN_FAIR", "true", "QUARKUS_REDIS_BULKHEAD_LOCK__OPEN__LOCK_TIMEOUT", "5s"),
                300));

        assertThat(open().permits()).hasValue(5);
        assertThat(open().fair()).contains(true);
        assertThat(read().bulkheads().get("open-late").maxWait()).contains(Duration.ofSeconds(2));
        assertThat(read().lock().locks().get("open").fair()).contains(true);
        assertThat(read().lock().locks().get("open").lockTimeout()).contains(Duration.ofSeconds(5));
    }

    @Test
    void aMessageTellsTheNameAsItIsWritten() {
        builder.withDefaultValue(WITH + "permits", "");
        file(Map.of(WITHOUT + "permits", "many"));

        assertThatThrownBy(builder::build).hasMessageContaining(WITHOUT + "permits");
    }

    @Test
    void whatThereIsOneWayToWriteStaysWhatItIs() {
        file(Map.of("quarkus.redis-bulkhead.\"of.sales\".permits", "5", "quarkus.redis-bulkhead.rest.status", "503",
                "quarkus.redis-bulkhead.lock.lock-timeout", "5s"));

        assertThat(read().bulkheads().get("of.sales").permits()).hasValue(5);
        assertThat(read().rest().status()).isEqualTo(503);
        assertThat(read().lock().lockTimeout()).hasSeconds(5);
    }

    private void file(Map<String, String> properties) {
        builder.withSources(new PropertiesConfigSource(properties, "file", 250));
    }

    private BulkheadConfig open() {
        return read().bulkheads().get("open");
    }

    private RedisBulkheadRuntimeConfig read() {
        SmallRyeConfig config = builder.build();
        return config.getConfigMapping(RedisBulkheadRuntimeConfig.class);
    }
}
