package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;

/** Connections that break or go silent during a call, over real sockets. */
@ParameterizedClass
@EnumSource(TestStore.class)
class LostReplyTest {

    // So that a read on another connection does not overtake the release.
    private static final SemaphoreSpec SPEC = SemaphoreSpec.named("reports").permits(1).awaitRelease(true).build();

    @Parameter
    TestStore kind;

    TestRedis redis;
    TestProxy proxy;
    TestProcess process;
    TestProcess other;

    @BeforeEach
    void start() {
        redis = new TestRedis();
        other = new TestProcess(redis, kind);
    }

    @AfterEach
    void stop() {
        process.close();
        other.close();
        proxy.close();
        redis.close();
    }

    /**
     * Trap 4: the connection breaks during a statement, which is stated again on a new one. The first copy reaches the server
     * after the release, and must not take a permit.
     */
    @Test
    void delayedStatementTakesNoPermit() throws Exception {
        connect(TestProxy.Fault.HOLDS_A_CALL_AND_CLOSES);
        Admission admission = admit();
        get(admission.granted());
        assertThat(inUse()).isEqualTo(1);
        get(admission.end());

        proxy.deliver();

        await().atMost(30, TimeUnit.SECONDS).until(() -> redis.command("EXISTS", "delivered").toInteger() == 1);
        assertThat(inUse()).isZero();
    }

    /** Trap 4: Redis carried the statement out, and the connection was reset before the answer. */
    @Test
    void permitWithALostAnswerIsKnownByTheNextOne() throws Exception {
        loadScripts();
        connect(TestProxy.Fault.RESETS_AFTER_A_CALL);
        Admission admission = admit();
        assertThat(proxy.holding().await(30, TimeUnit.SECONDS)).isTrue();
        await().atMost(30, TimeUnit.SECONDS).until(() -> StoredShares.granted(redis, "test:{reports}:shares") == 1);
        proxy.deliver();

        assertThat(get(admission.granted())).hasSize(1);
        get(admission.end());
        assertThat(inUse()).isZero();
    }

    /** Trap 4: the call was rejected after the first copy was lost; that copy arrives when the permit is free. */
    @Test
    void delayedStatementOfARejectedCallTakesNoPermit() throws Exception {
        connect(TestProxy.Fault.HOLDS_A_CALL_AND_CLOSES);
        HeldPermit theirs = get(other.semaphore(SPEC).admit("B#b").granted()).get(0);
        assertThatThrownBy(() -> get(admit().granted())).hasMessageContaining("full");
        get(theirs.release());

        proxy.deliver();

        await().atMost(30, TimeUnit.SECONDS).until(() -> redis.command("EXISTS", "delivered").toInteger() == 1);
        assertThat(inUse()).isZero();
    }

    /** A connection without an answer is replaced, and the position is stated on the new one. */
    @Test
    void silentConnectionIsReplaced() throws Exception {
        connect(TestProxy.Fault.DELAYS_A_CALL);

        for (int i = 0; i < 3; i++) {
            Admission admission = admit();
            assertThat(get(admission.granted())).hasSize(1);
            get(admission.end());
        }
    }

    private void loadScripts() throws Exception {
        get(get(other.semaphore(SPEC).admit("B#b").granted()).get(0).release());
    }

    private void connect(TestProxy.Fault first) {
        proxy = new TestProxy(first, kind == TestStore.SCRIPT ? "EVALSHA" : "MULTI", redis.port());
        process = new TestProcess(redis, kind, TestRedis.options(proxy.port()));
    }

    private Admission admit() {
        return process.semaphore(SPEC).admit("A#a");
    }

    private int inUse() throws Exception {
        return get(other.semaphore(SPEC).status()).inUse();
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        try {
            return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw (Exception) e.getCause();
        }
    }
}
