package io.quarkiverse.redisbulkhead.faults.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.junit.jupiter.api.Tag;

import io.quarkiverse.redisbulkhead.faults.harness.Scenario;
import io.quarkiverse.redisbulkhead.faults.harness.Stage;
import io.quarkiverse.redisbulkhead.faults.harness.Store;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess.Held;
import io.quarkiverse.redisbulkhead.testredis.RedisProcess;

/** Redis replies with errors. */
@Tag("long")
class RedisRefusesTest {

    private static final Duration AT_ONCE = Duration.ofSeconds(2);
    // Waiters poll within this time if no message arrives.
    private static final Duration POLL = Duration.ofSeconds(2);

    @Scenario(value = "memory full with noeviction, for longer than a lease", expected = "calls are rejected; holders can renew and release their permits", stores = Store.SCRIPT)
    void memoryIsFull(Stage stage) {
        RedisProcess redis = stage.redis();
        Load load = Load.start(stage, redis.url());
        // No other calls: a script that has released one permit may grant another, whatever the memory.
        Held alone = load.holder().hold("pair");
        stage.awaitThat("a holder without other calls", alone::isInside);

        stage.fault(() -> redis.command("CONFIG", "SET", "maxmemory", "1"));
        load.awaitUnavailable();
        load.assertReason("OOM", "maxmemory");
        stage.faultLasts(Stage.LEASE.multipliedBy(2));
        assertThat(redis.permits("pair")).as("permits that are renewed").isOne();
        alone.leave();
        stage.awaitThat("the release", () -> redis.permits("pair") == 0);
        load.assertNothingLost();
        stage.repair(() -> redis.command("CONFIG", "SET", "maxmemory", "0"));
        load.awaitRecovery(AT_ONCE);
    }

    /** Each transaction is rejected, so nothing is renewed. */
    @Scenario(value = "memory full with noeviction, for longer than a lease", expected = "calls are rejected; holders learn of the loss", stores = Store.LOCK)
    void memoryIsFullForTransactions(Stage stage) {
        stage.permitsMayBeLost();
        RedisProcess redis = stage.redis();
        Load load = Load.start(stage, redis.url());

        stage.fault(() -> redis.command("CONFIG", "SET", "maxmemory", "1"));
        load.awaitUnavailable();
        stage.awaitThat("the loss is told", () -> !load.holder().losses().isEmpty());
        stage.repair(() -> redis.command("CONFIG", "SET", "maxmemory", "0"));
        load.awaitRecovery(AT_ONCE);
        load.assertHolderLost();
    }

    /** Trap 32. */
    @Scenario(value = "the server becomes a read-only replica, then a master again", expected = "calls are retried for command-timeout (1 s), then rejected; only fresh offers may be lost")
    void becomesAReplica(Stage stage) {
        stage.permitsMayBeLost();
        refuses(stage, redis -> redis.command("REPLICAOF", "127.0.0.1", "1"), redis -> redis.command("REPLICAOF", "NO", "ONE"))
                .assertOnlyOffersLost();
    }

    @Scenario(value = "too few replicas for the server to accept writes", expected = "calls are rejected")
    void lacksReplicas(Stage stage) {
        refuses(stage, redis -> redis.command("CONFIG", "SET", "min-replicas-to-write", "1"),
                redis -> redis.command("CONFIG", "SET", "min-replicas-to-write", "0"), "NOREPLICAS", "min-replicas-to-write")
                .assertNothingLost();
    }

    @Scenario(value = "Redis cannot save its data and refuses writes (MISCONF)", expected = "calls are rejected, with the reason")
    void cannotSave(Stage stage) throws IOException {
        RedisProcess redis = stage.redis();
        redis.command("CONFIG", "SET", "save", "3600 1");
        Load load = Load.startWithLongLease(stage, redis.url());
        // Replaces the file that it writes.
        Path obstacle = Files.createDirectory(redis.folder().resolve("dump.rdb"));

        stage.fault(() -> {
            redis.command("BGSAVE");
            stage.awaitThat("a failure to save", () -> redis.command("INFO", "persistence").contains("bgsave_status:err"));
        });
        load.awaitUnavailable();
        load.assertReason("MISCONF");
        Files.delete(obstacle);
        stage.repair(() -> {
            redis.command("BGSAVE");
            stage.awaitThat("a success", () -> redis.command("INFO", "persistence").contains("bgsave_status:ok"));
        });
        load.awaitRecovery(AT_ONCE);
        load.assertNothingLost();
    }

    /** Trap 45. */
    @Scenario(value = "Redis requires a password from the start; the instance has none", expected = "the instance starts and reports the missing property; calls are rejected with that reason")
    void passwordIsMissing(Stage stage) {
        RedisProcess redis = stage.redis("--requirepass", "secret");
        WorkerProcess worker = stage.workersWithoutRedis(1, redis.url(), Map.of(), Map.of()).get(0);
        stage.fault(() -> stage.awaitThat("the reason in the log", () -> worker.output().contains("quarkus.redis.password")));
        for (String bulkhead : List.of("open", "fair", "single")) {
            worker.hold(bulkhead).awaitDone();
            assertThat(stage.history().unavailable(bulkhead)).isEqualTo(1);
        }
        assertThat(stage.history().lastExceptions())
                .allSatisfy(exception -> assertThat(exception).contains("quarkus.redis.password").doesNotContain("no answer"));
        stage.repair(() -> redis.query(jedis -> {
            jedis.auth("secret");
            return jedis.configSet("requirepass", "");
        }));
        worker.load("open", "sync", 3, 20);
        stage.awaitRecovery("open", AT_ONCE);
    }

    @Scenario(value = "wrong password for all new connections", expected = "calls are rejected")
    void passwordIsWrong(Stage stage) {
        RedisProcess redis = stage.redis();
        Load load = Load.startWithLongLease(stage, redis.url());

        try (var operator = redis.jedis()) {
            stage.fault(() -> {
                operator.configSet("requirepass", "another");
                operator.sendCommand(() -> "CLIENT".getBytes(), "KILL", "TYPE", "normal");
                operator.sendCommand(() -> "CLIENT".getBytes(), "KILL", "TYPE", "pubsub");
            });
            load.awaitUnavailable();
            load.assertReason("quarkus.redis.password");
            stage.repair(() -> operator.configSet("requirepass", ""));
        }
        load.awaitRecovery(AT_ONCE);
        load.assertNothingLost();
    }

    @Scenario(value = "the ACL forbids commands that the store needs, during the run", expected = "calls are rejected")
    void aclForbidsCommands(Stage stage) {
        List<String> needed = stage.store() == Store.SCRIPT ? List.of("evalsha", "eval") : List.of("set");
        refuses(stage, redis -> needed.forEach(command -> redis.command("ACL", "SETUSER", "default", "-" + command)),
                redis -> redis.command("ACL", "SETUSER", "default", "+@all"), "NOPERM", "ACL").assertNothingLost();
    }

    /** Trap 11. */
    @Scenario(value = "the ACL forbids PUBLISH", expected = "waiters poll, and get their permits within two seconds")
    void aclForbidsMessages(Stage stage) {
        RedisProcess redis = stage.redis();
        List<WorkerProcess> workers = stage.workers(2, redis.url(), Load.PATIENT);
        for (String bulkhead : List.of("single", "open")) {
            List<Held> held = workers.get(0).hold(bulkhead, bulkhead.equals("open") ? 3 : 1);
            stage.awaitInside(bulkhead, held.size());
            stage.fault(() -> redis.command("ACL", "SETUSER", "default", "-publish"));
            Held waiter = workers.get(1).hold(bulkhead);
            stage.awaitThat("a waiter", () -> redis.waiters(bulkhead) == 1);
            stage.repair(held.get(0)::leave);
            stage.awaitRecovery("the waiter is inside", POLL, () -> stage.inside(workers.get(1)) == 1);
            waiter.leave();
            held.stream().skip(1).forEach(Held::leave);
        }
        redis.command("ACL", "SETUSER", "default", "+publish");
    }

    @Scenario(value = "the key of the shares has a wrong type", expected = "calls of that bulkhead are rejected, others succeed")
    void keyIsForeign(Stage stage) {
        RedisProcess redis = stage.redis();
        List<WorkerProcess> workers = stage.workers(2, redis.url());
        workers.forEach(worker -> worker.load("open", "sync", 3, 20).load("open", "uni", 3, 20));
        stage.awaitEntries(100);
        stage.history().forgetRejections();
        String key = "redis-bulkhead:{fair}:shares";

        stage.fault(() -> redis.command("SET", key, "mine"));
        workers.forEach(worker -> worker.load("fair", "sync", 3, 20).load("fair", "uni", 3, 20));
        stage.awaitThat("rejections", () -> stage.history().unavailable("fair") >= 10);
        stage.awaitInside("open", 3);
        assertThat(stage.inside("fair")).isZero();
        assertThat(stage.history().unavailable("open")).isZero();
        assertThat(redis.command("GET", key)).isEqualTo("mine");
        stage.repair(() -> redis.command("DEL", key));
        stage.awaitRecovery("fair", AT_ONCE);
        assertThat(stage.history().unavailable("open")).isZero();
    }

    private static Load refuses(Stage stage, Consumer<RedisProcess> fault, Consumer<RedisProcess> repair, String... reason) {
        RedisProcess redis = stage.redis();
        Load load = Load.startWithLongLease(stage, redis.url());
        stage.fault(() -> fault.accept(redis));
        load.awaitUnavailable();
        if (reason.length > 0) {
            load.assertReason(reason);
        }
        stage.repair(() -> repair.accept(redis));
        load.awaitRecovery(AT_ONCE);
        return load;
    }
}
