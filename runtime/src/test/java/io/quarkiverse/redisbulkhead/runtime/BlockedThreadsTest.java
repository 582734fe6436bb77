package io.quarkiverse.redisbulkhead.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkus.runtime.ExecutorRecorder;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

class BlockedThreadsTest {

    /** Trap 41: by default, half of the worker pool is reserved for other work. */
    @ParameterizedTest
    @CsvSource({ "8, 4", "7, 3", "1, 1" })
    void halfOfTheWorkerPoolMayBeBlocked(int workers, int blocked) {
        assertThat(maxBlockedThreads(Map.of("quarkus.thread-pool.max-threads", Integer.toString(workers)))).isEqualTo(blocked);
    }

    @Test
    void defaultPoolSizeAppliesWithoutConfiguration() {
        assertThat(maxBlockedThreads(Map.of())).isEqualTo(ExecutorRecorder.calculateMaxThreads() / 2)
                .isGreaterThanOrEqualTo(100);
    }

    @Test
    void configuredMaxBlockedThreadsWins() {
        assertThat(maxBlockedThreads(Map.of("quarkus.thread-pool.max-threads", "8",
                "quarkus.redis-bulkhead.max-blocked-threads", "0"))).isZero();
    }

    private static int maxBlockedThreads(Map<String, String> properties) {
        SmallRyeConfig config = new SmallRyeConfigBuilder().addDefaultInterceptors()
                .withConverter(Duration.class, 1_000, new DurationConverter())
                .withMapping(RedisBulkheadRuntimeConfig.class)
                .withSources(new PropertiesConfigSource(properties, "test", 100)).build();
        return BulkheadRuntime.maxBlockedThreads(config.getConfigMapping(RedisBulkheadRuntimeConfig.class), config);
    }
}
