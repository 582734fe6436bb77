package io.quarkiverse.redisbulkhead.runtime.store.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Full;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Waiting;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.Backoff;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.StoreContendedException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.Weights;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys;
import io.quarkiverse.redisbulkhead.runtime.store.redis.NotificationSubscriber;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisConnectionManager;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestProcess;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestProxy;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestRedis;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestStore;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Response;

/** The specifics of the lock store: the lock, and transactions that depend on it. */
class LockPermitStoreTest {

    // Longer than any test, also on a busy machine.
    static final Duration LONG = Duration.ofMinutes(10);
    static final Duration STEP_TIMEOUT = Duration.ofMillis(500);
    static final String LOCK = "test:{reports}:lock";

    final List<AutoCloseable> open = new ArrayList<>();
    TestRedis redis;
    LockPermitStore store;

    @BeforeEach
    void start() {
        redis = new TestRedis();
        store = newStore(redis.port(), LONG);
    }

    @AfterEach
    void stop() throws Exception {
        assertThat(redis.command("EXISTS", LOCK).toInteger()).as("the lock is released").isZero();
        for (AutoCloseable each : open) {
            each.close();
        }
        redis.close();
    }

    private LockPermitStore newStore(int port, Duration contentionTimeout) {
        return newStore(port, STEP_TIMEOUT, contentionTimeout);
    }

    private LockPermitStore newStore(int port, Duration stepTimeout, Duration contentionTimeout) {
        RedisConnectionManager connections = LockStores.connections(redis, TestRedis.options(port), Duration.ofSeconds(20));
        open.add(connections);
        return new LockPermitStore(connections, new NotificationSubscriber(connections, 10_000), stepTimeout,
                contentionTimeout, LockStores.timer(redis));
    }

    /**
     * Trap 2, Trap 7: a process is paused within a step for longer than its lock, and another one acquires the last permit.
     */
    @Test
    void stepWithAnExpiredLockChangesNothing() throws Exception {
        TestProxy proxy = new TestProxy(TestProxy.First.DELAYS_A_CALL, "MULTI", redis.port());
        open.add(0, proxy);
        LockPermitStore paused = newStore(proxy.port(), LONG);
        CompletableFuture<AcquireReply> late = acquire(paused, "late", 1);
        assertThat(proxy.holding().await(30, TimeUnit.SECONDS)).isTrue();

        assertThat(get(acquire(store, "other", 1))).isInstanceOf(Granted.class);
        proxy.deliver();

        assertThat(get(late)).isInstanceOf(Full.class);
        assertThat(get(store.occupancy(BulkheadId.of("reports"), 0)).inUse()).isEqualTo(1);
    }

    /** The lock expired, but the data did not change: the step is still repeated with a new read. */
    @Test
    void expiredLockAloneFailsTheTransaction() throws Exception {
        TestProxy proxy = new TestProxy(TestProxy.First.DELAYS_A_CALL, "MULTI", redis.port());
        open.add(0, proxy);
        LockPermitStore paused = newStore(proxy.port(), LONG);
        CompletableFuture<AcquireReply> late = acquire(paused, "late", 1);
        assertThat(proxy.holding().await(30, TimeUnit.SECONDS)).isTrue();
        await().atMost(30, TimeUnit.SECONDS).until(() -> redis.command("EXISTS", LOCK).toInteger() == 0);

        proxy.deliver();

        assertThat(get(late)).isInstanceOf(Granted.class);
        assertThat(calls("exec")).as("transactions fail if they outlive their lock")
                .isGreaterThanOrEqualTo(2);
    }

    /** Trap 2: scripts ignore the lock. A script that takes the last permit during a step fails its transaction. */
    @Test
    void changeByAScriptFailsTheTransaction() throws Exception {
        TestProxy proxy = new TestProxy(TestProxy.First.DELAYS_A_CALL, "MULTI", redis.port());
        open.add(0, proxy);
        LockPermitStore delayed = newStore(proxy.port(), LONG, LONG);
        CompletableFuture<AcquireReply> late = acquire(delayed, "late", 1);
        assertThat(proxy.holding().await(30, TimeUnit.SECONDS)).isTrue();

        try (TestProcess scripts = new TestProcess(redis, TestStore.SCRIPT)) {
            assertThat(get(scripts.store.acquire(request("other", 1)))).isInstanceOf(Granted.class);
        }
        proxy.deliver();

        assertThat(get(late)).isInstanceOf(Full.class);
        assertThat(get(delayed.occupancy(BulkheadId.of("reports"), 0)).inUse()).isEqualTo(1);
    }

    /** Trap 7: a step that fails after its lock expired keeps the lock of its successor. */
    @Test
    void failedStepReleasesOnlyItsOwnLock() throws Exception {
        TestProxy proxy = new TestProxy(TestProxy.First.DELAYS_A_CALL, "MULTI", redis.port());
        open.add(0, proxy);
        LockPermitStore paused = newStore(proxy.port(), LONG);
        CompletableFuture<AcquireReply> refused = acquire(paused, "late", 1);
        assertThat(proxy.holding().await(30, TimeUnit.SECONDS)).isTrue();
        await().atMost(30, TimeUnit.SECONDS).until(() -> redis.command("EXISTS", LOCK).toInteger() == 0);
        redis.command("SET", LOCK, "of the next one");
        redis.command("ACL", "SETUSER", "default", "-zadd");

        proxy.deliver();

        assertThatThrownBy(() -> get(refused)).isInstanceOf(StoreException.class).hasMessageContaining("zadd");
        assertThat(redis.command("GET", LOCK)).hasToString("of the next one");
        redis.command("DEL", LOCK);
    }

    /** Trap 3: a process dies within a step. Others wait until its lock expires, and are not rejected. */
    @Test
    void lockOfADeadProcessExpires() throws Exception {
        redis.command("SET", LOCK, "of a dead process", "NX", "PX", STEP_TIMEOUT.toMillis());

        assertThat(get(acquire(store, "a", 1))).isInstanceOf(Granted.class);
    }

    /**
     * Trap 4: the connection breaks after a transaction was sent, then others hold the lock. The outcome is unknown, so this
     * is not mere contention.
     */
    @Test
    void contentionAfterALostReplyHasAnUnknownOutcome() throws Exception {
        LockedStep step = new LockedStep(new BulkheadKeys("test", BulkheadId.of("reports")), settings(),
                List.of(LockedStep.Operation.repeatable(List.of("a"), steps -> steps.release("a", Duration.ZERO))),
                false);
        assertThat(step.mayHaveBeenCarriedOut()).isFalse();
        TestProxy proxy = new TestProxy(TestProxy.First.HOLDS_A_CALL_AND_CLOSES, "MULTI", redis.port());
        open.add(0, proxy);
        Redis client = Redis.createClient(redis.vertx(), TestRedis.options(proxy.port()));
        open.add(client::close);

        RedisConnection connection = get(client.connect().toCompletionStage());
        assertThatThrownBy(() -> get(step.over(connection::send).toCompletionStage())).isNotNull();

        assertThat(step.mayHaveBeenCarriedOut()).isTrue();
        await().atMost(30, TimeUnit.SECONDS).until(() -> redis.command("EXISTS", LOCK).toInteger() == 0);
        redis.command("SET", LOCK, "of another client");
        RedisConnection next = get(redis.newClient().connect().toCompletionStage());
        assertThat(get(step.over(next::send).toCompletionStage()).progress()).isEqualTo(LockedStep.Progress.LOCKED);
        assertThat(step.mayHaveBeenCarriedOut()).isTrue();
        redis.command("DEL", LOCK);
        assertThat(get(step.over(next::send).toCompletionStage()).progress()).isEqualTo(LockedStep.Progress.DONE);
    }

    private static LockPermitStore.Settings settings() {
        return new LockPermitStore.Settings("test:mailbox", STEP_TIMEOUT, LONG, Duration.ofSeconds(1), LockPermitStore.MOST,
                LockPermitStore.Clock.OF_SERVER);
    }

    /** Another process holds the lock for longer than callers wait; this is not reported as a full bulkhead. */
    @Test
    void contentionIsNotFull() throws Exception {
        redis.command("SET", LOCK, "of another client");
        LockPermitStore impatient = newStore(redis.port(), Duration.ofMillis(300));

        assertThatThrownBy(() -> get(acquire(impatient, "a", 1))).isInstanceOfSatisfying(StoreContendedException.class, e -> {
            assertThat(e).hasMessageContaining("300 ms").hasMessageContaining("lock-store.contention-timeout");
            assertThat(e.outcomeUnknown()).isFalse();
        });

        redis.command("DEL", LOCK);
        // A pause of this process may exceed the contention timeout.
        await().pollDelay(Duration.ZERO).atMost(30, TimeUnit.SECONDS).ignoreExceptionsInstanceOf(StoreContendedException.class)
                .until(() -> get(acquire(impatient, "b", 1)) instanceof Granted);
        assertThat(get(store.occupancy(BulkheadId.of("reports"), 10)).holders()).hasSize(1);
        await().atMost(30, TimeUnit.SECONDS).until(() -> impatient.busy() == 0);
    }

    /** The pause after a success lets other processes get the lock; it does not increase later pauses. */
    @Test
    void pauseAfterSuccessIsNotAFailedAttempt() {
        Backoff backoff = new Backoff(Duration.ofMillis(10), Duration.ofMillis(100), () -> 1);
        LockPermitStore.StepQueue queue = new LockPermitStore.StepQueue(new BulkheadKeys("test", BulkheadId.of("reports")),
                backoff);
        assertThat(queue.pauseAfterSuccess()).as("without contention").isZero();
        assertThat(queue.pauseAfterContention()).hasMillis(10);
        assertThat(queue.pauseAfterContention()).hasMillis(20);
        assertThat(queue.pauseAfterSuccess()).hasMillis(10);
        assertThat(queue.pauseAfterContention()).hasMillis(10);
    }

    /** Few retries, with jitter, not one per millisecond. */
    @Test
    void heldLockIsRetriedWithBackOff() throws Exception {
        redis.command("SET", LOCK, "of another client", "PX", 2_000);
        long before = calls("set");

        assertThat(get(acquire(store, "a", 1))).isInstanceOf(Granted.class);

        assertThat(calls("set") - before).isLessThan(400);
    }

    /** A thousand concurrent requests of one process share few steps. */
    @Test
    void requestsDuringAStepShareTheNextOne() throws Exception {
        List<CompletableFuture<AcquireReply>> replies = IntStream.range(0, 1_000)
                .mapToObj(i -> acquire(store, "p" + i, 1_000)).toList();
        for (CompletableFuture<AcquireReply> reply : replies) {
            assertThat(get(reply)).isInstanceOf(Granted.class);
        }

        assertThat(calls("exec")).isLessThan(100);
        assertThat(get(store.occupancy(BulkheadId.of("reports"), 0)).inUse()).isEqualTo(1_000);
    }

    /** A key that a step empties and refills loses its time to live, and gets a new one. */
    @Test
    void keyRefilledInOneStepExpires() throws Exception {
        get(acquire(store, "a", 1));
        redis.command("SET", LOCK, "of another client");
        CompletableFuture<AcquireReply> meanwhile = acquire(store, "keeps-the-next-two-together", 1);
        await().atMost(30, TimeUnit.SECONDS).until(() -> calls("set") > 2);
        CompletableFuture<Boolean> release = store.release(BulkheadId.of("reports"), "a").toCompletableFuture();
        // A shorter lease, for which the old times to live would be sufficient.
        CompletableFuture<AcquireReply> next = store
                .acquire(new AcquireRequest(BulkheadId.of("reports"), "b", 1, Duration.ofSeconds(20), false,
                        Duration.ZERO, "app", "host:1", "A#a"))
                .toCompletableFuture();
        redis.command("DEL", LOCK);

        assertThat(get(meanwhile)).isInstanceOf(Full.class);
        assertThat(get(release)).isTrue();
        assertThat(get(next)).isInstanceOf(Granted.class);
        for (String part : List.of("holders", "state")) {
            assertThat(redis.command("PTTL", "test:{reports}:" + part).toLong()).as(part).isPositive();
        }
    }

    @Test
    void permitsExpiringTogetherAreAllHandedOverInOneStep() throws Exception {
        int permits = 60;
        for (int i = 0; i < permits; i++) {
            get(store.acquire(new AcquireRequest(BulkheadId.of("reports"), "dead" + i, permits, LONG, true, Duration.ZERO,
                    "app", "host:1", "A#a")));
        }
        for (int i = 0; i < permits; i++) {
            assertThat(get(store.acquire(
                    new AcquireRequest(BulkheadId.of("reports"), "waiter" + i, permits, LONG, true, LONG, "app", "host:1",
                            "A#a"))))
                    .isInstanceOf(Waiting.class);
        }
        // Sets the lease ends directly: no lease is short enough for a test and long enough for all requests on a busy
        // machine.
        for (int i = 0; i < permits; i++) {
            redis.command("ZADD", HOLDERS, "XX", 1, "dead" + i);
        }

        get(store.release(BulkheadId.of("reports"), "never"));

        // Checks the entries, because the short first leases are not renewed.
        await().atMost(30, TimeUnit.SECONDS).untilAsserted(
                () -> assertThat(redis.command("ZRANGE", HOLDERS, 0, -1).stream().map(Response::toString))
                        .containsExactlyInAnyOrderElementsOf(IntStream.range(0, permits).mapToObj(i -> "waiter" + i).toList()));
        assertThat(get(store.occupancy(BulkheadId.of("reports"), 0)).waiting()).isZero();
    }

    // ---- too many holders and waiters

    private static final String HOLDERS = "test:{reports}:holders";
    private static final String STATE = "test:{reports}:state";

    /** Entries as another store writes them, each with a record of its process. */
    private void fill(int holders, int waiters, boolean dead) {
        long now = System.currentTimeMillis();
        for (int i = 0; i < holders; i++) {
            redis.command("ZADD", HOLDERS, dead ? now - 1_000 : now + LONG.toMillis(), "held" + i);
            redis.command("HSET", STATE, "held" + i, (i + 1) + "\n" + now + "\n60000\n5000\ntheirs\napp\nhost:1\nA#a");
        }
        for (int i = 0; i < waiters; i++) {
            redis.command("ZADD", "test:{reports}:queue", 10_000 + i, "waits" + i);
            redis.command("HSET", STATE, "waits" + i,
                    (10_000 + i) + "\n" + now + "\n60000\n1\ntheirs\napp\nhost:1\nA#a");
        }
        redis.command("HSET", STATE, "last ticket", 20_000, "kept until", now + LONG.toMillis());
        if (!dead) {
            redis.command("HSET", STATE, "alive theirs", now + LONG.toMillis());
        }
    }

    private static AcquireRequest waiting(String id, int limit) {
        return new AcquireRequest(BulkheadId.of("reports"), id, limit, LONG, true, LONG, "app", "host:1", "A#a");
    }

    private void assertRefused(AcquireRequest request) {
        assertThatThrownBy(() -> get(store.acquire(request))).isInstanceOfSatisfying(StoreException.class, refusal -> {
            assertThat(refusal).hasMessageContaining("The bulkhead reports has ").hasMessageContaining("at most 1000")
                    .hasMessageContaining("quarkus.redis-bulkhead.store=script");
            assertThat(refusal.outcomeUnknown()).isFalse();
        });
    }

    @Test
    void holdersAndWaitersAreLimitedToAThousand() throws Exception {
        List<CompletableFuture<AcquireReply>> replies = IntStream.range(0, 1_000)
                .mapToObj(i -> store.acquire(waiting("p" + i, 600)).toCompletableFuture()).toList();
        for (CompletableFuture<AcquireReply> reply : replies) {
            get(reply);
        }

        assertRefused(waiting("one-more", 600));
        assertThat(get(acquire(store, "does-not-wait", 600))).as("does not queue").isInstanceOf(Full.class);
        assertThat(get(store.acquire(waiting("p999", 600)))).as("already queued").isInstanceOf(Waiting.class);
        assertThat(get(store.release(BulkheadId.of("reports"), "p0"))).isTrue();
        assertThat(get(store.acquire(waiting("one-more", 600)))).isInstanceOf(Waiting.class);
        assertThat(get(store.occupancy(BulkheadId.of("reports"), 0)))
                .satisfies(seen -> assertThat(seen.inUse()).isEqualTo(600))
                .satisfies(seen -> assertThat(seen.waiting()).isEqualTo(400));
    }

    /** Raising the limit admits waiters, but at most a thousand in total. */
    @Test
    void raisedLimitAdmitsAThousandAtMost() throws Exception {
        List<CompletableFuture<AcquireReply>> replies = IntStream.range(0, 1_000)
                .mapToObj(i -> store.acquire(waiting("p" + i, 1)).toCompletableFuture()).toList();
        for (CompletableFuture<AcquireReply> reply : replies) {
            get(reply);
        }

        get(store.resize(BulkheadId.of("reports"), 5_000));

        assertThat(get(store.occupancy(BulkheadId.of("reports"), 0)).inUse()).isEqualTo(1_000);
        assertRefused(waiting("one-more", 1));
        assertRefused(request("one-more", 1));
    }

    /** Another store admitted more: holders can leave, and no caller enters before that. */
    @Test
    void holdersAdmittedByAnotherStoreCanLeave() throws Exception {
        fill(1_400, 1_100, false);

        assertRefused(waiting("one-more", 5_000));
        assertThat(get(store.occupancy(BulkheadId.of("reports"), 2_000))).satisfies(seen -> {
            assertThat(seen.inUse()).isEqualTo(1_400);
            assertThat(seen.waiting()).isEqualTo(1_100);
            assertThat(seen.holders()).hasSizeGreaterThanOrEqualTo(1_000);
        });
        assertThat(get(store.renew(BulkheadId.of("reports"), Map.of("held1399", LONG.multipliedBy(2), "waits0", LONG))))
                .containsExactly("waits0");
        assertThat(redis.command("ZSCORE", HOLDERS, "held1399").toDouble())
                .isGreaterThan(System.currentTimeMillis() + LONG.toMillis() + 30_000);
        assertThat(get(store.release(BulkheadId.of("reports"), "held1398"))).isTrue();
        assertThat(get(store.release(BulkheadId.of("reports"), "held1398"))).isFalse();
        assertThat(get(store.revoke(BulkheadId.of("reports"), "held1397"))).isTrue();
        get(store.cancel(BulkheadId.of("reports"), List.of("held1396", "waits1099"), LONG));
        assertThat(get(store.poll(BulkheadId.of("reports"), 5_000, List.of("waits1098", "held1395", "waits1099"), LONG)))
                .satisfies(reply -> {
                    assertThat(reply.gone()).containsExactly("waits1099");
                    assertThat(reply.handedOver()).containsOnlyKeys("held1395");
                    assertThat(reply.free()).isZero();
                });
        assertThat(redis.command("ZCARD", HOLDERS).toInteger()).isEqualTo(1_397);
        assertThat(redis.command("HEXISTS", STATE, "held1398").toInteger()).isZero();

        List<CompletableFuture<Boolean>> releases = Stream
                .concat(IntStream.range(0, 1_396).mapToObj(i -> "held" + i), Stream.of("held1399"))
                .map(id -> store.release(BulkheadId.of("reports"), id).toCompletableFuture()).toList();
        for (CompletableFuture<Boolean> release : releases) {
            assertThat(get(release)).isTrue();
        }
        get(store.cancel(BulkheadId.of("reports"), IntStream.range(0, 99).mapToObj(i -> "waits" + i).toList(), LONG));
        get(store.release(BulkheadId.of("reports"), "never"));
        assertThat(redis.command("ZRANGE", HOLDERS, 0, -1)).as("served again").hasToString("[waits99]");
    }

    /** A permit that is read in part is renewed and released as a whole. */
    @Test
    void heavyPermitAdmittedByAnotherStoreCanLeave() throws Exception {
        fill(1_400, 0, false);
        long now = System.currentTimeMillis();
        for (String entry : Weights.entries("*5*heavy")) {
            redis.command("ZADD", HOLDERS, now + 2 * LONG.toMillis(), entry);
        }
        redis.command("HSET", STATE, "*5*heavy", "9000\n" + now + "\n60000\n5000\ntheirs\napp\nhost:1\nA#a");

        assertThat(get(store.occupancy(BulkheadId.of("reports"), 0)).inUse()).isEqualTo(1_405);
        assertThat(get(store.renew(BulkheadId.of("reports"), Map.of("*5*heavy", LONG.multipliedBy(4))))).isEmpty();
        assertThat(redis.command("ZCOUNT", HOLDERS, now + 3 * LONG.toMillis(), "+inf").toInteger()).isEqualTo(5);
        assertThat(get(store.release(BulkheadId.of("reports"), "*5*heavy"))).isTrue();
        assertThat(redis.command("ZCARD", HOLDERS).toInteger()).isEqualTo(1_400);
    }

    /** Each step reads as many entries as the permits weigh. */
    @Test
    void weightsOfHoldersAndWaitersAreLimitedToAThousand() throws Exception {
        assertThat(get(store.acquire(waiting("*600*a", 5_000)))).isInstanceOf(Granted.class);
        assertThat(get(store.acquire(waiting("*400*b", 700)))).isInstanceOf(Waiting.class);

        assertRefused(waiting("one-more", 5_000));
        assertThat(get(store.release(BulkheadId.of("reports"), "*600*a"))).isTrue();
        assertThat(get(store.occupancy(BulkheadId.of("reports"), 1))).satisfies(seen -> {
            assertThat(seen.inUse()).isEqualTo(400);
            assertThat(seen.holders()).hasSize(1);
        });
        assertThat(get(store.acquire(waiting("*600*c", 5_000)))).isInstanceOf(Granted.class);
    }

    /** Dead holders left by another store do not block callers. */
    @Test
    void manyDeadHoldersDoNotBlockCallers() throws Exception {
        fill(2_300, 1_200, true);

        assertThat(get(acquire(store, "a", 1))).isInstanceOf(Granted.class);

        assertThat(redis.command("ZRANGE", HOLDERS, 0, -1)).hasToString("[a]");
        assertThat(redis.command("EXISTS", "test:{reports}:queue").toInteger()).isZero();
    }

    /**
     * Many bulkheads share a few connections. Waiting for each other for longer than a command timeout is not an outage. The
     * number of bulkheads is halved on a machine that is too slow.
     */
    @Test
    void manyBulkheadsShareFewConnections() throws Exception {
        int bulkheads = 2_000;
        while (!allAreGranted(bulkheads)) {
            bulkheads /= 2;
            assertThat(bulkheads).as("bulkheads at once").isGreaterThan(100);
        }
    }

    /** Returns whether all got a permit, and false if Redis was overloaded. Throws any other failure. */
    private boolean allAreGranted(int bulkheads) throws Exception {
        RedisConnectionManager connections = LockStores.connections(redis, redis.options(), Duration.ofSeconds(1));
        open.add(connections);
        LockPermitStore impatient = new LockPermitStore(connections, new NotificationSubscriber(connections, 10_000),
                STEP_TIMEOUT, LONG, LockStores.timer(redis));
        List<CompletableFuture<AcquireReply>> replies = IntStream.range(0, bulkheads)
                .mapToObj(i -> impatient
                        .acquire(new AcquireRequest(BulkheadId.of("bulkhead" + i + "of" + bulkheads), "a", 1, LONG, false,
                                Duration.ZERO, "app", "host:1", "A#a"))
                        .toCompletableFuture())
                .toList();

        boolean all = true;
        for (CompletableFuture<AcquireReply> reply : replies) {
            try {
                assertThat(get(reply)).isInstanceOf(Granted.class);
            } catch (StoreException e) {
                assertThat(e).hasMessageContaining("overloaded");
                all = false;
            }
        }
        return all;
    }

    /** A resize that follows a reset in the same step has the full lifetime. */
    @Test
    void limitSetAgainKeepsItsLifetime() throws Exception {
        get(store.resize(BulkheadId.of("reports"), 5));
        redis.command("SET", LOCK, "of another client");
        CompletableFuture<?> meanwhile = store.release(BulkheadId.of("reports"), "never").toCompletableFuture();
        await().atMost(30, TimeUnit.SECONDS).until(() -> calls("set") > 2);
        CompletableFuture<Boolean> undone = store.resetSize(BulkheadId.of("reports")).toCompletableFuture();
        CompletableFuture<Void> again = store.resize(BulkheadId.of("reports"), 9).toCompletableFuture();
        redis.command("DEL", LOCK);

        get(meanwhile);
        assertThat(get(undone)).isTrue();
        get(again);
        assertThat(redis.command("PTTL", "test:{reports}:state").toLong()).isGreaterThan(Duration.ofDays(29).toMillis());
    }

    /** A request that Redis refuses does not fail others in the same step. */
    @Test
    void refusedRequestDoesNotAffectOthers() throws Exception {
        get(acquire(store, "a", 2));
        get(acquire(store, "b", 2));
        redis.command("CONFIG", "SET", "maxmemory", 1);
        try {
            CompletableFuture<Boolean> first = store.release(BulkheadId.of("reports"), "a").toCompletableFuture();
            CompletableFuture<AcquireReply> refused = acquire(store, "c", 9);
            CompletableFuture<Boolean> second = store.release(BulkheadId.of("reports"), "b").toCompletableFuture();

            assertThat(get(first)).isTrue();
            assertThatThrownBy(() -> get(refused)).isInstanceOf(StoreException.class).hasMessageContaining("OOM");
            assertThat(get(second)).isTrue();
        } finally {
            redis.command("CONFIG", "SET", "maxmemory", 0);
        }
        assertThat(get(store.occupancy(BulkheadId.of("reports"), 0)).inUse()).isZero();
    }

    @Test
    void missingExecPermissionIsReportedEachTime() throws Exception {
        redis.command("ACL", "SETUSER", "poor", "on", ">secret", "~*", "&*", "+@all", "-exec");
        RedisOptions poor = redis.optionsOf("poor");
        try (TestProcess process = new TestProcess(redis, TestStore.LOCK, poor, poor)) {
            // More often than connections exist.
            for (int i = 0; i < 8; i++) {
                assertThatThrownBy(() -> get(process.store.acquire(request("a", 1)))).isInstanceOf(StoreException.class)
                        .hasMessageContaining("The Redis user lacks");
            }
        }
        await().atMost(30, TimeUnit.SECONDS).until(() -> redis.command("EXISTS", LOCK).toInteger() == 0);
    }

    /** Foreign data in one of the keys. */
    @Test
    void unreadableDataIsAClearError() throws Exception {
        redis.command("HSET", "test:{reports}:state", "set limit", "not a number");

        assertThatThrownBy(() -> get(acquire(store, "a", 1))).isInstanceOf(StoreException.class)
                .hasMessageContaining("test:{reports}:").hasMessageContaining("key-prefix");
        assertThatThrownBy(() -> get(store.occupancy(BulkheadId.of("reports"), 1))).isInstanceOf(StoreException.class)
                .hasMessageContaining("test:{reports}:").hasMessageContaining("key-prefix");
    }

    /** Both Redis stores share their data, so applications can switch while others run. */
    @Test
    void applicationsWithDifferentStoresShareABulkhead() throws Exception {
        SemaphoreSpec spec = SemaphoreSpec.named("reports").permits(3).fair(true).maxWait(Duration.ofMinutes(2)).build();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        try (TestProcess scripts = new TestProcess(redis, TestStore.SCRIPT);
                TestProcess locks = new TestProcess(redis, TestStore.LOCK)) {
            List<CompletionStage<Void>> executions = IntStream.range(0, 400).mapToObj(i -> {
                Admission admission = (i % 2 == 0 ? scripts : locks).semaphore(spec).admit("A#a");
                // A slow round trip to Redis, during which others may enter.
                return admission.granted()
                        .thenAccept(permits -> most.accumulateAndGet(inside.incrementAndGet(), Math::max))
                        .thenCompose(entered -> scripts.semaphore(spec).status())
                        .thenAccept(status -> inside.decrementAndGet())
                        .thenCompose(left -> admission.end());
            }).toList();
            for (CompletionStage<Void> execution : executions) {
                get(execution);
            }
            // The last releases of the other application may be in flight.
            await().atMost(20, TimeUnit.SECONDS)
                    .untilAsserted(() -> assertThat(get(scripts.semaphore(spec).status())).satisfies(status -> {
                        assertThat(status.inUse()).isZero();
                        assertThat(status.waiting()).isZero();
                    }));
        }
        assertThat(most.get()).isBetween(1, 3);
    }

    private long calls(String command) {
        return redis.command("INFO", "commandstats").toString().lines()
                .filter(line -> line.startsWith("cmdstat_" + command + ":"))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*[:,]calls=(\\d+).*", "$1"))).sum();
    }

    private static AcquireRequest request(String id, int limit) {
        return new AcquireRequest(BulkheadId.of("reports"), id, limit, LONG, false, Duration.ZERO, "app", "host:1", "A#a");
    }

    private static CompletableFuture<AcquireReply> acquire(LockPermitStore store, String id, int limit) {
        return store.acquire(request(id, limit)).toCompletableFuture();
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        try {
            return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw (Exception) e.getCause();
        }
    }
}
