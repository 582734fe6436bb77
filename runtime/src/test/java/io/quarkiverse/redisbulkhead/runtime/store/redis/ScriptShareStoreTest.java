package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
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
        topology = new Topology(redis.vertx(), options, "quarkus.redis", "test", timeout, 1, true);
        return new ScriptShareStore(topology);
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
        topology.context().runOnContext(now -> written.complete(null));
        written.get(30, TimeUnit.SECONDS);
        TestRedis.signal(pid, "CONT");

        assertThat(answers).allSatisfy(answer -> assertThat(get(answer).granted()).isEqualTo(1));
        assertThat(redis.info("stats", "total_reads_processed:")).isLessThan(50);
    }
}
