package io.quarkiverse.redisbulkhead.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

class BlockedThreadsTest {

    /** Trap 41: by default, half of the worker pool is reserved for other work. */
    @ParameterizedTest
    @CsvSource({ "8,, 4", "7,, 3", "1,, 1", "8, 0, 0" })
    void halfOfTheWorkerPoolMayBeBlockedUnlessConfigured(String workers, String configured, int blocked) {
        Map<String, String> properties = new HashMap<>(Map.of("quarkus.thread-pool.max-threads", workers));
        if (configured != null) {
            properties.put("quarkus.redis-bulkhead.max-blocked-threads", configured);
        }
        assertThat(maxBlockedThreads(properties)).isEqualTo(blocked);
        assertThat(maxBlockedThreads(Map.of())).as("of the default pool").isGreaterThanOrEqualTo(100);
    }

    private static int maxBlockedThreads(Map<String, String> properties) {
        SmallRyeConfig config = new SmallRyeConfigBuilder().addDefaultInterceptors()
                .withConverter(Duration.class, 1_000, new DurationConverter())
                .withMapping(RedisBulkheadRuntimeConfig.class)
                .withSources(new PropertiesConfigSource(properties, "test", 100)).build();
        return BulkheadRuntime.maxBlockedThreads(config.getConfigMapping(RedisBulkheadRuntimeConfig.class), config);
    }
}
