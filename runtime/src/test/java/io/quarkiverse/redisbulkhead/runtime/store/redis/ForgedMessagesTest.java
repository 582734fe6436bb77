package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.PermitLost.Reason;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.store.HandOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.vertx.redis.client.Redis;

/** Effects of an attacker who may publish to the channel of a process and knows permit ids. */
@ParameterizedClass
@EnumSource(TestStore.class)
class ForgedMessagesTest {

    // After a third of it, the process may pause for several seconds before a renewal.
    private static final Duration LEASE = Duration.ofSeconds(9);
    private static final SemaphoreSpec SPEC = SemaphoreSpec.named("reports").permits(1).fair(true).expire(LEASE)
            .maxWait(Duration.ofMinutes(5)).build();
    private static final SemaphoreSpec LONG = SPEC.toBuilder().expire(Duration.ofMinutes(2)).build();
    private static final long FORGED_TOKEN = Long.MAX_VALUE;

    @Parameter
    TestStore kind;

    final TestRedis redis = new TestRedis();
    final Redis attacker = redis.newClient();
    TestProcess process;
    Semaphore semaphore;
    Admission holder;
    HeldPermit held;
    Admission waiter;

    @BeforeEach
    void holdAndWait() throws Exception {
        process = new TestProcess(redis, kind);
        semaphore = process.semaphore(SPEC);
        holder = process.semaphore(LONG).admit("A#hold");
        held = get(holder.granted()).get(0);
        waiter = semaphore.admit("A#wait");
        get(waiter.attempted());
        await().atMost(30, TimeUnit.SECONDS).until(() -> !mailbox().isEmpty());
    }

    @AfterEach
    void stop() {
        process.close();
        attacker.close();
        redis.close();
    }

    /** The process trusts it until the next renewal, at a third of the lease; Redis does not know the permit. */
    @Test
    void forgedHandOverLastsUntilTheNextRenewal() throws Exception {
        forgeUntilGranted();

        HeldPermit forged = get(waiter.granted()).get(0);
        assertThat(forged.isHeld()).isTrue();
        long began = System.nanoTime();
        await().atMost(20, TimeUnit.SECONDS).until(() -> !process.losses.isEmpty());

        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(LEASE);
        assertThat(process.losses).singleElement().satisfies(loss -> {
            assertThat(loss.permitId()).isEqualTo(forged.id());
            assertThat(loss.reason()).isEqualTo(Reason.GONE);
        });
        assertThat(held.isHeld()).as("no other permit is affected").isTrue();
        assertThat(get(semaphore.holders())).extracting(one -> one.permitId()).containsExactly(held.id());
        get(waiter.end());
        get(holder.end());
        // The last release may be in flight.
        await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> assertThat(get(semaphore.status())).satisfies(status -> {
            assertThat(status.inUse()).isZero();
            assertThat(status.waiting()).isZero();
        }));
    }

    /** The waiter queues again, behind all others, and is served. */
    @Test
    void forgedExpiredHandOverCostsThePlaceInTheQueue() throws Exception {
        String first = waitersId();
        publish(NotificationSubscriber.message(new Notice.HandedOver(first, new HandOver(1, Long.MIN_VALUE))));
        await().atMost(30, TimeUnit.SECONDS).until(() -> !List.of(first).equals(waiters()) && waiters().size() == 1);

        get(holder.end());
        assertThat(get(waiter.granted())).hasSize(1);
        get(waiter.end());
    }

    /** The holder sees a false loss; Redis keeps its permit until the execution ends. */
    @Test
    void forgedRevocationIsReportedAsALoss() throws Exception {
        publish(NotificationSubscriber.message(new Notice.Revoked(held.id())));

        await().atMost(30, TimeUnit.SECONDS).until(() -> !process.losses.isEmpty());
        assertThat(held.isHeld()).isFalse();
        assertThat(waiter.granted().toCompletableFuture()).as("the limit still holds").isNotDone();
        get(holder.end());
        assertThat(get(waiter.granted())).hasSize(1);
        get(waiter.end());
    }

    /** The waiter requests a permit, and Redis refuses. */
    @Test
    void forgedFreePermitOnlyCausesARequest() throws Exception {
        publish(NotificationSubscriber.message(new Notice.PermitFree(waitersId())));
        publish(NotificationSubscriber.message(new Notice.PermitFree(held.id())));

        assertThat(get(semaphore.status()).inUse()).isEqualTo(1);
        get(holder.end());
        assertThat(get(waiter.granted())).hasSize(1);
        get(waiter.end());
    }

    /** Unknown messages are ignored, and later messages are read. */
    @Test
    void otherMessagesAreHarmless() throws Exception {
        String id = waitersId();
        HostileTexts.some(200, 7).forEach(text -> {
            publish(text);
            publish("handed-over " + id + " " + text + " 1");
            publish("free " + text);
            publish("revoked " + text);
        });
        publish("handed-over " + id + " 1 99999999999999999999");
        publish("x".repeat(1_000_000));

        // A text that is a number is an expired hand-over: the waiter queues again, and briefly has no id.
        forgeUntilGranted();
        assertThat(get(waiter.granted())).hasSize(1);
        assertThat(held.isHeld()).isTrue();
        get(waiter.end());
        get(holder.end());
    }

    private void publish(String text) {
        redis.command(attacker, "PUBLISH", mailbox().get(0), text);
    }

    private List<String> mailbox() {
        return redis.command(attacker, "PUBSUB", "CHANNELS", "test:mailbox:*").stream().map(Object::toString).toList();
    }

    // The waiter may queue again in between, with a new id.
    private void forgeUntilGranted() {
        await("the forged hand-over").pollDelay(Duration.ZERO).atMost(30, TimeUnit.SECONDS).until(() -> {
            waiters().forEach(one -> publish(
                    NotificationSubscriber.message(new Notice.HandedOver(one, new HandOver(FORGED_TOKEN, Long.MAX_VALUE)))));
            return waiter.granted().toCompletableFuture().isDone();
        });
    }

    // After a pause of this process, the waiter has no place until its next poll.
    private String waitersId() {
        return await().pollDelay(Duration.ZERO).atMost(30, TimeUnit.SECONDS).until(this::waiters, ids -> !ids.isEmpty()).get(0);
    }

    private List<String> waiters() {
        return getUnchecked(semaphore.waiters()).stream().map(Waiter::permitId).toList();
    }

    private static <T> T getUnchecked(CompletionStage<T> stage) {
        try {
            return get(stage);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
}
