package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Need;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;
import io.quarkiverse.redisbulkhead.runtime.store.machine.ShareMachine;
import io.vertx.redis.client.RedisOptions;

/** What the lock store adds to the contract: the lock, and transactions that depend on it. */
class LockShareStoreTest extends RedisShareStoreContract {

    // Longer than any test, also on a busy machine.
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final String LOCK = "test:{reports}:lock";

    private Duration stepTimeout = LONG;
    private Duration contentionTimeout = LONG;

    @Override
    protected RedisShareStore open(RedisOptions options, Duration timeout) {
        return new RedisShareStore(new Topology(redis.vertx(), options, "quarkus.redis", "test", timeout, false), stepTimeout,
                contentionTimeout);
    }

    private boolean isLocked() {
        return redis.command("EXISTS", LOCK).toInteger() == 1;
    }

    /** A step whose transaction the test delivers. */
    private final class HeldStep implements AutoCloseable {

        private final TestProxy proxy;
        private final Instance instance;
        private final CompletableFuture<Position> answer;

        private HeldStep(TestProxy.Fault what) throws Exception {
            proxy = new TestProxy(what, "MULTI", redis.port());
            instance = instance(TestRedis.options(proxy.port()));
            answer = instance.store.sync(instance.statement(REPORTS, List.of(), List.of(new Need(0, 0, 1, 1))))
                    .toCompletableFuture();
            assertThat(proxy.holding().await(30, TimeUnit.SECONDS)).isTrue();
        }

        @Override
        public void close() {
            proxy.close();
        }
    }

    /** Trap 2, Trap 7: an instance is paused within a step for longer than its lock, and another one takes the last permit. */
    @Test
    void stepWithAnExpiredLockChangesNothing() throws Exception {
        stepTimeout = Duration.ofMillis(300);
        try (HeldStep held = new HeldStep(TestProxy.Fault.DELAYS_A_CALL)) {
            Instance other = instance();
            assertThat(other.tryFor(REPORTS, 1).granted()).isEqualTo(1);
            held.proxy.deliver();

            assertThat(get(held.answer).granted()).isZero();
            assertThat(get(other.store.look(REPORTS, 10)).granted()).isEqualTo(1);
        }
        assertThat(isLocked()).isFalse();
    }

    /** Trap 2: scripts ignore the lock. A script that takes the last permit during a step fails its transaction. */
    @Test
    void changeByAScriptFailsTheTransaction() throws Exception {
        try (HeldStep held = new HeldStep(TestProxy.Fault.DELAYS_A_CALL)) {
            try (RedisShareStore scripts = new RedisShareStore(
                    new Topology(redis.vertx(), redis.options(), "quarkus.redis", "test", Duration.ofSeconds(25), true))) {
                Statement statement = instance().statement(REPORTS, List.of(), List.of(new Need(0, 0, 1, 1)));
                assertThat(get(scripts.sync(statement)).granted()).isEqualTo(1);
                held.proxy.deliver();

                assertThat(get(held.answer).granted()).isZero();
                assertThat(get(scripts.look(REPORTS, 10)).granted()).isEqualTo(1);
            }
        }
        assertThat(isLocked()).isFalse();
    }

    /** An instance dies within a step: nothing is half-written, and others wait for the end of its lock. */
    @Test
    void stepThatDiesLeavesNothingButALockThatExpires() throws Exception {
        stepTimeout = Duration.ofSeconds(1);
        try (HeldStep held = new HeldStep(TestProxy.Fault.HOLDS_A_CALL_AND_CLOSES)) {
            assertThatThrownBy(() -> get(held.answer)).matches(failure -> StoreException.is(failure, Kind.TRANSIENT));
            assertThat(redis.command("PTTL", LOCK).toLong()).isBetween(-2L, 1_000L).isNotEqualTo(-1);
            assertThat(redis.command("EXISTS", "test:{reports}:shares").toInteger()).isZero();

            assertThat(instance().tryFor(REPORTS, 1).granted()).isEqualTo(1);
        }
    }

    /**
     * Trap 4: the transaction was carried out, and its answer is lost. The instance states its position again, without a pause.
     */
    @Test
    void lostAnswerIsToldAgain() throws Exception {
        try (HeldStep held = new HeldStep(TestProxy.Fault.RESETS_AFTER_A_CALL)) {
            held.proxy.deliver();
            assertThatThrownBy(() -> get(held.answer)).matches(failure -> StoreException.is(failure, Kind.TRANSIENT));

            assertThat(held.instance.tryFor(REPORTS, 1).granted()).isEqualTo(1);
        }
    }

    /** The connection of a step breaks before its transaction: the instance does not wait for its own lock. */
    @Test
    void instanceDoesNotWaitForItsOwnLock() throws Exception {
        try (HeldStep held = new HeldStep(TestProxy.Fault.HOLDS_A_CALL_AND_CLOSES)) {
            assertThatThrownBy(() -> get(held.answer)).matches(failure -> StoreException.is(failure, Kind.TRANSIENT));
            assertThat(redis.command("GET", LOCK)).hasToString(held.instance.store.inbox().ownName());

            assertThat(held.instance.tryFor(REPORTS, 1).granted()).isEqualTo(1);
            assertThat(isLocked()).isFalse();
        }
    }

    @Test
    void refusedStepReleasesItsLock() {
        redis.command("ACL", "SETUSER", "shop", "on", ">secret", "~*", "&*", "+@all", "-hset");
        Instance shop = instance(redis.optionsOf("shop"));
        assertThatThrownBy(() -> shop.tryFor(REPORTS, 1)).isInstanceOf(StoreException.class).hasMessageContaining("ACL LOG");

        assertThat(isLocked()).isFalse();
        assertThat(instance().tryFor(REPORTS, 1).granted()).isEqualTo(1);
    }

    /** Trap 7: a step that is refused after its lock ended keeps the lock of its successor. */
    @Test
    void refusedStepReleasesOnlyItsOwnLock() throws Exception {
        try (HeldStep held = new HeldStep(TestProxy.Fault.DELAYS_A_CALL)) {
            redis.command("SET", LOCK, "of the next one");
            redis.command("ACL", "SETUSER", "default", "-hset");
            held.proxy.deliver();

            assertThatThrownBy(() -> get(held.answer)).isInstanceOf(StoreException.class).hasMessageContaining("hset");
            assertThat(redis.command("GET", LOCK)).hasToString("of the next one");
        }
    }

    /** Trap 3: others hold the lock for longer than an operation tries; that is not a full bulkhead. */
    @Test
    void contentionIsNotFull() {
        redis.command("SET", LOCK, "of another one");
        contentionTimeout = Duration.ofMillis(300);
        Instance impatient = instance();

        assertThatThrownBy(() -> impatient.tryFor(REPORTS, 1)).matches(failure -> StoreException.is(failure, Kind.CONTENDED))
                .hasMessageContaining("300 ms").hasMessageContaining("lock-store.contention-timeout");
        assertThat(get(impatient.store.look(REPORTS, 1)).granted()).as("looks need no lock").isZero();

        redis.command("DEL", LOCK);
        assertThat(impatient.tryFor(REPORTS, 1).granted()).isEqualTo(1);
    }

    /** Both stores keep the same data and send the same messages. */
    @Test
    void instancesWithBothStoresShareABulkhead() {
        try (RedisShareStore scripts = new RedisShareStore(
                new Topology(redis.vertx(), redis.options(), "quarkus.redis", "test", Duration.ofSeconds(25), true))) {
            List<ShareMessage> messages = new CopyOnWriteArrayList<>();
            scripts.listen(messages::add);
            Instance one = instance().awaitHearing();
            Instance stated = instance();
            one.tryFor(REPORTS, 1);
            stated.adopt(get(scripts.sync(stated.statement(REPORTS, List.of(new Need(0, 1, 1, 1)), List.of()))));
            await().atMost(30, TimeUnit.SECONDS).until(() -> scripts.inbox().canHear());
            one.giveBack(REPORTS);
            await().atMost(30, TimeUnit.SECONDS)
                    .until(() -> messages.stream().anyMatch(ShareMessage.Granted.class::isInstance));
            stated.adopt(get(scripts.sync(stated.statement(REPORTS, List.of(), List.of()))));
            assertThat(stated.last.granted()).isEqualTo(1);
            one.messages.clear();
            one.waitFor(REPORTS);

            stated.giveBackTo(scripts, REPORTS);
            await().atMost(30, TimeUnit.SECONDS)
                    .until(() -> one.messages.stream().anyMatch(ShareMessage.Granted.class::isInstance));
        }
    }

    /** The replies of the older version of the protocol have another form. */
    @Test
    void olderProtocolIsUnderstood() {
        Instance one = instance(redis.options().setProtocolNegotiation(false));
        Instance two = instance(redis.options().setProtocolNegotiation(false));
        one.tryFor(REPORTS, 1);
        two.waitFor(REPORTS);
        one.giveBack(REPORTS);

        assertThat(two.state(REPORTS).granted()).isEqualTo(1);
        assertThat(get(two.store.look(REPORTS, 10)).granted()).isEqualTo(1);
    }

    /** There may be any number of instances. */
    @Test
    void thousandsOfInstancesShareABulkhead() {
        Map<String, String> fields = new HashMap<>();
        Map<String, Long> queue = new HashMap<>();
        Instance template = instance();
        template.limit = 2_500;
        for (int i = 0; i < 3_000; i++) {
            Statement statement = template.statement(REPORTS, i < 2_500 ? List.of() : List.of(new Need(0, 1, 1, 1)),
                    i < 2_500 ? List.of(new Need(0, 0, 1, 1)) : List.of());
            new ShareMachine(REPORTS, fields, queue, 1_000 * System.currentTimeMillis(), "")
                    .sync("test:instance:" + i, statement);
        }
        redis.command("HSET", Stream.concat(Stream.of("test:{reports}:shares"),
                fields.entrySet().stream().flatMap(each -> Stream.of(each.getKey(), each.getValue()))).toArray());
        redis.command("ZADD", Stream.concat(Stream.of("test:{reports}:waiting"),
                queue.entrySet().stream().flatMap(each -> Stream.of(each.getValue(), each.getKey()))).toArray());
        Instance one = instance();
        one.limit = 2_500;

        assertThat(one.tryFor(REPORTS, 1).granted()).isZero();
        assertThat(get(one.store.revoke(REPORTS, "test:instance:7", "", 1))).isEqualTo(1);
        ShareOverview overview = get(one.store.look(REPORTS, 5_000));
        assertThat(overview.shares()).hasSize(3_001);
        assertThat(overview.granted()).as("the one that was revoked is offered to a waiter").isEqualTo(2_500);
    }

    /** Bulkheads that wait for each other's connections, for longer than a command timeout, are no outage. */
    @Test
    @Timeout(120)
    void manyBulkheadsShareFewConnections() {
        Instance one = instance(redis.options(), Duration.ofSeconds(2));
        List<CompletableFuture<Position>> answers = IntStream.range(0, 1_000).mapToObj(i -> one.store
                .sync(one.statement(BulkheadId.of("b" + i), List.of(), List.of(new Need(0, 0, 1, 1)))).toCompletableFuture())
                .toList();

        assertThat(answers).allSatisfy(answer -> assertThat(get(answer).granted()).isEqualTo(1));
    }
}
