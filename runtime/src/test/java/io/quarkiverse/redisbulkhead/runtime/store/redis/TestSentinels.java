package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.RedisOptions;
import redis.embedded.RedisSentinel;

/** A master with a replica, and three sentinels that replace the master when it fails. */
final class TestSentinels implements AutoCloseable {

    private static final String MASTER_NAME = "main";
    private static final int SENTINELS = 3;

    private final TestRedis first = new TestRedis();
    private final TestRedis second = new TestRedis(TestRedis.freePort(), "replicaof 127.0.0.1 " + first.port(),
            "repl-diskless-sync-delay 0");
    private final List<RedisSentinel> sentinels = new ArrayList<>();
    private final List<TestRedis> inspected = new ArrayList<>();

    TestSentinels() {
        second.start();
        try {
            for (int i = 0; i < SENTINELS; i++) {
                int port = TestRedis.freePort();
                RedisSentinel sentinel = RedisSentinel.newRedisSentinel().bind("127.0.0.1").port(port).masterName(MASTER_NAME)
                        .masterPort(first.port()).quorumSize(2).downAfterMilliseconds(1_000).failOverTimeout(5_000)
                        .parallelSyncs(1).build();
                sentinel.start();
                sentinels.add(sentinel);
                inspected.add(TestRedis.startedElsewhere(port));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        await("the sentinels to know each other and the replica").atMost(Duration.ofSeconds(60))
                .until(() -> inspected.stream().map(one -> one.command("SENTINEL", "MASTERS").toString())
                        .allMatch(told -> told.matches("(?s).*num-slaves\\W+1\\b.*")
                                && told.matches("(?s).*num-other-sentinels\\W+" + (SENTINELS - 1) + "\\b.*")));
        await("the replica").atMost(Duration.ofSeconds(60))
                .until(() -> second.command("INFO", "replication").toString().contains("master_link_status:up"));
    }

    RedisOptions options() {
        RedisOptions options = new RedisOptions().setType(RedisClientType.SENTINEL).setMasterName(MASTER_NAME);
        inspected.forEach(sentinel -> options.addConnectionString("redis://127.0.0.1:" + sentinel.port()));
        return options;
    }

    TestRedis master() {
        return isMaster(first) ? first : second;
    }

    private static boolean isMaster(TestRedis server) {
        return server.command("ROLE").get(0).toString().equals("master");
    }

    /** Replaces the master by its replica, and returns when the old master is a replica itself. */
    void failOver() {
        TestRedis old = master();
        inspected.get(0).command("SENTINEL", "FAILOVER", MASTER_NAME);
        await("the end of the failover").atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> !isMaster(old));
    }

    @Override
    public void close() {
        inspected.forEach(TestRedis::close);
        try {
            for (RedisSentinel sentinel : sentinels) {
                sentinel.stop();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        second.close();
        first.close();
    }
}
