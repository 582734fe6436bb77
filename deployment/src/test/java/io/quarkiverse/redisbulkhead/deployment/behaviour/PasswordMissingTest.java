package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;

/** Trap 45: Redis requires a password and none is set. The application starts, and logs the missing property once. */
class PasswordMissingTest {

    static final KillableRedis REDIS = new KillableRedis("password-missing-test");

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Guarded.class, KillableRedis.class))
            .setBeforeAllCustomizer(() -> {
                REDIS.start();
                REDIS.send("CONFIG SET requirepass hunter2");
            })
            .overrideConfigKey("quarkus.redis.hosts", REDIS.address())
            // A busy machine may delay replies from Redis.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "10s")
            .setLogRecordPredicate(record -> record.getLevel().intValue() >= Level.WARNING.intValue()
                    && record.getLoggerName().startsWith("io.quarkiverse.redisbulkhead"))
            .assertLogRecords(PasswordMissingTest::saidOnce);

    @Inject
    Guarded guarded;

    @AfterAll
    static void stop() {
        REDIS.stop();
    }

    private static void saidOnce(List<LogRecord> records) {
        assertThat(records).singleElement()
                .satisfies(record -> assertThat(String.format(record.getMessage(), record.getParameters()))
                        .contains("Authentication required").contains("quarkus.redis.password"));
    }

    @Test
    void callsNameTheMissingPassword() {
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> guarded.report()).isInstanceOf(BulkheadUnavailableException.class)
                    .hasMessageContaining("Authentication required").hasMessageContaining("quarkus.redis.password")
                    .hasMessageNotContaining("no answer");
        }
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "reports", permits = 1)
        void report() {
        }
    }
}
