package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Need;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.RedisRole;

/** No exception and no log line contains the Redis password or a user's key. */
class SecretsTest {

    private static final String PASSWORD = "hunter2";
    private static final String KEY = "4111-1111";
    private static final int SLOTS = 16_384;
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    private final Logger logger = Logger.getLogger("io.quarkiverse.redisbulkhead");
    private final LoggedWarnings log = new LoggedWarnings(logger.getName());
    final TestRedis redis = new TestRedis();

    @BeforeEach
    void logAll() {
        logger.setLevel(Level.ALL);
    }

    @AfterEach
    void stop() {
        log.close();
        logger.setLevel(null);
        redis.close();
    }

    /** The client quotes the complete addresses of nodes that it cannot reach. */
    @Test
    void outageOfAClusterRevealsNoSecret() throws Exception {
        TestRedis node = new TestRedis(TestRedis.freePort(), "cluster-enabled yes");
        node.start();
        node.command("CLUSTER", Stream.concat(Stream.of("ADDSLOTS"), IntStream.range(0, SLOTS).boxed()).toArray());
        await().atMost(20, TimeUnit.SECONDS)
                .until(() -> node.command("CLUSTER", "INFO").toString().contains("cluster_state:ok"));
        RedisOptions options = new RedisOptions().setType(RedisClientType.CLUSTER)
                .setConnectionString("redis://:hunter2@127.0.0.1:" + node.port());
        try (RedisShareStore store = TestStore.SCRIPT.open(redis, options, TIMEOUT)) {
            acquire(store, BulkheadId.of("cards").forKey(KEY)).get(20, TimeUnit.SECONDS);
            node.stop();

            for (int i = 0; i < 10; i++) {
                assertThat(failure(acquire(store, BulkheadId.of("cards").forKey(KEY)))).contains("Redis");
            }
        } finally {
            node.start();
            node.close();
        }
    }

    @ParameterizedTest
    @EnumSource(RedisClientType.class)
    void outageOfAServerRevealsNoSecret(RedisClientType type) {
        int unused = TestRedis.freePort();
        for (String address : List.of("redis://:hunter2@127.0.0.1:" + unused, "redis://u:hunter2@127.0.0.1:" + unused,
                "rediss://u:hunter2@127.0.0.1:" + unused, "redis://127.0.0.1:" + unused + "?user=u&password=hunter2",
                "redis://:hunter2@nowhere.invalid:6379")) {
            assertThat(failure(new RedisOptions().setType(type).setRole(RedisRole.MASTER).setMasterName("m")
                    .addConnectionString(address))).contains("Redis");
        }
    }

    @ParameterizedTest
    @MethodSource("wrongOptions")
    void refusedClientRevealsNoSecret(RedisOptions options) {
        redis.command("ACL", "SETUSER", "shop", "on", ">other", "~*", "&*", "+@all");
        options.setConnectionString(options.getEndpoint().replace(":0", ":" + redis.port()));
        assertThat(failure(options)).contains("Redis");
    }

    static Stream<RedisOptions> wrongOptions() {
        return Stream.of(new RedisOptions().setConnectionString("redis://shop:hunter2@127.0.0.1:0"),
                new RedisOptions().setConnectionString("rediss://shop:hunter2@127.0.0.1:0"),
                new RedisOptions().setConnectionString("redis://shop:hunter2@127.0.0.1:0/99"));
    }

    /** Refused commands and unreadable data. */
    @ParameterizedTest
    @EnumSource(TestStore.class)
    void failingCallsRevealNoSecret(TestStore kind) throws Exception {
        redis.command("ACL", "SETUSER", "shop", "on", ">" + PASSWORD, "~*", "&*", "+@all");
        RedisOptions options = new RedisOptions().setConnectionString("redis://shop:hunter2@127.0.0.1:" + redis.port());
        try (TestProcess process = new TestProcess(redis, kind, options)) {
            BulkheadId bulkhead = BulkheadId.of("cards").forKey(KEY);
            BulkheadKeys keys = new BulkheadKeys("test", bulkhead);
            redis.command("SET", keys.data().get(0), "text");
            assertThat(failure(acquire(process.store, bulkhead))).contains("WRONGTYPE");
            assertThat(failure(process.store.look(bulkhead, 10).toCompletableFuture())).contains("WRONGTYPE");
            redis.command("FLUSHALL");
            redis.command("HSET", keys.data().get(0), "bulkhead", "no number");
            assertThat(failure(acquire(process.store, bulkhead))).containsIgnoringCase("layout no");
            redis.command("FLUSHALL");
            redis.command("ACL", "SETUSER", "shop", "-@all", "+hello", "+auth");
            assertThat(failure(acquire(process.store, bulkhead))).contains("NOPERM");
            redis.command("ACL", "SETUSER", "shop", "+@all", "resetkeys", "~other:*");
            assertThat(failure(acquire(process.store, bulkhead))).contains("NOPERM");
            redis.stop();
            await().atMost(60, TimeUnit.SECONDS)
                    .until(() -> failure(acquire(process.store, bulkhead)).contains("command-timeout"));
            redis.start();
        }
    }

    private CompletableFuture<?> acquire(RedisShareStore store, BulkheadId bulkhead) {
        return store.sync(new Statement(bulkhead, 1, 0, 0, 0, 0, 30_000, 1, false, false, List.of(),
                List.of(new Need(0, 0, 1, 1)), 0, 0, "", -1, List.of(), List.of())).toCompletableFuture();
    }

    /** The failure of a call; also waits for the failure of the subscription. */
    private String failure(RedisOptions options) {
        try (RedisShareStore store = TestStore.SCRIPT.open(redis, options, TIMEOUT)) {
            store.inbox().open();
            String failure = failure(acquire(store, BulkheadId.of("cards").forKey(KEY)));
            await().atMost(30, TimeUnit.SECONDS)
                    .until(() -> log.infos().stream().anyMatch(line -> line.contains("Subscription")));
            return failure;
        }
    }

    private String failure(CompletableFuture<?> reply) {
        String failure = failureIfAny(reply);
        assertThat(failure).as("failure").isNotEmpty();
        return failure;
    }

    private String failureIfAny(CompletableFuture<?> reply) {
        String failure = "";
        try {
            reply.get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(StoreException.class);
            failure = LoggedWarnings.printed(e.getCause());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        assertNoSecret(failure);
        assertThat(log.texts()).allSatisfy(SecretsTest::assertNoSecret);
        assertThat(log.infos()).allSatisfy(SecretsTest::assertNoSecret);
        return failure;
    }

    private static void assertNoSecret(String text) {
        assertThat(text).doesNotContain(PASSWORD).doesNotContain(KEY);
    }
}
