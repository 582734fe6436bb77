package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisLock;
import io.quarkus.test.QuarkusUnitTest;

/**
 * An application without annotations, with disabled bulkheads and {@code on-outage=allow}: its locks stay exclusive, and no
 * lock is granted without Redis.
 */
class LocksOnlyTest {

    static final KillableRedis REDIS = new KillableRedis("locks-only-test");

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(KillableRedis.class))
            .overrideConfigKey("quarkus.redis.hosts", REDIS.address())
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.enabled", "false")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.on-outage", "allow");

    @Inject
    RedisBulkheads bulkheads;

    @AfterEach
    void stop() {
        REDIS.stop();
    }

    @Test
    void grantsNoLockWithoutRedis() {
        RedisLock lock = bulkheads.lock("orders");
        assertThatThrownBy(lock::tryLock).isInstanceOf(BulkheadUnavailableException.class)
                .hasMessageContaining("'lock:orders'");
        assertThatThrownBy(() -> lock.run(() -> {
            throw new AssertionError("must not run");
        })).isInstanceOf(BulkheadUnavailableException.class);
        assertThatThrownBy(() -> lock.callAsync(() -> {
            throw new AssertionError("must not run");
        }).await().atMost(Duration.ofSeconds(10))).isInstanceOf(BulkheadUnavailableException.class);
        assertThatThrownBy(lock::owner).isInstanceOf(BulkheadUnavailableException.class);

        REDIS.start();
        // A probe detects that Redis is back.
        await().atMost(20, TimeUnit.SECONDS).ignoreExceptions().until(() -> lock.owner().isEmpty());
        Permit owned = lock.lock();
        assertThat(owned.fencingToken()).isPositive();
        assertThat(lock.tryLock()).isEmpty();
        assertThat(owned.release()).isTrue();
        assertThat(bulkheads.names()).isEmpty();
    }
}
