package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

class RedisLinkTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final int MOST_ATTEMPTS = 4;
    /** The default of the client. */
    private static final int POOL = 6;

    TestRedis redis;
    Redis client;
    RedisLink link;

    @BeforeEach
    void start() {
        redis = new TestRedis();
        client = redis.newClient();
        link = new RedisLink(redis.vertx(), client, TIMEOUT, 64, 4, new PoolShare(6));
    }

    @AfterEach
    void stop() {
        link.close();
        client.close();
        redis.close();
    }

    /** No command finds the client's waiting list full, which would cost the connection. */
    @Test
    void tenThousandCommandsAtOnceOverOneConnection() {
        patientLink();
        assertThat(ping()).isEqualTo("PONG");
        long connectionsBefore = connectionsEver();
        List<CompletableFuture<Response>> replies = IntStream.range(0, 10_000)
                .mapToObj(i -> echo(link, Integer.toString(i))).toList();

        for (int i = 0; i < 10_000; i++) {
            assertThat(get(replies.get(i))).hasToString(Integer.toString(i));
        }
        assertThat(connectionsEver()).as("only the one that asks is new").isEqualTo(connectionsBefore + 1);
    }

    /** What was not sent yet when the connection was lost is sent over the next one. */
    @Test
    void aBacklogSurvivesALostConnection() {
        patientLink();
        for (int round = 0; round < 3; round++) {
            List<CompletableFuture<Response>> replies = IntStream.range(0, 5_000).mapToObj(n -> echo(link, "PONG")).toList();
            redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            assertThat(replies).allSatisfy(reply -> assertThat(get(reply)).hasToString("PONG"));
        }
    }

    // With time enough on a slow machine, and with a client that takes no more than the link sends.
    private void patientLink() {
        link.close();
        client.close();
        client = Redis.createClient(redis.vertx(), new RedisOptions().setConnectionString("redis://127.0.0.1:" + redis.port())
                .setMaxWaitingHandlers(64));
        link = new RedisLink(redis.vertx(), client, Duration.ofSeconds(25), 64, 4, new PoolShare(6));
    }

    /** Trap 22: a restart between two calls is not noticed. */
    @Test
    void aRestartBetweenTwoCommandsIsNotNoticed() {
        assertThat(ping()).isEqualTo("PONG");
        for (int i = 0; i < 5; i++) {
            redis.stop();
            redis.start();
            assertThat(ping()).isEqualTo("PONG");
        }
    }

    /** Far more commands than may be on their way at once, and the server goes: those who wait survive it. */
    @Test
    void aConnectionThatIsLostUnderABacklogDoesNotStopTheLink() {
        assertThat(ping()).isEqualTo("PONG");
        for (int round = 0; round < 3; round++) {
            List<CompletableFuture<Response>> replies = IntStream.range(0, 5_000).mapToObj(n -> echo(link, "PONG")).toList();
            redis.stop();
            redis.start();
            assertThat(replies).allSatisfy(reply -> assertThat(reply.handle((response, failure) -> "over")
                    .get(30, TimeUnit.SECONDS)).isEqualTo("over"));
            assertThat(ping()).isEqualTo("PONG");
        }
    }

    /** A caller that blocks its own Vert.x context, as a worker verticle does, gets its answer all the same. */
    @Test
    void aCallerMayBlockItsOwnContext() throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        redis.vertx().deployVerticle(new AbstractVerticle() {
            @Override
            public void start() {
                answer.complete(ping());
            }
        }, new DeploymentOptions().setThreadingModel(ThreadingModel.WORKER));

        assertThat(answer.get(20, TimeUnit.SECONDS)).isEqualTo("PONG");
    }

    @Test
    void aKilledConnectionIsNotNoticed() {
        assertThat(ping()).isEqualTo("PONG");
        for (int i = 0; i < 5; i++) {
            redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            List<CompletableFuture<Response>> replies = IntStream.range(0, 200)
                    .mapToObj(n -> echo(link, "PONG")).toList();
            assertThat(replies).allSatisfy(reply -> assertThat(get(reply)).hasToString("PONG"));
        }
        await().atMost(10, TimeUnit.SECONDS).untilAsserted(() -> assertThat(connections()).isEqualTo(1));
    }

    /**
     * Trap 25: Redis is down; the call fails at once and certainly did nothing, and the first call after its return
     * succeeds.
     */
    @Test
    void aServerThatIsDownFailsTheCommandAndTheFirstOneAfterItsReturnSucceeds() {
        ping();
        for (int i = 0; i < 3; i++) {
            redis.stop();
            for (int n = 0; n < 20; n++) {
                assertThatThrownBy(this::ping).isInstanceOf(StoreException.class).hasMessageContaining("cannot be reached");
            }
            redis.start();
            assertThat(ping()).isEqualTo("PONG");
        }
    }

    @Test
    void aCommandThatWasNeverSentHasAKnownOutcome() {
        redis.stop();
        try {
            assertThatThrownBy(this::ping).isInstanceOfSatisfying(StoreException.class,
                    e -> assertThat(e.outcomeUnknown()).isFalse());
        } finally {
            redis.start();
        }
    }

    /** Trap 25: Redis accepts connections and says nothing; no command hangs, and the first one after its return succeeds. */
    @Test
    void aServerThatHangsFailsTheCommandWithinTheTimeout() {
        ping();
        long pid = redis.pid();
        TestRedis.signal(pid, "STOP");
        try {
            for (int i = 0; i < 3; i++) {
                long began = System.nanoTime();
                assertThatThrownBy(this::ping).isInstanceOf(StoreException.class).hasMessageContaining("not answer");
                assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(TIMEOUT.multipliedBy(5));
            }
            CompletableFuture<Response> first = echo(link, "PONG");
            assertThatThrownBy(() -> get(first)).isInstanceOf(StoreException.class);
        } finally {
            TestRedis.signal(pid, "CONT");
        }
        assertThat(ping()).isEqualTo("PONG");
    }

    @Test
    void anUnansweredCommandHasAnUnknownOutcome() {
        ping();
        long pid = redis.pid();
        TestRedis.signal(pid, "STOP");
        try {
            assertThatThrownBy(this::ping).isInstanceOfSatisfying(StoreException.class,
                    e -> assertThat(e.outcomeUnknown()).isTrue());
        } finally {
            TestRedis.signal(pid, "CONT");
        }
    }

    /** A connection that went silent is closed, not put back for the next user of the client. */
    @Test
    void aSilentConnectionDoesNotReturnToThePool() {
        ping();
        long pid = redis.pid();
        TestRedis.signal(pid, "STOP");
        try {
            assertThatThrownBy(this::ping).isInstanceOf(StoreException.class);
        } finally {
            TestRedis.signal(pid, "CONT");
        }
        assertThat(ping()).isEqualTo("PONG");
        await().atMost(10, TimeUnit.SECONDS).untilAsserted(() -> assertThat(connections()).isEqualTo(1));
    }

    /** A server that closes every connection at once neither hangs a command nor is stormed with attempts. */
    @Test
    void aServerThatClosesEveryConnectionIsNotStormed() throws Exception {
        List<Long> accepted = new ArrayList<>();
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread acceptor = new Thread(() -> {
                while (!server.isClosed()) {
                    try {
                        server.accept().close();
                        accepted.add(System.nanoTime());
                    } catch (IOException e) {
                        return;
                    }
                }
            });
            acceptor.start();
            Redis strange = redis.newClient(server.getLocalPort());
            try (RedisLink toStrange = new RedisLink(redis.vertx(), strange, TIMEOUT, 64, 4, new PoolShare(6))) {
                for (int i = 0; i < 20; i++) {
                    CompletableFuture<Response> reply = echo(toStrange, "PONG");
                    assertThatThrownBy(() -> get(reply)).isInstanceOf(StoreException.class);
                }
            } finally {
                strange.close();
                server.close();
                acceptor.join();
            }
        }
        assertThat(accepted).hasSizeLessThanOrEqualTo(22);
    }

    /**
     * Trap 25: more connections than may be opened at once are accepted, and never hear a word, as when the server behind an
     * address has gone and nobody resets what was open. The first one that is answered brings Redis back.
     */
    @Test
    void aServerThatNeverSpeaksIsLeftForOneThatDoes() throws Exception {
        Duration timeout = Duration.ofMillis(200);
        try (SilentAtFirst server = new SilentAtFirst(MOST_ATTEMPTS, redis.port());
                RedisLink toSilent = new RedisLink(redis.vertx(), closedWith(server), timeout, 64, MOST_ATTEMPTS,
                        new PoolShare(6))) {
            assertThatThrownBy(() -> get(echo(toSilent, "PONG"))).isInstanceOf(StoreException.class)
                    .hasMessageContaining("not answer");
            await().atMost(20, TimeUnit.SECONDS).ignoreExceptions()
                    .untilAsserted(() -> assertThat(get(echo(toSilent, "PONG"))).hasToString("PONG"));
            assertThat(server.accepted()).isEqualTo(MOST_ATTEMPTS + 1);
        }
    }

    /**
     * Trap 25: whatever is accepted never hears a word, for long. The client's own users keep places in its pool, and are
     * served as soon as the server speaks to new connections; the link is when those that it has have ended.
     */
    @Test
    void aServerThatNeverSpeaksLeavesPlacesInThePool() throws Exception {
        Duration timeout = Duration.ofMillis(50);
        PoolShare share = PoolShare.of(POOL, 2);
        LoggedWarnings warnings = new LoggedWarnings(PoolShare.class);
        try (warnings; SilentAtFirst server = new SilentAtFirst(Integer.MAX_VALUE, redis.port())) {
            Redis application = closedWith(server);
            try (RedisLink toSilent = new RedisLink(redis.vertx(), application, timeout, 64, 1, share)) {
                await().atMost(20, TimeUnit.SECONDS).until(() -> failsToSilent(toSilent) && server.accepted() == POOL - 2);
                // Beyond the time after which the last one is forgotten.
                for (int i = 0; i < 15; i++) {
                    assertThat(failsToSilent(toSilent)).isTrue();
                }
                assertThat(server.accepted()).isEqualTo(POOL - 2);
                assertThat(warnings.texts()).singleElement().asString().contains("quarkus.redis.tcp.idle-timeout");

                server.speak();
                assertThat(get(application.send(Request.cmd(Command.PING)).toCompletionStage().toCompletableFuture()))
                        .hasToString("PONG");
                assertThat(failsToSilent(toSilent)).isTrue();

                server.endSilent();
                await().atMost(20, TimeUnit.SECONDS).ignoreExceptions()
                        .untilAsserted(() -> assertThat(get(echo(toSilent, "PONG"))).hasToString("PONG"));
            }
        }
    }

    private static boolean failsToSilent(RedisLink toSilent) {
        assertThatThrownBy(() -> get(echo(toSilent, "PONG"))).isInstanceOf(StoreException.class);
        return true;
    }

    private Redis closedWith(SilentAtFirst server) {
        Redis silent = redis.newClient(server.port());
        server.onClose(silent::close);
        return silent;
    }

    @Test
    void closingGivesUpWhatIsUnderWay() {
        ping();
        long pid = redis.pid();
        TestRedis.signal(pid, "STOP");
        try {
            CompletableFuture<Response> reply = echo(link, "PONG");
            link.close();
            assertThatThrownBy(() -> get(reply)).isInstanceOf(StoreException.class).hasMessageContaining("stopping");
            assertThatThrownBy(this::ping).isInstanceOf(StoreException.class).hasMessageContaining("stopping");
        } finally {
            TestRedis.signal(pid, "CONT");
        }
    }

    @Test
    void aRefusedCommandSaysWhatRedisSaid() {
        redis.command("SET", "key", "text");
        assertThatThrownBy(() -> get(call(link, "return redis.call('LPUSH', KEYS[1], ARGV[1])", "x")))
                .isInstanceOfSatisfying(StoreException.class, e -> {
                    assertThat(e.getMessage()).contains("WRONGTYPE");
                    assertThat(e.outcomeUnknown()).isFalse();
                });
    }

    private String ping() {
        return get(echo(link, "PONG")).toString();
    }

    private static CompletableFuture<Response> echo(RedisLink link, String text) {
        return call(link, "return ARGV[1]", text);
    }

    private static CompletableFuture<Response> call(RedisLink link, String script, String arg) {
        return link.send(new RedisCall<Response>() {

            @Override
            public Future<Response> over(RedisConnection connection) {
                return connection.send(Request.cmd(Command.EVAL).arg(script).arg(1).arg(about()).arg(arg));
            }

            @Override
            public String about() {
                return "key";
            }
        }).thenApply(RedisAnswer::value).toCompletableFuture();
    }

    private long connectionsEver() {
        return redis.command("INFO", "stats").toString().lines()
                .filter(line -> line.contains("total_connections_received:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst().orElseThrow();
    }

    // Without the one that asks.
    private long connections() {
        return redis.command("CLIENT", "LIST").toString().lines().filter(line -> line.contains("id=")).count() - 1;
    }

    private static Response get(CompletableFuture<Response> reply) {
        try {
            return reply.get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw (RuntimeException) e.getCause();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
