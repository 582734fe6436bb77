package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.jboss.logmanager.ExtLogRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.CurrentPermit;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisLock;
import io.quarkiverse.redisbulkhead.deployment.OptionalExtensions;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.quarkiverse.redisbulkhead.testredis.Caller;
import io.quarkiverse.redisbulkhead.testredis.CapturedLog;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/**
 * Trap 25: Redis is down at start-up, and stops before and during calls. Calls follow the outage policy of their bulkhead or
 * the default, and recover automatically. {@code OutageTest} has the policies.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class OutagePolicyTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    static final KillableRedis REDIS = new KillableRedis("outage-policy-test");

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Guarded.class, KillableRedis.class, OptionalExtensions.class,
                    Scrape.class, Scrape.Sample.class))
            .setForcedDependencies(OptionalExtensions.of(OptionalExtensions.METRICS))
            .overrideConfigKey("quarkus.redis-bulkhead.metrics.cluster-interval", "100ms")
            // A busy machine may delay replies, and each outage takes that long.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "3s")
            .overrideConfigKey("quarkus.redis.permits.hosts", REDIS.address())
            .overrideConfigKey("quarkus.redis-bulkhead.redis-client", "permits")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.on-outage", "local")
            // Idle permits would serve calls during the outage.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.keep-idle", "0s")
            // Also makes the bulkhead with one permit follow reject.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.instances", "4")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"allowing\".on-outage", "allow")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"reports\".on-outage", "reject")
            .setLogRecordPredicate(line -> BulkheadRegistry.class.getName().equals(line.getLoggerName()))
            .assertLogRecords(lines -> assertThat(lines)
                    .extracting(line -> line.getLevel() + " " + ((ExtLogRecord) line).getFormattedMessage())
                    .containsExactly(
                            "INFO Bulkheads with fewer permits than quarkus.redis-bulkhead.instances reject calls while Redis"
                                    + " is away, although quarkus.redis-bulkhead.on-outage is local: rejecting. For a limit of"
                                    + " each instance there, set local-permits for them"));

    @Inject
    Guarded guarded;

    @Inject
    RedisBulkheads bulkheads;

    // Recovery is automatic: a probe detects that Redis is back.
    private void startRedis() {
        REDIS.start();
        await().atMost(LONG).ignoreExceptions().until(() -> guarded.rejecting(() -> "done").equals("done"));
    }

    // A busy machine may still delay one reply too long.
    private void start() {
        startRedis();
        await().atMost(LONG).pollDelay(Duration.ZERO).ignoreExceptions().until(() -> guarded.allowing(guarded::token) > 0);
    }

    @AfterEach
    void stop() {
        REDIS.stop();
    }

    /** Redis is not yet there. Each outage is logged once, not once per call. */
    @Test
    @Order(0)
    void rejectsCallsDuringTwoOutages() throws Exception {
        try (CapturedLog log = new CapturedLog("io.quarkiverse.redisbulkhead.runtime", Level.INFO)) {
            for (int round = 0; round < 2; round++) {
                List<Caller<String>> callers = Stream.generate(() -> Caller.of(() -> guarded.report(() -> "never"))).limit(20)
                        .toList();
                for (Caller<String> caller : callers) {
                    assertThat(caller.failure()).isInstanceOfSatisfying(BulkheadUnavailableException.class,
                            e -> assertThat(e.name()).isEqualTo("reports"));
                }
                assertThatThrownBy(() -> guarded.reportLater().await().indefinitely())
                        .isInstanceOf(BulkheadUnavailableException.class);
                assertThatThrownBy(() -> bulkheads.semaphore("reports").status())
                        .isInstanceOf(BulkheadUnavailableException.class);

                startRedis();

                for (int i = 0; i < 20; i++) {
                    assertThat(guarded.report(() -> "done")).isEqualTo("done");
                }
                assertThat(guarded.reportLater().await().indefinitely()).isEqualTo("done");
                // The last call does not wait for its release, and a missing reply would be logged as another outage.
                assertThat(bulkheads.semaphore("reports").status().inUse()).isZero();
                if (round == 0) {
                    assertThat(guarded.report(() -> {
                        REDIS.stop();
                        return "done";
                    })).as("outage at the release").isEqualTo("done");
                }
            }
            assertThat(log.records()).extracting(line -> line.getLevel().getName()).containsExactly("WARN", "INFO", "WARN",
                    "INFO");
            assertThat(log.texts().get(0)).contains("on-outage");
            assertThat(log.texts().get(1)).contains("is available again");
        }
    }

    /** Metrics count what the policies did, and omit values that are unknown during the outage. */
    @Test
    void metricsReportTheOutage() {
        start();
        awaitLimit(1.0);
        double unavailable = calls("rejecting", "unavailable");
        double bypassed = calls("allowing", "bypassed");

        REDIS.stop();

        assertThatThrownBy(() -> guarded.rejecting(() -> "never")).isInstanceOf(BulkheadUnavailableException.class);
        guarded.allowing(guarded::token);
        assertThat(calls("rejecting", "unavailable")).isEqualTo(unavailable + 1);
        assertThat(calls("allowing", "bypassed")).isEqualTo(bypassed + 1);
        assertThat(Scrape.now().value("redis_bulkhead_operation_duration_seconds_count", "operation", "sync", "outcome",
                "failure")).isPositive();
        awaitLimit(Double.NaN);
        assertThat(Scrape.now().value("redis_bulkhead_permits_in_use", "bulkhead", "rejecting")).isNaN();
    }

    private static double calls(String bulkhead, String result) {
        return Scrape.now().samples("redis_bulkhead_calls_total", "bulkhead", bulkhead, "result", result)
                .mapToDouble(Scrape.Sample::value).sum();
    }

    // Boxed, because NaN equals itself only as an object.
    private static void awaitLimit(Double limit) {
        await().atMost(LONG).pollDelay(Duration.ZERO).untilAsserted(() -> assertThat(
                Scrape.now().value("redis_bulkhead_permits_limit", "bulkhead", "rejecting")).isEqualTo(limit));
    }

    /** No lock is granted without Redis, whatever the policy of bulkheads. */
    @Test
    void locksNeedRedis() {
        start();
        REDIS.stop();
        RedisLock lock = bulkheads.lock("orders");
        assertThatThrownBy(lock::tryLock).isInstanceOf(BulkheadUnavailableException.class)
                .hasMessageContaining("'lock:orders'");
        assertThatThrownBy(() -> lock.run(() -> fail("must not run"))).isInstanceOf(BulkheadUnavailableException.class);
        assertThatThrownBy(() -> lock.callAsync(() -> fail("must not run")).await().atMost(LONG))
                .isInstanceOf(BulkheadUnavailableException.class);
        assertThatThrownBy(lock::owner).isInstanceOf(BulkheadUnavailableException.class);

        startRedis();

        await().atMost(LONG).ignoreExceptions().until(() -> lock.owner().isEmpty());
        try (Permit owned = lock.lock()) {
            assertThat(owned.fencingToken()).isPositive();
            assertThat(lock.tryLock()).isEmpty();
        }
    }

    @ApplicationScoped
    public static class Guarded {
        @Inject
        CurrentPermit current;

        long token() {
            return current.get().fencingToken();
        }

        @RedisBulkhead(name = "rejecting", permits = 1)
        <T> T rejecting(Callable<T> body) {
            return call(body);
        }

        @RedisBulkhead(name = "allowing", permits = 1)
        <T> T allowing(Callable<T> body) {
            return call(body);
        }

        @RedisBulkhead(name = "reports", permits = 50)
        <T> T report(Callable<T> body) {
            return call(body);
        }

        @RedisBulkhead(name = "reports", permits = 50)
        Uni<String> reportLater() {
            return Uni.createFrom().item("done");
        }

        private static <T> T call(Callable<T> body) {
            try {
                return body.call();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
