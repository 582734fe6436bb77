package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A user without permission to publish gets a warning: nothing fails, but waiters wait longer. */
class PublishPermissionTest {

    final TestRedis redis = new TestRedis();
    final List<String> warnings = new CopyOnWriteArrayList<>();
    final Logger logger = Logger.getLogger(NotificationSubscriber.class.getName());
    final Handler handler = new Handler() {

        @Override
        public void publish(LogRecord record) {
            if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
                warnings.add(record.getMessage());
            }
        }

        @Override
        public void flush() {
            // Unbuffered.
        }

        @Override
        public void close() {
            // Nothing to close.
        }
    };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
    }

    @AfterEach
    void stop() {
        logger.setUseParentHandlers(true);
        logger.removeHandler(handler);
        redis.close();
    }

    @Test
    void missingPermissionIsLoggedOnce() {
        redis.command("ACL", "SETUSER", "mute", "on", ">secret", "~*", "&*", "+@all", "-publish");
        subscribeTwice("mute");

        assertThat(warnings).singleElement().satisfies(warning -> assertThat(warning).contains("PUBLISH"));
    }

    @Test
    void grantedPermissionIsNotLogged() {
        redis.command("ACL", "SETUSER", "able", "on", ">secret", "~*", "&*", "+@all");
        subscribeTwice("able");

        assertThat(warnings).isEmpty();
    }

    private void subscribeTwice(String user) {
        try (RedisConnectionManager connections = new RedisConnectionManager(redis.vertx(), redis.optionsOf(user),
                "quarkus.redis", "test",
                Duration.ofSeconds(5), 1, true);
                NotificationSubscriber notifications = new NotificationSubscriber(connections, 5_000)) {
            notifications.open();
            awaitSubscriptions(1);
            redis.command("CLIENT", "KILL", "TYPE", "pubsub");
            awaitSubscriptions(2);
        }
    }

    private void awaitSubscriptions(int number) {
        await().atMost(30, TimeUnit.SECONDS).until(() -> calls("subscribe") >= number
                && redis.command("PUBSUB", "CHANNELS", "*").size() == 1);
        // The subscriber checks the permission after each subscription.
        await().atMost(30, TimeUnit.SECONDS).until(() -> calls("publish") >= number);
    }

    /** Includes calls that Redis refused. */
    private long calls(String command) {
        return redis.command("INFO", "commandstats").toString().lines()
                .filter(line -> line.startsWith("cmdstat_" + command + ":"))
                .mapToLong(line -> Long.parseLong(line.replaceFirst(".*[:,]calls=(\\d+).*", "$1"))
                        + Long.parseLong(line.replaceFirst(".*rejected_calls=(\\d+).*", "$1")))
                .sum();
    }
}
