package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

class ScriptFlushTest {

    /** Trap 22. */
    @Test
    void scriptFlushIsTransparent() throws Exception {
        TestRedis redis = new TestRedis();
        try (TestProcess process = new TestProcess(redis, TestStore.SCRIPT)) {
            get(acquire(process, "a"));
            redis.command("SCRIPT", "FLUSH");

            assertThat(get(acquire(process, "b"))).isInstanceOf(Granted.class);
            redis.command("SCRIPT", "FLUSH");
            assertThat(get(process.store.release(BulkheadId.of("reports"), "a"))).isTrue();
        } finally {
            redis.close();
        }
    }

    private static CompletionStage<AcquireReply> acquire(TestProcess process, String id) {
        return process.store
                .acquire(new AcquireRequest(BulkheadId.of("reports"), id, 5, Duration.ofMinutes(1), false, Duration.ZERO, "app",
                        "host:1", "Reports#render"));
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
}
