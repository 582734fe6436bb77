package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
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
import redis.embedded.RedisServer;

/** Trap 25: Redis is down at start, in mid-call and at the release; the application runs, and knows Redis again soon. */
class RedisAwayTest {

    // This class is loaded twice, by JUnit and by the application; both must see the same port.
    static final int PORT = Integer
            .parseInt((String) System.getProperties().computeIfAbsent("redis-away-test.port", key -> freePort()));

    static RedisServer redis;

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Guarded.class))
            .overrideConfigKey("quarkus.redis.permits.hosts", "redis://127.0.0.1:" + PORT)
            .overrideConfigKey("quarkus.redis-bulkhead.redis-client", "permits");

    @Inject
    Guarded guarded;

    @Inject
    RedisBulkheads bulkheads;

    @AfterEach
    void stop() {
        if (redis != null && redis.isActive()) {
            stopRedis();
        }
    }

    @Test
    void awayAtStartInMidCallAndAtRelease() {
        assertThatThrownBy(() -> guarded.run(() -> {
        })).isInstanceOfSatisfying(BulkheadUnavailableException.class, e -> assertThat(e.name()).isEqualTo("reports"));
        assertThatThrownBy(() -> guarded.runLater().await().indefinitely()).isInstanceOf(BulkheadUnavailableException.class);
        assertThatThrownBy(() -> bulkheads.semaphore("reports").status()).isInstanceOf(BulkheadUnavailableException.class);

        startRedis();
        awaitBack();

        assertThat(guarded.run(RedisAwayTest::stopRedis)).as("away at the release").isEqualTo("done");
        assertThatThrownBy(() -> guarded.run(() -> {
        })).isInstanceOf(BulkheadUnavailableException.class);

        startRedis();
        awaitBack();
        assertThat(guarded.runLater().await().indefinitely()).isEqualTo("done");
        assertThat(guarded.run(RedisAwayTest::restartRedis)).as("restarted in mid-call").isEqualTo("done");
        assertThat(bulkheads.semaphore("reports").status().inUse()).isZero();
    }

    // A probe finds out that Redis is back.
    private void awaitBack() {
        await().atMost(20, TimeUnit.SECONDS).ignoreExceptions().until(() -> guarded.run(() -> {
        }).equals("done"));
    }

    private static void startRedis() {
        try {
            redis = RedisServer.newRedisServer().port(PORT).bind("127.0.0.1").setting("save \"\"").build();
            redis.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void stopRedis() {
        try {
            redis.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void restartRedis() {
        stopRedis();
        startRedis();
    }

    private static String freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return Integer.toString(socket.getLocalPort());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
