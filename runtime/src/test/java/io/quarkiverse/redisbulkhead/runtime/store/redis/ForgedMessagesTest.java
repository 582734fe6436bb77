package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static io.quarkiverse.redisbulkhead.runtime.store.redis.TestRedis.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.PermitLost.Reason;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.store.redis.StoredShares.Share;

/** Effects of an attacker who may publish to the channel of an instance, and knows its position. */
@ParameterizedClass
@EnumSource(TestStore.class)
class ForgedMessagesTest {

    private static final SemaphoreSpec SPEC = SemaphoreSpec.named("reports").permits(2).fair(true).expire(Duration.ofMinutes(2))
            .maxWait(Duration.ofMinutes(5)).build();
    // Beyond all tokens that were drawn.
    private static final long FAR_AHEAD_MICROS = 60_000_000;
    private static final String SHARES = "test:{reports}:shares";

    @Parameter
    TestStore kind;

    final TestRedis redis = new TestRedis();
    TestProcess process;
    TestProcess other;
    Semaphore semaphore;
    Admission elsewhere;
    Admission holder;
    HeldPermit held;
    Admission waiter;

    @BeforeEach
    void holdAndWait() throws Exception {
        process = new TestProcess(redis, kind);
        process.store.warmUp();
        await().atMost(30, TimeUnit.SECONDS).until(() -> process.store.inbox().canHear());
        other = new TestProcess(redis, kind);
        elsewhere = other.semaphore(SPEC).admit("B#hold");
        get(elsewhere.granted());
        semaphore = process.semaphore(SPEC);
        holder = semaphore.admit("A#hold");
        held = get(holder.granted()).get(0);
        waiter = semaphore.admit("A#wait");
        get(waiter.attempted());
    }

    @AfterEach
    void stop() {
        process.close();
        other.close();
        redis.close();
    }

    private Share position() {
        return StoredShares.of(redis, SHARES).stream()
                .filter(share -> share.instance().equals(process.store.inbox().ownName())).findFirst().orElseThrow();
    }

    private void publish(String text) {
        redis.command("PUBLISH", process.store.inbox().ownName(), text);
    }

    private void bothEnd() throws Exception {
        get(holder.end());
        assertThat(get(waiter.granted())).hasSize(1);
        get(waiter.end());
        get(elsewhere.end());
        await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> assertThat(get(semaphore.status())).satisfies(status -> {
            assertThat(status.inUse()).isZero();
            assertThat(status.waiting()).isZero();
        }));
    }

    /**
     * The instance trusts it until it states the position, which it does immediately; Redis admits only what it has granted.
     */
    @Test
    void forgedGrantLastsForOneStatement() throws Exception {
        await("the forged grant").pollDelay(Duration.ZERO).atMost(30, TimeUnit.SECONDS).until(() -> {
            Share now = position();
            publish("granted " + now.number() + " " + now.epoch() + " " + (now.granted() + 1) + " 0 9007199254740991 0 "
                    + (System.currentTimeMillis() * 1_000 + FAR_AHEAD_MICROS) + " 16 " + SHARES);
            return waiter.granted().toCompletableFuture().isDone();
        });
        HeldPermit forged = get(waiter.granted()).get(0);
        await().atMost(30, TimeUnit.SECONDS).until(() -> !process.losses.isEmpty());

        assertThat(process.losses).singleElement().satisfies(loss -> {
            assertThat(loss.permitId()).isEqualTo(forged.id());
            assertThat(loss.reason()).isEqualTo(Reason.GONE);
        });
        assertThat(held.isHeld()).as("no other permit is affected").isTrue();
        assertThat(get(semaphore.status()).inUse()).isEqualTo(2);
        get(waiter.end());
        get(holder.end());
    }

    /** Numbers that no store sends would stop the bulkhead for good: the store adopts the highest token of an instance. */
    @Test
    void forgedNumbersDoNotReachRedis() throws Exception {
        long far = 1L << 52;
        for (int i = 0; i < 10; i++) {
            Share now = position();
            String start = "granted " + now.number() + " " + now.epoch() + " ";
            publish(start + (now.granted() + 1) + " 0 0 0 " + (far - 20) + " 16 " + SHARES);
            publish(start + far + " 0 0 0 0 0 " + SHARES);
            publish("recalled " + far + " " + SHARES);
        }
        assertThat(get(held.refresh())).isTrue();
        get(holder.end());
        HeldPermit next = get(waiter.granted()).get(0);

        assertThat(next.fencingToken()).isPositive().isLessThan(far / 2);
        get(waiter.end());
        get(elsewhere.end());
    }

    /** Unknown messages are ignored, and later messages are read. */
    @Test
    void otherMessagesAreHarmless() throws Exception {
        Share now = position();
        HostileTexts.some(200, 7).forEach(text -> {
            publish(text);
            publish("granted " + text);
            publish("granted " + now.number() + " " + now.epoch() + " " + text + " " + SHARES);
            publish("recalled " + text + " " + SHARES);
            publish("changed " + text);
        });
        publish("granted " + now.number() + " " + now.epoch() + " 99999999999999999999 0 0 0 0 0 " + SHARES);
        publish("x".repeat(1_000_000));

        assertThat(held.isHeld()).isTrue();
        assertThat(process.losses).isEmpty();
        bothEnd();
    }
}
