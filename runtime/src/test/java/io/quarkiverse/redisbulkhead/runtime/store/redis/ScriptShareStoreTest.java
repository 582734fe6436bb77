package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore.BulkheadsInUse;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore.Operation;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Need;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;
import io.vertx.redis.client.RedisOptions;

/** What the script store adds to the contract. */
class ScriptShareStoreTest extends RedisShareStoreContract {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    /** That of the store that was opened last. */
    private Topology topology;

    @Override
    protected RedisShareStore open(RedisOptions options, Duration timeout) {
        topology = new Topology(redis.vertx(), options, "quarkus.redis", "test", timeout, true);
        return new RedisShareStore(topology);
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

    /** Trap 4: a lost answer is not repeated by the store; the same statement gets the same position. */
    @Test
    void lostAnswerIsUpToTheSender() throws Exception {
        try (TestProxy proxy = new TestProxy(TestProxy.Fault.RESETS_AFTER_A_CALL, redis.port())) {
            Instance one = instance(TestRedis.options(proxy.port()));
            Statement statement = one.statement(REPORTS, List.of(), List.of(new Need(0, 0, 1, 1)));
            CompletableFuture<Position> answer = one.store.sync(statement).toCompletableFuture();
            assertThat(proxy.holding().await(30, TimeUnit.SECONDS)).isTrue();
            proxy.deliver();
            assertThatThrownBy(() -> get(answer)).matches(failure -> StoreException.is(failure, Kind.TRANSIENT));
            // The first copy was EVALSHA of an unknown script, or was carried out.
            Position position = Restated.until(() -> one.store.sync(statement)).join();

            assertThat(position.number()).isEqualTo(statement.number());
            assertThat(position.granted()).isEqualTo(1);
        }
    }

    /** Trap 32: while the keys of a bulkhead are split between two nodes, it alone is away after the timeout. */
    @Test
    void bulkheadOfASlotThatMovesIsAwayAlone() {
        try (TestCluster cluster = new TestCluster(); LoggedWarnings log = new LoggedWarnings(RedisNode.class)) {
            RedisOptions options = cluster.restrictedOptions(TestStore.SCRIPT);
            cluster.nodes().forEach(node -> node.command("ACL", "SETUSER", "bulkhead", "+@all", "~*", "&*"));
            Instance one = instance(options, TIMEOUT);
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
            assertThatThrownBy(() -> get(refused)).matches(failure -> StoreException.is(failure, Kind.AWAY))
                    .hasMessageContaining("{reports}")
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

    private static SortedMap<String, Integer> counted(Stream<String> words) {
        return words.collect(Collectors.toMap(word -> word, word -> 1, Integer::sum, TreeMap::new));
    }

    /** The cost in Redis: one command from the network, and those of the script. Do not increase it without a reason. */
    private void assertCost(String commands, Runnable step) {
        redis.command("CONFIG", "RESETSTAT");
        step.run();
        List<String> called = new ArrayList<>();
        Matcher line = Pattern.compile("cmdstat_(\\w+):calls=(\\d+)").matcher(redis.command("INFO", "commandstats").toString());
        while (line.find()) {
            called.addAll(Collections.nCopies(Integer.parseInt(line.group(2)), line.group(1)));
        }
        // Times to live are extended about once a second. An instance subscribes beside its first statements, and now and then
        // sends itself a message.
        called.removeAll(List.of("config", "info", "hello", "pexpire", "publish", "subscribe"));
        assertThat(counted(called.stream()))
                .isEqualTo(counted(Stream.of(("evalsha time hmget zrange hset " + commands).split(" "))));
    }

    /** Trap 37: a hand-over reads no more waiters than it serves. */
    @Test
    void statementsCostFewCommands() {
        Instance first = instance();
        Instance second = instance();
        for (Instance each : List.of(first, second)) {
            each.limit = 1_000;
            each.tryFor(REPORTS, 1);
        }
        // With more permits or more calls that wait: hset. Where full memory must not prevent it: hdel.
        assertCost("hset", () -> first.tryFor(REPORTS, 1));
        assertCost("hset", () -> first.tryFor(REPORTS, 100));
        assertCost("hdel", () -> first.state(REPORTS));
        first.returned = 101;
        assertCost("hset", () -> first.tryFor(REPORTS, 1));
        assertCost("hdel", () -> first.giveBack(REPORTS));
        first.limit = 2;
        first.tryFor(REPORTS, 1);
        assertCost("hset", () -> assertThat(first.tryFor(REPORTS, 1).granted() - first.returned).isEqualTo(1));
        second.limit = 2;
        second.waitFor(REPORTS);
        assertCost("hdel hget zrange zrem", () -> first.giveBack(REPORTS));
    }

    // ---- What is told about operations

    @Test
    void operationsAreReportedThoughTheListenerFails() {
        Instance one = instance();
        Set<Operation> reported = ConcurrentHashMap.newKeySet();
        one.store.observe(List.of((operation, time, failure) -> {
            reported.add(operation);
            throw new IllegalStateException("observed");
        }));
        one.tryFor(REPORTS, 1);
        get(one.store.look(REPORTS, 1));
        get(one.store.revoke(REPORTS, "test:instance:none", "", 1));
        get(one.store.resize(REPORTS, 2));
        get(one.store.resize(REPORTS, 0));
        get(one.store.inUse(1));

        await().atMost(30, TimeUnit.SECONDS).until(() -> reported.equals(EnumSet.allOf(Operation.class)));
    }

    /** In dev mode, after a live reload that has changed the limit. */
    @Test
    void limitsOfAnEarlierConfigurationAreNotTold() {
        Instance one = instance();
        Instance other = instance();
        other.limit = 2;
        one.tryFor(REPORTS, 1);
        assertThat(other.tryFor(REPORTS, 1).otherLimit()).isEqualTo(1);
        other.store.ignoreEarlierLimits();

        assertThat(other.state(REPORTS).otherLimit()).isZero();
        assertThat(get(other.store.look(REPORTS, 1)).declaredLimits()).isEmpty();
        assertThat(get(one.store.look(REPORTS, 1)).declaredLimits()).containsExactly(1, 2);
    }

    // ---- Bulkheads in use

    private void held(String prefix, BulkheadId bulkhead) {
        redis.command("HSET", new BulkheadKeys(prefix, bulkhead) + "shares", "field", "value");
    }

    @Test
    void longKeysAreCounted() {
        BulkheadId pages = BulkheadId.of("pages");
        RedisShareStore store = instance().store;
        held("test", pages.forKey("a".repeat(500)));
        held("test", pages.forKey("b".repeat(500)));
        held("test", BulkheadId.of("{other}").forKey("\uD800"));
        assertThat(get(store.inUse(100)))
                .isEqualTo(new BulkheadsInUse(List.of(), Map.of("pages", 2, "{other}", 1), Optional.empty()));

        // What it shows is no matter: this instance knows the key from then on.
        store.look(pages.forKey("b".repeat(500)), 1);
        assertThat(get(store.inUse(100))).isEqualTo(new BulkheadsInUse(List.of(pages.forKey("b".repeat(500))),
                Map.of("pages", 1, "{other}", 1), Optional.empty()));
    }

    @Test
    void foreignKeysAndPrefixesAreIgnored() {
        for (String prefix : List.of("te*t", "test", "a:te*t", "te*t:b")) {
            held(prefix, REPORTS.forKey("of " + prefix));
        }
        for (String foreign : List.of("{}:shares", "{a%:%ZZ}:shares", "{a%:%4}:shares", "{a%:\u00e4}:shares", "{a%:%FF}:shares",
                "shares", "{reports}:tickets")) {
            redis.command("HSET", "te*t:" + foreign, "field", "value");
        }
        try (RedisShareStore store = new RedisShareStore(
                new Topology(redis.vertx(), redis.options(), "quarkus.redis", "te*t", TIMEOUT, true))) {
            assertThat(get(store.inUse(100)).bulkheads()).containsExactly(REPORTS.forKey("of te*t"));
        }
    }

    /** A scan of many keys may exceed the command timeout; its steps do not, and other calls run in between. */
    @Test
    void scanStopsAtTooManyKeysAndLetsOtherCallsPass() {
        redis.command("EVAL", "for i = 1, ARGV[1] do redis.call('SET', 'key:' .. i, '') end", 0, 150_000);
        RedisShareStore store = instance().store;
        CompletableFuture<BulkheadsInUse> scan = store.inUse(100).toCompletableFuture();
        for (int i = 0; i < 3; i++) {
            boolean isOver = get(store.look(REPORTS, 1).thenApply(answer -> scan.isDone()));
            assertThat(isOver).as("the scan ends first").isFalse();
        }
        assertThat(get(scan).incomplete()).hasValueSatisfying(reason -> assertThat(reason).contains("too many keys"));
    }

    @Test
    void missingScanPermissionIsReported() {
        redis.command("ACL", "SETUSER", "blind", "on", ">secret", "~*", "+@all", "-scan");
        assertThat(get(instance(redis.optionsOf("blind")).store.inUse(100)).incomplete())
                .hasValueSatisfying(reason -> assertThat(reason).contains("+scan"));
    }

    /** Statements of many bulkheads do not wait for each other's answers. */
    @Test
    void statementsOfManyBulkheadsArePipelined() {
        Instance one = instance().awaitHearing();
        one.tryFor(REPORTS, 1);
        redis.command("CONFIG", "RESETSTAT");
        List<CompletableFuture<Position>> answers = new ArrayList<>();
        redis.whileStopped(() -> {
            IntStream.range(0, 200).forEach(i -> answers.add(one.store
                    .sync(one.statement(BulkheadId.of("b" + i), List.of(), List.of(new Need(0, 0, 1, 1))))
                    .toCompletableFuture()));
            CompletableFuture<Void> written = new CompletableFuture<>();
            topology.context.runOnContext(now -> written.complete(null));
            get(written);
        });

        assertThat(answers).allSatisfy(answer -> assertThat(get(answer).granted()).isEqualTo(1));
        assertThat(redis.info("stats", "total_reads_processed:")).isLessThan(50);
    }
}
