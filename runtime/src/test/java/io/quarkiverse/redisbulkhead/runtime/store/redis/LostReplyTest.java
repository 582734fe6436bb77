package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.RealTimers;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.SemaphoreEngine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;

/** Connections that break or go silent during a call, over real sockets. */
@ParameterizedClass
@EnumSource(TestStore.class)
class LostReplyTest {

    @Parameter
    TestStore kind;

    TestRedis redis;
    TestProxy proxy;
    RedisConnectionManager connections;
    PermitStore store;
    Semaphore semaphore;

    @BeforeEach
    void start() {
        redis = new TestRedis();
    }

    @AfterEach
    void stop() {
        connections.close();
        proxy.close();
        redis.close();
    }

    /**
     * Trap 4: the connection breaks during an acquire, which is retried on a new one. The first copy reaches the server after
     * the release, and must not take a permit.
     */
    @Test
    void delayedCopyOfAnAcquireTakesNoPermit() throws Exception {
        connect(TestProxy.First.HOLDS_A_CALL_AND_CLOSES, Duration.ofSeconds(10));
        Admission admission = semaphore.admit("A#a");
        get(admission.granted());
        assertThat(inUse()).isEqualTo(1);
        get(admission.end());

        deliver();

        await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> assertThat(inUse()).isZero());
    }

    /** Trap 4: Redis executed the request, and the connection was reset before the reply. */
    @Test
    void requestIsRetriedAfterAConnectionReset() throws Exception {
        // Loads the scripts.
        try (TestProcess other = new TestProcess(redis, kind)) {
            get(other.store.acquire(
                    new AcquireRequest(BulkheadId.of("reports"), "theirs", 1, Duration.ofMinutes(1), false, Duration.ZERO,
                            "app", "host:2", "B#b")));
            get(other.store.release(BulkheadId.of("reports"), "theirs"));
        }
        connect(TestProxy.First.RESETS_AFTER_A_CALL, Duration.ofSeconds(10));
        Admission admission = semaphore.admit("A#a");
        assertThat(proxy.holding().await(30, TimeUnit.SECONDS)).isTrue();
        await().atMost(30, TimeUnit.SECONDS).until(() -> redis.command("ZCARD", "test:{reports}:holders").toInteger() == 1);
        proxy.deliver();

        assertThat(get(admission.granted())).hasSize(1);
        get(admission.end());
        await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> assertThat(inUse()).isZero());
    }

    /** Trap 4: the same with a rejected second copy. */
    @Test
    void delayedCopyOfARejectedAcquireTakesNoPermit() throws Exception {
        connect(TestProxy.First.HOLDS_A_CALL_AND_CLOSES, Duration.ofSeconds(10));
        try (TestProcess other = new TestProcess(redis, kind)) {
            get(other.store.acquire(
                    new AcquireRequest(BulkheadId.of("reports"), "theirs", 1, Duration.ofMinutes(1), false, Duration.ZERO,
                            "app", "host:2", "B#b")));
            assertThatThrownBy(() -> get(semaphore.admit("A#a").granted())).hasMessageContaining("full");
            get(other.store.release(BulkheadId.of("reports"), "theirs"));
        }

        deliver();

        assertThat(inUse()).isZero();
    }

    /** Trap 4: a permit whose reply is lost is released in the background. */
    @Test
    void acquireWithoutAReplyIsUndone() throws Exception {
        connect(TestProxy.First.IS_FORGOTTEN, Duration.ofSeconds(1));
        assertThat(inUse()).isZero();
        long pid = redis.pid();
        TestRedis.signal(pid, "STOP");
        try {
            assertThatThrownBy(() -> get(semaphore.admit("A#a").granted())).isInstanceOf(BulkheadUnavailableException.class)
                    .hasMessageContaining("command-timeout");
        } finally {
            TestRedis.signal(pid, "CONT");
        }
        await().atMost(30, TimeUnit.SECONDS).until(() -> redis.command("ZCARD", "test:{reports}:cancelled").toInteger() == 1);

        await().atMost(30, TimeUnit.SECONDS).ignoreExceptions().until(() -> inUse() == 0);
    }

    /** Trap 5: a repeated release is not a loss. */
    @Test
    void repeatedReleaseIsNotReportedAsALoss() throws Exception {
        connect(TestProxy.First.HOLDS_A_CALL_AND_CLOSES, Duration.ofSeconds(10));

        assertThat(get(store.release(BulkheadId.of("reports"), "done-by-the-first-copy"))).isTrue();
        assertThat(get(store.release(BulkheadId.of("reports"), "never-there"))).isFalse();
    }

    /** A connection with a missing reply is replaced, and the call is retried on the new one. */
    @Test
    void silentConnectionIsReplaced() throws Exception {
        connect(TestProxy.First.GOES_SILENT, Duration.ofSeconds(8));

        for (int i = 0; i < 3; i++) {
            assertThat(inUse()).isZero();
        }
    }

    /** Trap 31: a failed connection attempt is not an outage. */
    @Test
    void callsWaitingForAConnectionSurviveAFailedHandshake() throws Exception {
        connect(TestProxy.First.NEVER_SPEAKS, Duration.ofSeconds(10));
        CompletableFuture<?> early = store.occupancy(BulkheadId.of("reports"), 0).toCompletableFuture();
        assertThat(proxy.accepted().await(30, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<?> late = store.occupancy(BulkheadId.of("reports"), 0).toCompletableFuture();
        proxy.closeFirst();

        get(early);
        get(late);
    }

    private void connect(TestProxy.First first, Duration timeout) {
        proxy = new TestProxy(first, kind == TestStore.SCRIPT ? "EVALSHA" : "MULTI", redis.port());
        connections = kind.connections(redis, TestRedis.options(proxy.port()), timeout);
        store = kind.open(redis, connections, new NotificationSubscriber(connections, 10_000));
        HolderIdentity identity = new HolderIdentity("app", "host:1");
        semaphore = new SemaphoreEngine(store, new RealTimers(), identity, loss -> {
        }, true, new WaiterLimits(Integer.MAX_VALUE))
                // So that a read on another connection does not overtake the release.
                .semaphore(SemaphoreSpec.named("reports").permits(1).awaitRelease(true).build());
    }

    private void deliver() throws Exception {
        proxy.deliver();
        await().atMost(30, TimeUnit.SECONDS).until(() -> redis.command("EXISTS", "delivered").toInteger() == 1);
    }

    private int inUse() throws Exception {
        return get(store.occupancy(BulkheadId.of("reports"), 0)).inUse();
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        try {
            return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw (Exception) e.getCause();
        }
    }
}
