package io.quarkiverse.redisbulkhead.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.redisbulkhead.BulkheadInterruptedException;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.guard.BlockingWait;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.runtime.IOThreadDetector;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

class BlockingWaitTest {

    @BeforeEach
    void allowBlocking() {
        BlockingOperationControl.setIoThreadDetector(new IOThreadDetector[0]);
    }

    @Test
    void interruptionMessageNamesTheBulkheadOrLock() {
        assertInterrupted(() -> BlockingWait.await("lock:daily", new CompletableFuture<>()),
                "The thread was interrupted while it waited for lock 'daily'");
        assertInterrupted(() -> BlockingWait.await("reports", new CompletableFuture<>()),
                "The thread was interrupted while it waited for a permit of bulkhead 'reports'");
        assertInterrupted(() -> reply("RedisLock", "owner", "lock:daily"),
                "The thread was interrupted while RedisLock.owner() waited for a reply about lock 'daily'");
        assertInterrupted(() -> reply("RedisSemaphore", "status", "reports"),
                "The thread was interrupted while RedisSemaphore.status() waited for a reply about bulkhead 'reports'");
    }

    private static void reply(String type, String method, String bulkhead) {
        BlockingWait.reply(type, method, bulkhead, CompletableFuture::new, reply -> {
        });
    }

    private static void assertInterrupted(ThrowingCallable wait, String message) {
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(wait).isInstanceOf(BulkheadInterruptedException.class).hasMessage(message);
        } finally {
            assertThat(Thread.interrupted()).as("still interrupted").isTrue();
        }
    }

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
