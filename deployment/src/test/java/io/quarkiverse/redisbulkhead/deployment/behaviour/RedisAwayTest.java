package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.TimeUnit;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** Trap 25: Redis is down at start-up, during a call and at its release; the application runs, and soon reconnects. */
class RedisAwayTest {

    static final KillableRedis REDIS = new KillableRedis("redis-away-test");

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Guarded.class, KillableRedis.class))
            .overrideConfigKey("quarkus.redis.permits.hosts", REDIS.address())
            .overrideConfigKey("quarkus.redis-bulkhead.redis-client", "permits");

    @Inject
    Guarded guarded;

    @Inject
    RedisBulkheads bulkheads;

    @AfterEach
    void stop() {
        REDIS.stop();
    }

    @Test
    void outageAtStartDuringACallAndAtItsRelease() {
        assertThatThrownBy(() -> guarded.run(() -> {
        })).isInstanceOfSatisfying(BulkheadUnavailableException.class, e -> assertThat(e.name()).isEqualTo("reports"));
        assertThatThrownBy(() -> guarded.runLater().await().indefinitely()).isInstanceOf(BulkheadUnavailableException.class);
        assertThatThrownBy(() -> bulkheads.semaphore("reports").status()).isInstanceOf(BulkheadUnavailableException.class);

        REDIS.start();
        awaitBack();

        assertThat(guarded.run(REDIS::stop)).as("outage at the release").isEqualTo("done");
        assertThatThrownBy(() -> guarded.run(() -> {
        })).isInstanceOf(BulkheadUnavailableException.class);

        REDIS.start();
        awaitBack();
        assertThat(guarded.runLater().await().indefinitely()).isEqualTo("done");
        assertThat(guarded.run(RedisAwayTest::restartRedis)).as("restarted during the call").isEqualTo("done");
        await().atMost(20, TimeUnit.SECONDS).ignoreExceptions()
                .until(() -> bulkheads.semaphore("reports").status().inUse() == 0);
    }

    // A probe detects that Redis is back.
    private void awaitBack() {
        await().atMost(20, TimeUnit.SECONDS).ignoreExceptions().until(() -> guarded.run(() -> {
        }).equals("done"));
    }

    private static void restartRedis() {
        REDIS.stop();
        REDIS.start();
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "reports", permits = 1)
        String run(Runnable body) {
            body.run();
            return "done";
        }

        @RedisBulkhead(name = "reports", permits = 1)
        Uni<String> runLater() {
            return Uni.createFrom().item("done");
        }
    }
}
