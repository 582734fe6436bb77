package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.stream.IntStream;

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

/**
 * Trap 25: Redis is down at start-up, and stops during a call. By default, other calls are rejected until it is back, and each
 * outage is logged once, not once per call.
 */
class OutageByDefaultTest {

    private static final Runnable NOTHING = () -> {
    };
    static final KillableRedis REDIS = new KillableRedis("outage-by-default-test");

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Guarded.class, KillableRedis.class, Caller.class))
            .overrideConfigKey("quarkus.redis.permits.hosts", REDIS.address())
            .overrideConfigKey("quarkus.redis-bulkhead.redis-client", "permits")
            // A busy machine may delay replies, and each outage takes that long.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "3s")
            // Otherwise idle permits serve calls in the second outage.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.keep-idle", "0s")
            .setLogRecordPredicate(record -> record.getLoggerName().startsWith("io.quarkiverse.redisbulkhead.runtime")
                    && record.getLevel().intValue() >= Level.INFO.intValue())
            .assertLogRecords(OutageByDefaultTest::eachChangeOnce);

    @Inject
    Guarded guarded;
    @Inject
    RedisBulkheads bulkheads;

    @AfterEach
    void stop() {
        REDIS.stop();
    }

    @Test
    void rejectsCallsDuringTwoOutages() throws Exception {
        for (int round = 0; round < 2; round++) {
            List<Caller<String>> callers = IntStream.range(0, 20).mapToObj(i -> Caller.of(() -> guarded.call(NOTHING)))
                    .toList();
            for (Caller<String> caller : callers) {
                assertThat(caller.failure()).isInstanceOfSatisfying(BulkheadUnavailableException.class,
                        e -> assertThat(e.name()).isEqualTo("reports"));
            }
            assertThatThrownBy(() -> guarded.callLater().await().indefinitely())
                    .isInstanceOf(BulkheadUnavailableException.class);
            assertThatThrownBy(() -> bulkheads.semaphore("reports").status())
                    .isInstanceOf(BulkheadUnavailableException.class);

            REDIS.start();

            // A probe detects that Redis is back.
            await().atMost(20, TimeUnit.SECONDS).ignoreExceptions().until(() -> guarded.call(NOTHING).equals("done"));
            for (int i = 0; i < 20; i++) {
                assertThat(guarded.call(NOTHING)).isEqualTo("done");
            }
            assertThat(guarded.callLater().await().indefinitely()).isEqualTo("done");
            // The last call does not wait for the reply to its release, and a missing reply would be logged as another
            // outage.
            assertThat(bulkheads.semaphore("reports").status().inUse()).isZero();
            if (round == 0) {
                assertThat(guarded.call(REDIS::stop)).as("outage at the release").isEqualTo("done");
            }
        }
    }

    private static void eachChangeOnce(List<LogRecord> records) {
        assertThat(records).extracting(LogRecord::getLevel).extracting(Level::getName)
                .containsExactly("WARN", "INFO", "WARN", "INFO");
        assertThat(records.get(0).getMessage()).contains("on-outage");
        assertThat(records.get(1).getMessage()).contains("is available again");
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "reports", permits = 50)
        String call(Runnable body) {
            body.run();
            return "done";
        }

        @RedisBulkhead(name = "reports", permits = 50)
        Uni<String> callLater() {
            return Uni.createFrom().item("done");
        }
    }
}
