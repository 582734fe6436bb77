package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadsInUse;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage.Changed;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage.Recalled;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Need;
import io.quarkiverse.redisbulkhead.runtime.store.StoreAwayException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.TransientStoreException;
import io.vertx.redis.client.RedisOptions;

/** What the script store adds to the script: the way there, the run of the server, messages, and what an instance hears. */
class ScriptShareStoreTest {

    private static final BulkheadId REPORTS = BulkheadId.of("reports");
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final Duration LONG_TIMEOUT = Duration.ofSeconds(25);

    final TestRedis redis = new TestRedis();
    final List<Instance> instances = new ArrayList<>();

    @AfterEach
    void stop() {
        instances.forEach(instance -> instance.store.close());
        redis.close();
    }

    /** One instance that states its position by hand. */
    private final class Instance {

        final Topology topology;
        final ScriptShareStore store;
        final RecordedEvents events = new RecordedEvents();
        final List<ShareMessage> messages = new CopyOnWriteArrayList<>();
        long number;
        Position last = new Position(0, 0, 0, 0, 0, 0, 1, 0, 0, false, false, 0, 0, 0, 0, 0, Map.of(), java.util.Set.of(), "");
        long returned;
        boolean wantsToKeep;

        Instance(RedisOptions options, Duration timeout) {
            topology = new Topology(redis.vertx(), options, "quarkus.redis", "test", timeout, 1, true);
            store = new ScriptShareStore(topology);
            store.listen(events);
            store.listen(messages::add);
            instances.add(this);
        }

        Instance awaitHearing() {
            store.warmUp();
            await().atMost(30, TimeUnit.SECONDS).until(() -> store.inbox().canHear());
            return this;
        }

        Statement statement(BulkheadId bulkhead, List<Need> needs, List<Need> immediate) {
            return new Statement(bulkhead, ++number, last.epoch(), last.granted(), returned, last.revoked(), 30_000, 1, false,
                    wantsToKeep, needs, immediate, 0, 0, last.server(), -1, List.of(), List.of());
        }

        Position adopt(Position position) {
            returned = position.epoch() == last.epoch() ? returned : 0;
            last = position;
            return position;
        }

        Position tryFor(BulkheadId bulkhead, int count) {
            return adopt(get(store.sync(statement(bulkhead, List.of(), List.of(new Need(0, 0, 1, count))))));
        }

        Position waitFor(BulkheadId bulkhead) {
            return adopt(get(store.sync(statement(bulkhead, List.of(new Need(0, 1, 1, 1)), List.of()))));
        }

        Position giveBack(BulkheadId bulkhead) {
            returned = last.granted();
            return state(bulkhead);
        }

        Position state(BulkheadId bulkhead) {
            return adopt(get(store.sync(statement(bulkhead, List.of(), List.of()))));
        }
    }

    private Instance instance() {
        return new Instance(redis.options(), LONG_TIMEOUT);
    }

    private static <T> T get(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw (RuntimeException) e.getCause();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /**
     * A permit that one instance returns is offered to the other by a message, also for a key of which Redis knows a digest.
     */
    @ParameterizedTest
    @ValueSource(ints = { 0, 10, 500 })
    void permitsGoFromOneInstanceToAnother(int lengthOfKey) {
        BulkheadId bulkhead = lengthOfKey == 0 ? REPORTS : REPORTS.forKey("k".repeat(lengthOfKey));
        Instance one = instance();
        Instance two = instance().awaitHearing();
        assertThat(one.tryFor(bulkhead, 1).granted()).isEqualTo(1);
        assertThat(two.waitFor(bulkhead).granted()).isZero();
        one.giveBack(bulkhead);

        await().atMost(30, TimeUnit.SECONDS).until(() -> !two.messages.isEmpty());
        assertThat(two.messages).singleElement().isInstanceOfSatisfying(Granted.class, granted -> {
            assertThat(granted.bulkhead()).isEqualTo(bulkhead);
            assertThat(granted.granted()).isEqualTo(1);
            assertThat(granted.number()).isEqualTo(two.number);
        });
        assertThat(two.state(bulkhead).granted()).isEqualTo(1);
        ShareOverview overview = get(one.store.look(bulkhead, 10));
        assertThat(overview.granted()).isEqualTo(1);
        assertThat(overview.shares()).filteredOn(share -> share.permits() == 1).singleElement()
                .satisfies(share -> assertThat(share.instance()).isEqualTo(two.store.inbox().channel()));
    }

    /** Trap 48: an instance that keeps permits hears that another one needs them. */
    @Test
    void keptPermitsAreRecalled() {
        Instance one = instance().awaitHearing();
        one.wantsToKeep = true;
        assertThat(one.tryFor(REPORTS, 1).mayKeep()).isTrue();
        Instance two = instance();
        assertThat(two.tryFor(REPORTS, 1).recalled()).isEqualTo(1);

        await().atMost(30, TimeUnit.SECONDS).until(() -> one.messages.equals(List.of(new Recalled(REPORTS, one.number))));
    }

    /** Trap 50: an instance that hears nothing may not keep, and is not said to want it. */
    @Test
    void deafInstanceMayNotKeep() {
        redis.command("ACL", "SETUSER", "deaf", "on", ">secret", "~*", "&*", "+@all", "-subscribe");
        Instance deaf = new Instance(redis.optionsOf("deaf"), LONG_TIMEOUT);
        deaf.wantsToKeep = true;
        assertThat(deaf.tryFor(REPORTS, 1).mayKeep()).isFalse();
        assertThat(get(deaf.store.look(REPORTS, 10)).shares()).singleElement()
                .satisfies(share -> assertThat(share.keeps()).isFalse());
    }

    @Test
    void operatorsChangePositions() {
        Instance one = instance().awaitHearing();
        Instance operator = instance();
        one.tryFor(REPORTS, 1);
        assertThat(get(operator.store.resize(REPORTS, 3))).isFalse();
        await().atMost(30, TimeUnit.SECONDS).until(() -> one.messages.contains(new Changed(REPORTS)));
        assertThat(one.state(REPORTS).limit()).isEqualTo(3);
        assertThat(get(operator.store.resize(REPORTS, 0))).isTrue();
        one.messages.clear();

        assertThat(get(operator.store.revoke(REPORTS, one.store.inbox().channel(), "", 1))).isEqualTo(1);
        await().atMost(30, TimeUnit.SECONDS).until(() -> one.messages.contains(new Changed(REPORTS)));
        assertThat(one.state(REPORTS).revoked()).isEqualTo(1);
    }

    /** Trap 53: after a restart without data, an instance that knew the old server makes Redis wait for claims. */
    @Test
    void newRunOfTheServerBeginsAGrace() {
        Instance one = instance();
        assertThat(one.tryFor(REPORTS, 1).graceMillis()).isZero();
        assertThat(one.last.server()).isNotEmpty();
        // Again if the machine is so busy that the grace period is over before the statement.
        await().pollDelay(Duration.ZERO).atMost(60, TimeUnit.SECONDS).until(() -> {
            redis.stop();
            redis.start();
            Position claimed = Restated.until(() -> one.store.sync(one.statement(REPORTS, List.of(), List.of()))).join();
            assertThat(claimed.epoch()).isNotEqualTo(one.last.epoch());
            assertThat(claimed.admitted()).isEqualTo(1);
            assertThat(claimed.server()).isNotEqualTo(one.last.server());
            return claimed.graceMillis() > 0;
        });
        // One that never knew another run cannot tell, but the data now does.
        assertThat(instance().tryFor(REPORTS, 1).granted()).isZero();
    }

    /** Trap 4: a lost answer is not repeated by the store; the same statement gets the same position. */
    @Test
    void lostAnswerIsUpToTheSender() throws Exception {
        try (TestProxy proxy = new TestProxy(TestProxy.First.RESETS_AFTER_A_CALL, redis.port())) {
            Instance one = new Instance(TestRedis.options(proxy.port()), LONG_TIMEOUT);
            Statement statement = one.statement(REPORTS, List.of(), List.of(new Need(0, 0, 1, 1)));
            CompletableFuture<Position> answer = one.store.sync(statement).toCompletableFuture();
            assertThat(proxy.holding().await(30, TimeUnit.SECONDS)).isTrue();
            proxy.deliver();
            assertThatThrownBy(() -> get(answer)).isInstanceOfSatisfying(TransientStoreException.class,
                    e -> assertThat(e.outcomeUnknown()).isTrue());
            // The first copy was EVALSHA of an unknown script, or was carried out.
            Position position = Restated.until(() -> one.store.sync(statement)).join();

            assertThat(position.number()).isEqualTo(statement.number());
            assertThat(position.granted()).isEqualTo(1);
        }
    }

    /** Trap 22. */
    @Test
    void scriptFlushIsTransparent() {
        Instance one = instance();
        one.tryFor(REPORTS, 1);
        redis.command("SCRIPT", "FLUSH");
        assertThat(one.state(REPORTS).granted()).isEqualTo(1);
        redis.command("SCRIPT", "FLUSH");
        assertThat(one.giveBack(REPORTS).granted()).isEqualTo(1);
        assertThat(get(one.store.look(REPORTS, 10)).granted()).isZero();
    }

    /** What cannot pass by itself is told at once, with the way out. */
    @ParameterizedTest
    @CsvSource({ "-evalsha, ACL LOG", "-@scripting, ACL LOG" })
    void missingRightIsReportedAtOnce(String lacking, String wayOut) {
        redis.command("ACL", "SETUSER", "shop", "on", ">secret", "~*", "&*", "+@all", lacking);
        Instance one = new Instance(redis.optionsOf("shop"), LONG_TIMEOUT);
        assertThatThrownBy(() -> one.tryFor(REPORTS, 1)).isInstanceOf(RefusedException.class)
                .hasMessageContaining(wayOut);
    }

    @Test
    void fullMemoryIsReportedAtOnceAndPermitsCanBeRenewedAndReturned() {
        Instance one = instance();
        one.tryFor(REPORTS, 1);
        redis.command("CONFIG", "SET", "maxmemory", "1");
        assertThatThrownBy(() -> instance().tryFor(BulkheadId.of("other"), 1)).isInstanceOf(StoreException.class)
                .isNotInstanceOf(StoreAwayException.class).hasMessageContaining("maxmemory");
        assertThat(one.state(REPORTS).leaseMillis()).isEqualTo(30_000);
        one.giveBack(REPORTS);
        redis.command("CONFIG", "SET", "maxmemory", "0");
        assertThat(instance().tryFor(REPORTS, 1).granted()).isEqualTo(1);
    }

    @Test
    void foreignKeyIsNotChanged() {
        redis.command("SET", "test:{reports}:shares", "mine");
        assertThatThrownBy(() -> instance().tryFor(REPORTS, 1)).isInstanceOfSatisfying(RefusedException.class,
                e -> assertThat(e.getMessage()).contains("WRONGTYPE", "key-prefix"));
        assertThat(redis.command("GET", "test:{reports}:shares")).hasToString("mine");
    }

    /** Trap 32: while the keys of a bulkhead are split between two nodes, it alone is away after the timeout. */
    @Test
    void bulkheadOfASlotThatMovesIsAwayAlone() {
        try (TestCluster cluster = new TestCluster(); LoggedWarnings log = new LoggedWarnings(Outage.class)) {
            RedisOptions options = cluster.restrictedOptions(TestStore.SCRIPT);
            cluster.nodes().forEach(node -> node.command("ACL", "SETUSER", "bulkhead", "+@all", "~*", "&*"));
            Instance one = new Instance(options, TIMEOUT);
            one.tryFor(REPORTS, 1);
            int slot = cluster.node().command("CLUSTER", "KEYSLOT", "{reports}").toInteger();
            TestRedis source = cluster.ownerOf(slot);
            TestRedis target = cluster.otherThan(source);
            target.command("CLUSTER", "SETSLOT", slot, "IMPORTING", source.command("CLUSTER", "MYID"));
            source.command("CLUSTER", "SETSLOT", slot, "MIGRATING", target.command("CLUSTER", "MYID"));

            CompletableFuture<Position> refused = Restated
                    .until(() -> one.store.sync(one.statement(REPORTS, List.of(), List.of())));
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (!refused.isDone() && System.nanoTime() < deadline) {
                assertThat(get(Restated.until(() -> one.store.look(BulkheadId.of("other"), 1))).granted()).isZero();
            }
            assertThatThrownBy(() -> get(refused)).isInstanceOf(StoreAwayException.class).hasMessageContaining("{reports}")
                    .hasMessageContaining("1000 ms").hasMessageContaining("TRYAGAIN");
            long later = System.nanoTime() + 2 * TIMEOUT.toNanos();
            while (System.nanoTime() < later) {
                assertThatThrownBy(() -> one.state(REPORTS)).isInstanceOf(StoreException.class);
            }
            assertThat(log.texts()).as("no server is away").isEmpty();
            source.command("MIGRATE", "127.0.0.1", target.port(), "test:{reports}:shares", 0, 10_000);
            cluster.assign(slot, target);

            await().pollDelay(Duration.ZERO).atMost(30, TimeUnit.SECONDS).ignoreExceptions()
                    .untilAsserted(() -> assertThat(one.state(REPORTS).admitted()).isEqualTo(1));
        }
    }

    /** Statements of many bulkheads do not wait for each other's answers. */
    @Test
    void statementsOfManyBulkheadsArePipelined() throws Exception {
        Instance one = instance().awaitHearing();
        one.tryFor(REPORTS, 1);
        redis.command("CONFIG", "RESETSTAT");
        long pid = redis.pid();
        TestRedis.signal(pid, "STOP");
        List<CompletableFuture<Position>> answers = IntStream.range(0, 200).mapToObj(i -> one.store
                .sync(one.statement(BulkheadId.of("b" + i), List.of(), List.of(new Need(0, 0, 1, 1)))).toCompletableFuture())
                .toList();
        CompletableFuture<Void> written = new CompletableFuture<>();
        one.topology.context().runOnContext(now -> written.complete(null));
        written.get(30, TimeUnit.SECONDS);
        TestRedis.signal(pid, "CONT");

        assertThat(answers).allSatisfy(answer -> assertThat(get(answer).granted()).isEqualTo(1));
        assertThat(reads()).isLessThan(50);
    }

    private long reads() {
        return redis.command("INFO", "stats").toString().lines().filter(line -> line.startsWith("total_reads_processed:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).findFirst().orElseThrow();
    }

    @Test
    void bulkheadsInUseAreFound() {
        Instance one = instance();
        one.tryFor(REPORTS, 1);
        one.last = instance().last;
        one.tryFor(REPORTS.forKey("acme"), 1);
        redis.command("ZADD", "test:{foreign}:shares", 1, "x");

        BulkheadsInUse inUse = get(one.store.inUse(10));
        assertThat(inUse.bulkheads()).containsExactly(REPORTS, REPORTS.forKey("acme"));
        assertThat(inUse.incomplete()).isEmpty();
    }

    @Test
    void closedStoreFailsAtOnce() {
        Instance one = instance();
        one.tryFor(REPORTS, 1);
        one.store.close();
        assertThatThrownBy(() -> one.state(REPORTS)).isInstanceOf(StoreException.class).hasMessageContaining("stopping");
    }
}
