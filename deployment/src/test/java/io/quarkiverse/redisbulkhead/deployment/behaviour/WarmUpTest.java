package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.TimeUnit;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;

/** Trap 34: connections are open and scripts are loaded before the first call. */
class WarmUpTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest().withApplicationRoot(jar -> jar.addClass(Guarded.class));

    @Inject
    RedisDataSource redis;

    @Test
    void loadsTheScriptBeforeTheFirstCall() {
        await().atMost(30, TimeUnit.SECONDS)
                .until(() -> redis.execute("INFO", "commandstats").toString().contains("cmdstat_eval:calls="));
        assertThat(redis.execute("KEYS", "redis-bulkhead:*")).as("no keys written").isEmpty();
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "reports", permits = 1)
        void report() {
        }
    }
}
