package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.runtime.store.StoreAwayException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.TransientStoreException;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * What counts as an outage, over real sockets. A call fails with its connection, and may be made again at once; only when the
 * server is silent for the command timeout, or refuses permanently, the policy for outages applies.
 */
class TopologyTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    /** For tests in which no call may fail, even on a slow machine. */
    private static final Duration LONG_TIMEOUT = Duration.ofSeconds(25);

    TestRedis redis;
    Topology connections;
    LoggedWarnings log;

    @BeforeEach
    void start() {
        redis = new TestRedis();
        log = new LoggedWarnings(Outage.class);
        connections = connections(redis.options(), TIMEOUT);
    }

    @AfterEach
    void stop() {
        connections.close();
        log.close();
        redis.close();
    }

    private Topology connections(RedisOptions options, Duration timeout) {
        return new Topology(redis.vertx(), options, "quarkus.redis", "test", timeout, 1, true);
    }

    private void useLongTimeout() {
        connections.close();
        connections = connections(redis.options(), LONG_TIMEOUT);
    }

    @Test
    void oneConnectionCarriesTenThousandConcurrentCommands() {
        useLongTimeout();
        assertThat(ping()).isEqualTo("PONG");
        long connectionsBefore = connectionsEver();
        List<CompletableFuture<Response>> replies = IntStream.range(0, 10_000)
                .mapToObj(i -> echo(connections, Integer.toString(i))).toList();

        for (int i = 0; i < 10_000; i++) {
            assertThat(get(replies.get(i))).hasToString(Integer.toString(i));
        }
        assertThat(connectionsEver()).as("only the reading connection is new").isEqualTo(connectionsBefore + 1);
    }

    /** Commands not yet sent when the connection is lost are sent on the next one. */
    @Test
    void backlogSurvivesALostConnection() {
        useLongTimeout();
        for (int round = 0; round < 3; round++) {
            List<CompletableFuture<Response>> replies = IntStream.range(0, 5_000).mapToObj(n -> echo(connections, "PONG"))
                    .toList();
            redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            assertThat(replies).allSatisfy(reply -> assertThat(get(reply)).hasToString("PONG"));
        }
    }

    /** Trap 22: callers do not notice a restart between two calls. */
    @Test
    void restartBetweenCommandsIsTransparent() {
        useLongTimeout();
        assertThat(ping()).isEqualTo("PONG");
        for (int i = 0; i < 5; i++) {
            redis.stop();
            redis.start();
            assertThat(ping()).isEqualTo("PONG");
        }
    }

    /**
     * The server goes away with a backlog far above the limit of commands in flight: the waiting commands and the manager
     * survive.
     */
    @Test
    void connectionLostUnderABacklogIsReplaced() {
        assertThat(ping()).isEqualTo("PONG");
        for (int round = 0; round < 3; round++) {
            List<CompletableFuture<Response>> replies = IntStream.range(0, 5_000).mapToObj(n -> echo(connections, "PONG"))
                    .toList();
            redis.stop();
            redis.start();
            assertThat(replies).allSatisfy(reply -> assertThat(reply.handle((response, failure) -> "over")
                    .get(30, TimeUnit.SECONDS)).isEqualTo("over"));
            // If the restart takes longer than the command timeout, a probe must find the server first.
            await().atMost(30, TimeUnit.SECONDS).pollDelay(Duration.ZERO).ignoreExceptions()
                    .untilAsserted(() -> assertThat(ping()).isEqualTo("PONG"));
        }
    }

    /** A caller that blocks its own Vert.x context, as in a worker verticle, still gets its reply. */
    @Test
    void callerMayBlockItsOwnContext() throws Exception {
        CompletableFuture<String> reply = new CompletableFuture<>();
        redis.vertx().deployVerticle(new AbstractVerticle() {
            @Override
            public void start() {
                reply.complete(ping());
            }
        }, new DeploymentOptions().setThreadingModel(ThreadingModel.WORKER));

        assertThat(reply.get(20, TimeUnit.SECONDS)).isEqualTo("PONG");
    }

    @Test
    void killedConnectionIsTransparent() {
        useLongTimeout();
        assertThat(ping()).isEqualTo("PONG");
        for (int i = 0; i < 5; i++) {
            redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            List<CompletableFuture<Response>> replies = IntStream.range(0, 200)
                    .mapToObj(n -> echo(connections, "PONG")).toList();
            assertThat(replies).allSatisfy(reply -> assertThat(get(reply)).hasToString("PONG"));
        }
        await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> assertThat(connections()).isEqualTo(1));
    }

    /** Trap 31: calls wait while the server is down for less than the command timeout. */
    @Test
    void shortDowntimeIsNotAnOutage() {
        useLongTimeout();
        ping();
        redis.stop();
        List<CompletableFuture<Response>> replies = IntStream.range(0, 100).mapToObj(n -> echo(connections, "PONG")).toList();
        redis.start();

        assertThat(replies).allSatisfy(reply -> assertThat(get(reply)).hasToString("PONG"));
    }

    /**
     * Trap 25, Trap 31: refused connections are an outage after the command timeout; then calls fail at once until Redis is
     * back.
     */
    @Test
    void outageLastsFromTheTimeoutUntilAProbeSucceeds() {
        ping();
        redis.stop();
        assertThatThrownBy(this::ping).isInstanceOf(StoreAwayException.class).hasMessageContaining("1000 ms")
                .hasMessageContaining("command-timeout").hasMessageContaining("Connection refused");
        for (int n = 0; n < 20; n++) {
            CompletableFuture<Response> reply = echo(connections, "PONG");
            assertThatThrownBy(() -> get(reply)).isInstanceOfSatisfying(StoreAwayException.class,
                    e -> assertThat(e.outcomeUnknown()).isFalse());
        }
        assertThat(log.texts()).as("logged once").hasSize(1);
        redis.start();
        await().atMost(20, TimeUnit.SECONDS).ignoreExceptions().until(() -> ping().equals("PONG"));
    }

    /**
     * Trap 25: Redis accepts connections but does not reply; no command hangs, and the outcome of sent commands is unknown.
     */
    @Test
    void hangingServerIsAway() {
        ping();
        long pid = redis.pid();
        TestRedis.signal(pid, "STOP");
        try {
            assertThatThrownBy(this::ping).isInstanceOfSatisfying(StoreAwayException.class,
                    e -> assertThat(e.outcomeUnknown()).isTrue());
            assertThatThrownBy(this::ping).isInstanceOfSatisfying(StoreAwayException.class,
                    e -> assertThat(e.outcomeUnknown()).isFalse());
        } finally {
            TestRedis.signal(pid, "CONT");
        }
        await().atMost(20, TimeUnit.SECONDS).ignoreExceptions().until(() -> ping().equals("PONG"));
        await().atMost(20, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(connections()).as("silent connections are closed").isEqualTo(1));
    }

    /** Trap 32: calls wait through transient errors within the timeout. */
    @ParameterizedTest
    @ValueSource(strings = { "READONLY You can't write against a read only replica.",
            "LOADING Redis is loading the dataset in memory",
            "MASTERDOWN Link with MASTER is down", "CLUSTERDOWN The cluster is down",
            "TRYAGAIN Multiple keys request during rehashing",
            "BUSY Redis is busy running a script." })
    void transientErrorIsNotReported(String error) {
        useLongTimeout();
        for (int i = 0; i < 3; i++) {
            redis.command("SET", "test:key", error);
            CompletableFuture<Response> reply = call(connections, FAILS_WHILE_THE_KEY_EXISTS, "PONG");
            await().atMost(20, TimeUnit.SECONDS).until(() -> attempts() > 1);
            redis.command("DEL", "test:key", "attempts");
            assertThat(get(reply)).hasToString("PONG");
        }
        assertThat(log.texts()).isEmpty();
    }

    private int attempts() {
        Response attempts = redis.command("GET", "attempts");
        return attempts == null ? 0 : attempts.toInteger();
    }

    private static final String FAILS_WHILE_THE_KEY_EXISTS = "redis.call('INCR', 'attempts') "
            + "local text = redis.call('GET', KEYS[1]) if text then return redis.error_reply(text) end return ARGV[1]";

    /** Trap 32: a server that remains a replica is away, and the message names the setting to change. */
    @Test
    void permanentReplicaIsReported() {
        ping();
        redis.command("SET", "test:key", "READONLY You can't write against a read only replica.");
        assertThatThrownBy(() -> get(call(connections, FAILS_WHILE_THE_KEY_EXISTS, "x")))
                .isInstanceOf(StoreException.class).isNotInstanceOf(StoreAwayException.class)
                .hasMessageContaining("quarkus.redis.hosts");
    }

    /** Connecting and reading are not sufficient: only a probe that writes ends an outage. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void serverThatRefusesWritesStaysAway(boolean leastRights) {
        if (leastRights) {
            connections.close();
            connections = connections(redis.restrictedOptions(TestStore.SCRIPT), TIMEOUT);
        }
        get(call(connections, "return 1", "x"));
        redis.command("REPLICAOF", "127.0.0.1", "1");
        String write = "return redis.call('SET', KEYS[1], ARGV[1])";
        assertThatThrownBy(() -> get(call(connections, write, "x"))).isInstanceOf(StoreException.class);

        await().atMost(60, TimeUnit.SECONDS).until(() -> rejectedSets() >= 5);
        assertThat(log.infos()).noneMatch(info -> info.contains("is available again"));
        redis.command("REPLICAOF", "NO", "ONE");
        await().atMost(20, TimeUnit.SECONDS)
                .until(() -> log.infos().stream().anyMatch(info -> info.contains("is available again")));
        assertThat(get(call(connections, write, "x"))).hasToString("OK");
    }

    /**
     * A server that permanently refuses writes is not away: callers get the reason at once, and commands that need no memory,
     * such as a release, are executed.
     */
    @Test
    void permanentlyRefusedProbeEndsTheOutageAndCallersGetTheCause() {
        get(call(connections, "return 1", "x"));
        redis.command("REPLICAOF", "127.0.0.1", "1");
        String write = "return redis.call('SET', KEYS[1], ARGV[1])";
        assertThatThrownBy(() -> get(call(connections, write, "x"))).isInstanceOf(StoreException.class);
        redis.command("CONFIG", "SET", "maxmemory", "1");
        redis.command("REPLICAOF", "NO", "ONE");

        await().atMost(20, TimeUnit.SECONDS).until(() -> log.texts().stream()
                .anyMatch(text -> text.contains("but it refuses writes") && text.contains("raise maxmemory")));
        assertThatThrownBy(() -> get(call(connections, write, "x"))).isInstanceOf(RefusedException.class)
                .hasMessageContaining("raise maxmemory");
        assertThat(get(call(connections, "return redis.call('DEL', KEYS[1])", "x")).toInteger()).isZero();
    }

    /** After {@code command-timeout} the server is away, for the reason that it gives, until a probe can write. */
    @Test
    void lastingLackOfReplicasIsAnOutage() {
        String write = "return redis.call('SET', KEYS[1], ARGV[1])";
        get(call(connections, write, "x"));
        redis.command("CONFIG", "SET", "min-replicas-to-write", "1");

        await().atMost(20, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThatThrownBy(() -> get(call(connections, write, "x")))
                        .isInstanceOf(StoreAwayException.class).hasMessageContaining("NOREPLICAS")
                        .hasMessageContaining("lower min-replicas-to-write"));

        redis.command("CONFIG", "SET", "min-replicas-to-write", "0");
        await().atMost(20, TimeUnit.SECONDS)
                .until(() -> log.infos().stream().anyMatch(info -> info.contains("is available again")));
        assertThat(get(call(connections, write, "x"))).hasToString("OK");
    }

    @Test
    void redirectionWithoutAClusterNamesTheSetting() {
        assertThatThrownBy(() -> get(call(connections, "return redis.error_reply('MOVED 1 127.0.0.1:1')", "x")))
                .isInstanceOfSatisfying(RefusedException.class, e -> {
                    assertThat(e.getMessage()).contains("client-type=cluster");
                    assertThat(e.outcomeUnknown()).isFalse();
                });
    }

    /** A server that loses each command without a reply is away, although each handshake succeeds. */
    @Test
    void serverThatLosesEachCommandIsAway() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                Topology toLosing = connections(TestRedis.options(server.getLocalPort()), TIMEOUT)) {
            new Thread(() -> {
                while (!server.isClosed()) {
                    try {
                        Socket client = server.accept();
                        Socket upstream = new Socket(InetAddress.getLoopbackAddress(), redis.port());
                        new Thread(() -> pumpUntil("EVAL", client, upstream)).start();
                        new Thread(() -> pumpUntil("EVAL", upstream, client)).start();
                    } catch (IOException e) {
                        // The test has ended.
                        return;
                    }
                }
            }).start();
            assertThatThrownBy(() -> get(echo(toLosing, "PONG"))).isInstanceOf(StoreAwayException.class)
                    .hasMessageContaining("the connection was lost");
        }
    }

    private static void pumpUntil(String word, Socket from, Socket to) {
        byte[] bytes = new byte[65_536];
        try (from; to) {
            for (int read = from.getInputStream().read(bytes); read > 0; read = from.getInputStream().read(bytes)) {
                if (new String(bytes, 0, read, StandardCharsets.ISO_8859_1).toUpperCase(Locale.ROOT).contains(word)) {
                    return;
                }
                to.getOutputStream().write(bytes, 0, read);
            }
        } catch (IOException e) {
            // One side closed, which closes both.
        }
    }

    private long rejectedSets() {
        return redis.command("INFO", "commandstats").toString().lines().filter(line -> line.startsWith("cmdstat_set:"))
                .map(line -> line.replaceFirst(".*rejected_calls=(\\d+).*", "$1")).mapToLong(Long::parseLong).sum();
    }

    /** Permanent errors are reported at once, with the property to change. */
    @Test
    void missingPasswordIsReportedAtOnce() {
        connections.close();
        redis.command("CONFIG", "SET", "requirepass", "hunter2");
        connections = connections(redis.options(), LONG_TIMEOUT);

        assertThatThrownBy(this::ping).isInstanceOf(StoreException.class).isNotInstanceOf(StoreAwayException.class)
                .hasMessageContaining(
                        "Redis answered: NOAUTH Authentication required. Set quarkus.redis.password, or a user and a password"
                                + " in quarkus.redis.hosts");
        // Trap 45: Redis 6.2 replies "unauthenticated multibulk length" to a large command.
        assertThatThrownBy(() -> get(echo(connections, "x".repeat(1_000_000)))).hasMessageContaining("Authentication required");
        assertThat(log.texts()).singleElement().asString().contains("quarkus.redis.password");
        try (Topology able = connections(redis.options().setPassword("hunter2"), LONG_TIMEOUT)) {
            assertThat(get(echo(able, "PONG"))).hasToString("PONG");
        }
    }

    @Test
    void wrongPasswordIsReportedAtOnceUntilCorrected() {
        connections.close();
        redis.command("ACL", "SETUSER", "shop", "on", ">other", "~*", "&*", "+@all");
        connections = connections(redis.optionsOf("shop"), LONG_TIMEOUT);

        assertThatThrownBy(this::ping).isInstanceOf(StoreException.class).hasMessageContaining("WRONGPASS")
                .hasMessageContaining("quarkus.redis.password");
        redis.command("ACL", "SETUSER", "shop", ">secret");
        await().atMost(20, TimeUnit.SECONDS).ignoreExceptions().until(() -> ping().equals("PONG"));
    }

    @Test
    void refusedHandshakeLeavesNoConnection() throws Exception {
        AtomicInteger accepted = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                Topology refused = connections(TestRedis.options(server.getLocalPort()).setPassword("hunter2"),
                        TIMEOUT)) {
            new Thread(() -> {
                while (!server.isClosed()) {
                    try {
                        Socket client = server.accept();
                        accepted.incrementAndGet();
                        new Thread(() -> refuse(client, ended)).start();
                    } catch (IOException e) {
                        // The test has ended.
                        return;
                    }
                }
            }).start();
            assertThatThrownBy(() -> get(echo(refused, "PONG"))).hasMessageContaining("WRONGPASS");
            await().atMost(30, TimeUnit.SECONDS).until(() -> accepted.get() > 2 && ended.get() >= accepted.get() - 1);
        }
        await().atMost(30, TimeUnit.SECONDS).until(() -> ended.get() == accepted.get());
    }

    private static void refuse(Socket client, AtomicInteger ended) {
        try (client) {
            byte[] command = new byte[1024];
            while (client.getInputStream().read(command) > 0) {
                client.getOutputStream()
                        .write("-WRONGPASS invalid username-password pair\r\n".getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException e) {
            // Reset by the client.
        } finally {
            ended.incrementAndGet();
        }
    }

    /** Trap 33: the event loop is blocked for longer than the timeout; replies that arrived are read first. */
    @Test
    void pauseOfTheProcessIsNotAnOutage() {
        ping();
        for (int i = 0; i < 3; i++) {
            CountDownLatch blocked = new CountDownLatch(1);
            CompletableFuture<Response> before = echo(connections, "PONG");
            connections.context().runOnContext(now -> {
                blocked.countDown();
                long end = System.nanoTime() + 3 * TIMEOUT.toNanos() / 2;
                while (System.nanoTime() < end) {
                    Thread.onSpinWait();
                }
            });
            CompletableFuture<Response> during = echo(connections, "PONG");
            assertThat(get(before)).hasToString("PONG");
            assertThat(get(during)).hasToString("PONG");
        }
        assertThat(log.texts()).isEmpty();
    }

    /** Trap 33: a command that is about to be sent when the pause starts has its full timeout after it. */
    @Test
    void pauseBeforeACommandIsSentIsNotAnOutage() {
        ping();
        Promise<Void> gate = Promise.promise();
        CountDownLatch sending = new CountDownLatch(1);
        CompletableFuture<Response> reply = connections.send(new ServerCall<>("ECHO", null, connection -> {
            sending.countDown();
            return gate.future().compose(open -> connection.send(Request.cmd(Command.ECHO).arg("PONG")));
        })).toCompletableFuture();
        await().atMost(20, TimeUnit.SECONDS).until(() -> sending.getCount() == 0);
        connections.context().runOnContext(now -> {
            long end = System.nanoTime() + 3 * TIMEOUT.toNanos() / 2;
            while (System.nanoTime() < end) {
                Thread.onSpinWait();
            }
            // Behind the timers that are due.
            redis.vertx().setTimer(1, timer -> gate.complete());
        });

        assertThat(get(reply)).hasToString("PONG");
        assertThat(log.texts()).isEmpty();
    }

    /** The round trips of a call with its own connection depend on each other, so its connection ends before the next one. */
    @Test
    void callWithItsOwnConnectionFailsWithIt() {
        try (Topology oneAtATime = new Topology(redis.vertx(), redis.options(), "quarkus.redis", "test", LONG_TIMEOUT, 1,
                false)) {
            Promise<Void> gate = Promise.promise();
            CountDownLatch begun = new CountDownLatch(1);
            CompletableFuture<Response> first = oneAtATime.send(new ServerCall<>("ECHO", null, connection -> {
                begun.countDown();
                return gate.future().compose(open -> connection.send(Request.cmd(Command.ECHO).arg("never sent")));
            })).toCompletableFuture();
            await().atMost(20, TimeUnit.SECONDS).until(() -> begun.getCount() == 0);
            CompletableFuture<Response> second = echo(oneAtATime, "over the next connection");
            redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");

            assertThat(get(second)).hasToString("over the next connection");
            assertThat(first).isNotDone();
            oneAtATime.context().runOnContext(now -> gate.complete());
            assertThatThrownBy(() -> get(first)).isInstanceOfSatisfying(TransientStoreException.class,
                    e -> assertThat(e.outcomeUnknown()).isFalse());
        }
    }

    /** A half-open connection is replaced while Redis replies on others. */
    @Test
    void halfOpenConnectionIsNotAnOutage() throws Exception {
        try (TestProxy proxy = new TestProxy(TestProxy.First.IS_FORGOTTEN, redis.port());
                Topology viaProxy = connections(TestRedis.options(proxy.port()), Duration.ofSeconds(8))) {
            assertThat(get(echo(viaProxy, "PONG"))).hasToString("PONG");
            proxy.forgetFirst();

            assertThat(get(echo(viaProxy, "PONG"))).hasToString("PONG");
            assertThat(log.texts()).isEmpty();
        }
    }

    /** A server closes every connection at once: commands do not hang, and reconnects back off. */
    @Test
    void reconnectsToAServerThatClosesConnectionsBackOff() throws Exception {
        AtomicInteger accepted = new AtomicInteger();
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread acceptor = new Thread(() -> {
                while (!server.isClosed()) {
                    try {
                        server.accept().close();
                        accepted.incrementAndGet();
                    } catch (IOException e) {
                        return;
                    }
                }
            });
            acceptor.start();
            try (Topology toStrange = connections(TestRedis.options(server.getLocalPort()), TIMEOUT)) {
                CompletableFuture<Response> reply = echo(toStrange, "PONG");
                assertThatThrownBy(() -> get(reply)).isInstanceOf(StoreAwayException.class);
            }
            server.close();
            acceptor.join();
        }
        assertThat(accepted).hasValueLessThan(50);
    }

    /** Trap 25: silent connections are closed, and the first one with a reply ends the outage. */
    @Test
    void silentConnectionsAreReplacedUntilOneReplies() throws Exception {
        try (SilentAtFirst server = new SilentAtFirst(3, redis.port());
                Topology toSilent = connections(TestRedis.options(server.port()), TIMEOUT)) {
            assertThatThrownBy(() -> get(echo(toSilent, "PONG"))).isInstanceOf(StoreAwayException.class);
            await().atMost(60, TimeUnit.SECONDS).ignoreExceptions()
                    .untilAsserted(() -> assertThat(get(echo(toSilent, "PONG"))).hasToString("PONG"));
            assertThat(server.accepted()).isEqualTo(4);
        }
    }

    @Test
    void closeFailsCommandsInFlight() {
        useLongTimeout();
        ping();
        long pid = redis.pid();
        TestRedis.signal(pid, "STOP");
        try {
            CompletableFuture<Response> reply = echo(connections, "PONG");
            connections.close();
            assertThatThrownBy(() -> get(reply)).isInstanceOf(StoreException.class).hasMessageContaining("stopping");
            assertThatThrownBy(this::ping).isInstanceOf(StoreException.class).hasMessageContaining("stopping");
        } finally {
            TestRedis.signal(pid, "CONT");
        }
    }

    @Test
    void refusalContainsTheErrorOfRedis() {
        redis.command("SET", "test:key", "text");
        assertThatThrownBy(() -> get(call(connections, "return redis.call('LPUSH', KEYS[1], ARGV[1])", "x")))
                .isInstanceOfSatisfying(StoreException.class, e -> {
                    assertThat(e.getMessage()).contains("WRONGTYPE");
                    assertThat(e.outcomeUnknown()).isFalse();
                });
    }

    /** Trap 4: a call whose reply is lost fails at once, with an unknown outcome, and is carried out once. */
    @Test
    void lostReplyFailsTheCallAtOnce() throws Exception {
        try (TestProxy proxy = new TestProxy(TestProxy.First.RESETS_AFTER_A_CALL, redis.port());
                Topology viaProxy = connections(TestRedis.options(proxy.port()), LONG_TIMEOUT)) {
            CompletableFuture<Response> reply = once(viaProxy, "return redis.call('INCR', KEYS[1])", "x");
            proxy.holding().await();
            proxy.deliver();

            assertThatThrownBy(() -> get(reply)).isInstanceOfSatisfying(TransientStoreException.class,
                    e -> assertThat(e.outcomeUnknown()).isTrue());
            assertThat(get(once(viaProxy, "return redis.call('GET', KEYS[1])", "x"))).hasToString("1");
            assertThat(log.texts()).isEmpty();
        }
    }

    /** Trap 34: what is not sent waits for the connection. */
    @Test
    void callsWaitForAConnection() {
        redis.stop();
        useLongTimeout();
        List<CompletableFuture<Response>> replies = IntStream.range(0, 100)
                .mapToObj(n -> once(connections, "return 'PONG'", ""))
                .toList();
        redis.start();

        assertThat(replies).allSatisfy(reply -> assertThat(get(reply)).hasToString("PONG"));
    }

    /** Trap 34: the handshake of a cold process takes longer than the command timeout, although Redis is up. */
    @Test
    void slowFirstHandshakeIsNotAnOutage() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                Topology cold = connections(TestRedis.options(server.getLocalPort()), Duration.ofMillis(400))) {
            new Thread(() -> {
                try (Socket client = server.accept();
                        Socket upstream = new Socket(InetAddress.getLoopbackAddress(), redis.port())) {
                    Thread.sleep(600);
                    new Thread(() -> pumpUntil("nothing", client, upstream)).start();
                    pumpUntil("nothing", upstream, client);
                } catch (IOException | InterruptedException e) {
                    // The test has ended.
                }
            }).start();
            assertThat(get(once(cold, "return 'PONG'", ""))).hasToString("PONG");
            assertThat(log.texts()).isEmpty();
        }
    }

    /** A server that is about to be replaced answers what it was sent; the next call goes over a new connection. */
    @Test
    void refusalInAFailoverOpensAnotherConnection() {
        useLongTimeout();
        assertThat(ping()).isEqualTo("PONG");
        long before = connectionsEver();
        CompletableFuture<Response> refused = once(connections, "return redis.error_reply('READONLY replica')", "");
        CompletableFuture<Response> behind = once(connections, "return 'PONG'", "");

        assertThatThrownBy(() -> get(refused)).isInstanceOfSatisfying(TransientStoreException.class, e -> {
            assertThat(e.getMessage()).contains("quarkus.redis.hosts");
            assertThat(e.outcomeUnknown()).isFalse();
        });
        assertThat(get(behind)).hasToString("PONG");
        assertThat(ping()).isEqualTo("PONG");
        await().atMost(20, TimeUnit.SECONDS).until(() -> connectionsEver() >= before + 2);
        await().atMost(20, TimeUnit.SECONDS).until(() -> connections() == 1);
    }

    /** Trap 22: after a restart or SCRIPT FLUSH many calls learn at once that the script is gone. */
    @Test
    void unknownScriptIsSentOnce() {
        useLongTimeout();
        ping();
        LuaScript script = LuaScript.withText("return ARGV[1]");
        for (int round = 0; round < 3; round++) {
            redis.command("SCRIPT", "FLUSH");
            redis.command("CONFIG", "RESETSTAT");
            List<CompletableFuture<Response>> replies = IntStream.range(0, 500)
                    .mapToObj(n -> connections.send(new ServerCall<>("key", null,
                            connection -> connection.run(script, List.of(bytes("test:key")), List.of(bytes("PONG")))))
                            .toCompletableFuture())
                    .toList();

            assertThat(replies).allSatisfy(reply -> assertThat(get(reply)).hasToString("PONG"));
            assertThat(commands("eval")).isEqualTo(1);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private long commands(String name) {
        return redis.command("INFO", "commandstats").toString().lines().filter(line -> line.startsWith("cmdstat_" + name + ":"))
                .map(line -> line.replaceFirst("^\\w+:calls=(\\d+),.*", "$1")).mapToLong(Long::parseLong).findFirst().orElse(0);
    }

    /** The store begins a grace when another run of the server has the data. */
    @Test
    void newRunOfTheServerIsNoticed() {
        useLongTimeout();
        Run first = run();
        assertThat(redis.command("INFO", "server").toString()).contains("run_id:" + first.id());
        assertThat(first.sinceMillis()).isEqualTo(-1);
        redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        assertThat(run()).as("the same run over another connection").isEqualTo(first);
        redis.stop();
        redis.start();

        Run second = run();
        assertThat(redis.command("INFO", "server").toString()).contains("run_id:" + second.id());
        assertThat(second.id()).isNotEqualTo(first.id());
        assertThat(second.sinceMillis()).isBetween(0L, 20_000L);
        await().atMost(20, TimeUnit.SECONDS).until(() -> run().sinceMillis() > second.sinceMillis());
    }

    /** Without the right to read the run id, each connection may be to a new run. */
    @Test
    void runOfTheServerMayBeUnknown() {
        connections.close();
        redis.command("ACL", "SETUSER", "shop", "on", ">secret", "~*", "&*", "+@all", "-info");
        connections = connections(redis.optionsOf("shop"), LONG_TIMEOUT);
        assertThat(run()).isEqualTo(new Run("", -1));
        redis.command("CLIENT", "KILL", "USER", "shop");

        await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(run().sinceMillis()).isNotNegative());
        assertThat(run().id()).isEmpty();
    }

    private record Run(String id, long sinceMillis) {
    }

    private Run run() {
        try {
            return Restated.until(() -> connections.send(new ServerCall<>("ECHO", null, connection -> {
                Run run = new Run(connection.server(), connection.serverSinceMillis());
                return connection.send(Request.cmd(Command.ECHO).arg("x")).map(run);
            }))).get(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** One more connection beside others tells nothing about the data, also where the run of the server is unknown. */
    @ParameterizedTest
    @ValueSource(strings = { "+info", "-info" })
    void oneMoreConnectionIsNoReconnect(String right) {
        redis.command("ACL", "SETUSER", "shop", "on", ">secret", "~*", "&*", "+@all", right);
        RecordedEvents events = new RecordedEvents();
        connections.close();
        connections = new Topology(redis.vertx(), redis.optionsOf("shop"), "quarkus.redis", "test", LONG_TIMEOUT, 2, false);
        connections.listen(events);
        Promise<Void> bothAreOpen = Promise.promise();
        AtomicInteger open = new AtomicInteger();
        List<CompletableFuture<Long>> known = IntStream.range(0, 2).mapToObj(i -> connections.send(new ServerCall<>("test",
                null, connection -> {
                    if (open.incrementAndGet() == 2) {
                        bothAreOpen.complete();
                    }
                    return bothAreOpen.future().map(both -> connection.serverSinceMillis());
                })).toCompletableFuture()).toList();

        assertThat(known).allSatisfy(since -> assertThat(since).succeedsWithin(30, TimeUnit.SECONDS).isEqualTo(-1L));
        assertThat(events.all()).isEmpty();
    }

    /** Positions are stated after each reconnect, also when no call waits. */
    @Test
    void reconnectIsReportedWithoutCalls() {
        RecordedEvents events = new RecordedEvents();
        connections.listen(events);
        ping();
        assertThat(events.count("differ")).isZero();
        redis.stop();
        redis.start();

        await().atMost(20, TimeUnit.SECONDS).until(() -> events.count("differ") == 1);
        assertThat(events.count("availability")).isZero();
    }

    @Test
    void beginAndEndOfAnOutageAreReported() {
        RecordedEvents events = new RecordedEvents();
        connections.listen(events);
        ping();
        redis.stop();
        assertThatThrownBy(this::ping).isInstanceOf(StoreAwayException.class);
        await().atMost(20, TimeUnit.SECONDS).until(() -> events.count("availability") == 1);
        redis.start();

        await().atMost(20, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(events.all()).endsWith("availability", "differ", "availability"));
    }

    private String ping() {
        return get(echo(connections, "PONG")).toString();
    }

    private static CompletableFuture<Response> echo(Topology connections, String text) {
        return call(connections, "return ARGV[1]", text);
    }

    private static CompletableFuture<Response> call(Topology connections, String script, String arg) {
        return Restated.until(() -> once(connections, script, arg));
    }

    private static CompletableFuture<Response> once(Topology connections, String script, String arg) {
        return connections.send(new ServerCall<>("key", null,
                connection -> connection.send(Request.cmd(Command.EVAL).arg(script).arg(1).arg("test:key").arg(arg))))
                .toCompletableFuture();
    }

    private long connectionsEver() {
        return redis.command("INFO", "stats").toString().lines()
                .filter(line -> line.contains("total_connections_received:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst().orElseThrow();
    }

    // Without the reading connection.
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
