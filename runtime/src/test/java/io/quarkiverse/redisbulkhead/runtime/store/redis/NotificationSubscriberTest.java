package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.PermitLost.Reason;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.NoticesMissed;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.PermitFree;
import io.vertx.redis.client.ProtocolVersion;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** How waiters are notified, and what happens when messages are lost. */
@ParameterizedClass
@EnumSource(TestStore.class)
class NotificationSubscriberTest {

    @Parameter
    TestStore kind;

    static final SemaphoreSpec FAIR = SemaphoreSpec.named("reports").permits(1).fair(true).maxWait(Duration.ofMinutes(5))
            .build();

    final TestRedis redis = new TestRedis();
    TestProcess first;
    TestProcess second;

    @BeforeEach
    void start() {
        first = new TestProcess(redis, kind);
        second = new TestProcess(redis, kind);
    }

    @AfterEach
    void stop() {
        first.close();
        second.close();
        redis.close();
    }

    /** Trap 13: one subscription for the application, and none before a call waits. */
    @Test
    void waitersOfAllBulkheadsShareOneSubscription() throws Exception {
        acquire(first, FAIR);
        assertThat(subscriptions()).isEmpty();

        List<Admission> waiters = IntStream.range(0, 100).mapToObj(i -> {
            SemaphoreSpec spec = SemaphoreSpec.named("bulkhead " + i % 10).permits(1).maxWait(Duration.ofMinutes(5)).build();
            return second.semaphore(spec).admit("A#a");
        }).toList();
        await().atMost(30, TimeUnit.SECONDS).until(() -> waiters.stream().allMatch(NotificationSubscriberTest::isAttempted));

        await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> assertThat(subscriptions()).hasSize(1));
        // A connection that seems half open, as on a busy machine, is replaced; for a moment there may be one more.
        await().atMost(30, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(connections()).as("commands of two, messages of one, this read")
                        .isLessThanOrEqualTo(kind == TestStore.SCRIPT ? 4 : 2 * 4 + 2));
        waiters.forEach(Admission::end);
    }

    /** Trap 11: the subscription breaks and is renewed; a poll finds hand-overs that were missed. */
    @Test
    void handOverDuringASubscriptionGapIsFound() throws Exception {
        HeldPermit held = acquire(first, FAIR);
        Admission waiter = second.semaphore(FAIR).admit("A#a");
        await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> assertThat(subscriptions()).hasSize(1));

        redis.command("CLIENT", "KILL", "TYPE", "pubsub");
        held.release();

        assertThat(granted(waiter).get(30, TimeUnit.SECONDS)).hasSize(1);
        await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> assertThat(subscriptions()).hasSize(1));
        end(waiter);
    }

    /** Trap 11: no message arrives, because the user may not subscribe; waiters poll. */
    @Test
    void waitersPollWithoutMessages() throws Exception {
        redis.command("ACL", "SETUSER", "deaf", "on", ">secret", "~*", "resetchannels", "+@all", "-subscribe");
        RedisOptions deaf = redis.optionsOf("deaf");
        try (TestProcess third = new TestProcess(redis, kind, redis.options(), deaf)) {
            HeldPermit held = acquire(first, FAIR);
            Admission waiter = third.semaphore(FAIR).admit("A#a");
            await().atMost(30, TimeUnit.SECONDS).until(() -> isAttempted(waiter));
            held.release();

            assertThat(granted(waiter).get(30, TimeUnit.SECONDS)).hasSize(1);
            end(waiter);
        }
    }

    /** Trap 11: a firewall silently drops the connection, and no more messages arrive. */
    @Test
    void silentlyDroppedSubscriptionIsReplaced() throws Exception {
        TestProxy proxy = new TestProxy(TestProxy.First.IS_FORGOTTEN, redis.port());
        List<Notice> notices = new CopyOnWriteArrayList<>();
        try (RedisConnectionManager connections = new RedisConnectionManager(redis.vertx(), TestRedis.options(proxy.port()),
                "quarkus.redis", "test",
                Duration.ofSeconds(10), 1, true);
                NotificationSubscriber notifications = new NotificationSubscriber(connections, 500)) {
            notifications.listen(notices::add);
            notifications.open();
            await().atMost(30, TimeUnit.SECONDS).until(() -> notices.equals(List.of(new NoticesMissed())));

            proxy.forgetFirst();

            await().atMost(60, TimeUnit.SECONDS).until(() -> {
                notifications.check(true);
                return notices.equals(List.of(new NoticesMissed(), new NoticesMissed()));
            });
            redis.command("PUBLISH", notifications.name(), "free me");
            await().atMost(30, TimeUnit.SECONDS).until(() -> notices.contains(new PermitFree("me")));
        } finally {
            proxy.close();
        }
    }

    /** Messages that arrive during a connection check are not lost, and count as a sign of life. */
    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void messagesAndChecksDoNotInterfere(ProtocolVersion protocol) {
        Redis sender = redis.newClient();
        List<Notice> notices = new CopyOnWriteArrayList<>();
        try (RedisConnectionManager connections = new RedisConnectionManager(redis.vertx(),
                redis.options().setPreferredProtocolVersion(protocol), "quarkus.redis", "test", Duration.ofSeconds(10), 1,
                true);
                NotificationSubscriber notifications = new NotificationSubscriber(connections, 10_000)) {
            notifications.listen(notices::add);
            notifications.open();
            await().atMost(30, TimeUnit.SECONDS).until(() -> notices.equals(List.of(new NoticesMissed())));
            List<Notice> sent = IntStream.range(0, 5_000).<Notice> mapToObj(i -> new PermitFree("p" + i)).toList();

            sent.forEach(notice -> {
                notifications.check(true);
                redis.command(sender, "PUBLISH", notifications.name(), NotificationSubscriber.message(notice));
            });

            await().atMost(30, TimeUnit.SECONDS).until(() -> notices.size() > sent.size());
            assertThat(notices.subList(1, notices.size())).containsExactlyInAnyOrderElementsOf(sent);
        } finally {
            sender.close();
        }
    }

    /** The scripts work without the permission to publish. */
    @Test
    void handOverWorksWithoutPermissionToPublish() throws Exception {
        redis.command("ACL", "SETUSER", "mute", "on", ">secret", "~*", "resetchannels", "+@all");
        RedisOptions mute = redis.optionsOf("mute");
        try (TestProcess third = new TestProcess(redis, kind, mute, redis.options())) {
            HeldPermit held = acquire(third, FAIR);
            Admission waiter = second.semaphore(FAIR).admit("A#a");
            await().atMost(30, TimeUnit.SECONDS).until(() -> isAttempted(waiter));
            assertThat(held.release().toCompletableFuture().get(30, TimeUnit.SECONDS)).isTrue();

            assertThat(granted(waiter).get(30, TimeUnit.SECONDS)).hasSize(1);
            end(waiter);
        }
    }

    /** Trap 11: the message about the release is lost, and the wait times out before the next poll. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shortWaitSendsALastRequest(boolean fair) throws Exception {
        redis.command("ACL", "SETUSER", "mute", "on", ">secret", "~*", "resetchannels", "+@all");
        RedisOptions mute = redis.optionsOf("mute");
        SemaphoreSpec brief = FAIR.toBuilder().fair(fair).maxWait(Duration.ofMillis(1_500)).build();
        try (TestProcess third = new TestProcess(redis, kind, mute, redis.options())) {
            // Repeats if the wait times out before the release because of a pause of this process.
            await().pollDelay(Duration.ZERO).atMost(60, TimeUnit.SECONDS).until(() -> {
                HeldPermit held = acquire(third, brief);
                long requested = System.nanoTime();
                Admission waiter = second.semaphore(brief).admit("A#a");
                await().atMost(30, TimeUnit.SECONDS).until(() -> isAttempted(waiter));
                held.release().toCompletableFuture().get(30, TimeUnit.SECONDS);
                boolean inTime = System.nanoTime() - requested < TimeUnit.SECONDS.toNanos(1);
                if (inTime) {
                    assertThat(granted(waiter).get(30, TimeUnit.SECONDS)).hasSize(1);
                }
                end(waiter);
                return inTime;
            });
        }
    }

    /** Trap 12: the process of the holder died, so there is neither a release nor a message. */
    @Test
    void leaseExpiryWakesWaiters() throws Exception {
        SemaphoreSpec shortLease = FAIR.toBuilder().expire(Duration.ofMillis(800)).build();
        // Directly from the store, so that it is not renewed.
        first.store.acquire(new AcquireRequest(BulkheadId.of("reports"), "dead", 1,
                Duration.ofMillis(800), true, Duration.ZERO, "app", "host:9", "A#a")).toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
        Admission waiter = second.semaphore(shortLease).admit("A#a");

        assertThat(granted(waiter).get(60, TimeUnit.SECONDS)).hasSize(1);
        end(waiter);
    }

    /** Redis restarts empty: holders lose their permits, and waiters are served. */
    @Test
    void waitersSurviveARestartOfRedis() throws Exception {
        SemaphoreSpec shortLease = FAIR.toBuilder().expire(Duration.ofSeconds(3)).build();
        HeldPermit held = acquire(first, shortLease);
        Admission waiter = second.semaphore(shortLease).admit("A#a");
        await().atMost(30, TimeUnit.SECONDS).until(() -> isAttempted(waiter));

        redis.stop();
        redis.start();

        assertThat(granted(waiter).get(60, TimeUnit.SECONDS)).hasSize(1);
        await().atMost(60, TimeUnit.SECONDS).until(() -> !held.isHeld());
        await().atMost(60, TimeUnit.SECONDS).untilAsserted(() -> assertThat(first.losses).hasSize(1));
        end(waiter);
    }

    /** Processes that hold permits for long also subscribe. */
    @Test
    void revocationReachesAHolderWithoutWaiters() throws Exception {
        HeldPermit held = acquire(first, FAIR.toBuilder().maxWait(Duration.ZERO).expire(Duration.ofMinutes(10)).build());
        assertThat(held.refresh().toCompletableFuture().get(30, TimeUnit.SECONDS)).isTrue();
        await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> assertThat(subscriptions()).hasSize(1));

        second.semaphore(FAIR).revoke(held.id());

        await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> assertThat(first.losses).singleElement()
                .satisfies(loss -> assertThat(loss.reason()).isEqualTo(Reason.REVOKED)));
    }

    @Test
    void revocationReachesItsHolder() throws Exception {
        HeldPermit held = acquire(first, FAIR);
        Admission waiter = first.semaphore(FAIR).admit("A#a");
        await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> assertThat(subscriptions()).hasSize(1));

        assertThat(second.semaphore(FAIR).revoke(held.id()).toCompletableFuture().get(30, TimeUnit.SECONDS)).isTrue();

        assertThat(granted(waiter).get(30, TimeUnit.SECONDS)).hasSize(1);
        await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> assertThat(first.losses).singleElement()
                .satisfies(loss -> assertThat(loss.reason()).isEqualTo(Reason.REVOKED)));
        assertThat(held.isHeld()).isFalse();
        assertThat(second.semaphore(FAIR).revoke(held.id()).toCompletableFuture().get(30, TimeUnit.SECONDS)).isFalse();
        end(waiter);
    }

    private static HeldPermit acquire(TestProcess process, SemaphoreSpec spec) throws Exception {
        return granted(process.semaphore(spec).admit("A#hold")).get(30, TimeUnit.SECONDS).get(0);
    }

    private static CompletableFuture<List<HeldPermit>> granted(Admission admission) {
        return admission.granted().toCompletableFuture();
    }

    private static boolean isAttempted(Admission admission) {
        return admission.attempted().toCompletableFuture().isDone();
    }

    private static void end(Admission admission) throws Exception {
        admission.end().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    private List<String> subscriptions() {
        return redis.command("PUBSUB", "CHANNELS", "*").stream().map(Object::toString).toList();
    }

    private long connections() {
        return redis.command("CLIENT", "LIST").toString().lines().filter(line -> line.startsWith("id=")).count();
    }
}
