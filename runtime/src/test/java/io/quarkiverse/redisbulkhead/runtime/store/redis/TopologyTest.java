package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static io.quarkiverse.redisbulkhead.runtime.store.redis.TestRedis.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestProxy.Fault;
import io.vertx.core.Promise;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * What counts as an outage, over real sockets. A call fails with its connection, and may be made again immediately; only when
 * the server is silent for the command timeout, or refuses permanently, the policy for outages applies.
 */
class TopologyTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    /** For tests in which no call may fail, even on a slow machine. */
    private static final Duration LONG_TIMEOUT = Duration.ofSeconds(25);
    private static final String WRITE = "return redis.call('SET', KEYS[1], ARGV[1])";

    TestRedis redis;
    Topology topology;
    LoggedWarnings log;
    final RecordedEvents events = new RecordedEvents();

    @BeforeEach
    void start() {
        redis = new TestRedis();
        log = new LoggedWarnings(RedisNode.class);
        use(redis.options(), TIMEOUT);
    }

    @AfterEach
    void stop() {
        topology.close();
        log.close();
        redis.close();
    }

    private Topology topology(RedisOptions options, Duration timeout) {
        return new Topology(redis.vertx(), options, "quarkus.redis", "test", timeout, true);
    }

    private void use(RedisOptions options, Duration timeout) {
        if (topology != null) {
            topology.close();
        }
        topology = topology(options, timeout);
        topology.listen(events);
    }

    private void useLongTimeout() {
        use(redis.options(), LONG_TIMEOUT);
    }

    private String ping() {
        return get(echo(topology, "PONG")).toString();
    }

    private static CompletableFuture<Response> echo(Topology to, String text) {
        return call(to, "return ARGV[1]", text);
    }

    private static CompletableFuture<Response> call(Topology to, String script, String arg) {
        return Restated.until(() -> once(to, script, arg));
    }

    private static CompletableFuture<Response> once(Topology to, String script, String arg) {
        return to.send("key", null,
                connection -> connection.send(Request.cmd(Command.EVAL).arg(script).arg(1).arg("test:key").arg(arg)))
                .toCompletableFuture();
    }

    private List<CompletableFuture<Response>> pings(int number) {
        return IntStream.range(0, number).mapToObj(n -> echo(topology, "PONG")).toList();
    }

    private void killConnections() {
        redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    }

    // Without the reading connection.
    private long connections() {
        return redis.command("CLIENT", "LIST").toString().lines().filter(line -> line.contains("id=")).count() - 1;
    }

    private void awaitBack() {
        await().atMost(60, TimeUnit.SECONDS).pollDelay(Duration.ZERO).ignoreExceptions().until(() -> ping().equals("PONG"));
    }

    private static void assertFails(Kind kind, CompletableFuture<?> reply) {
        assertThatThrownBy(() -> get(reply)).matches(failure -> StoreException.is(failure, kind));
    }

    // ---- Connections

    /** Trap 22, Trap 31, Trap 34: calls wait while the server is down for less than the command timeout. */
    @Test
    void shortDowntimeIsNotAnOutage() {
        useLongTimeout();
        for (int round = 0; round < 3; round++) {
            ping();
            redis.stop();
            List<CompletableFuture<Response>> replies = pings(100);
            redis.start();
            assertThat(replies).allSatisfy(reply -> assertThat(get(reply)).hasToString("PONG"));
        }
        assertThat(log.texts()).isEmpty();
    }

    /** Trap 4: a call whose reply is lost fails immediately, and is carried out once. */
    @Test
    void lostReplyFailsTheCall() throws Exception {
        try (TestProxy proxy = new TestProxy(Fault.RESETS_AFTER_A_CALL, redis.port());
                Topology viaProxy = topology(TestRedis.options(proxy.port()), LONG_TIMEOUT)) {
            CompletableFuture<Response> reply = once(viaProxy, "return redis.call('INCR', KEYS[1])", "x");
            CompletableFuture<Response> behind = once(viaProxy, "return 'PONG'", "x");
            proxy.holding().await();
            proxy.deliver();
            assertFails(Kind.TRANSIENT, reply);
            behind.handle((value, failure) -> "over").get(30, TimeUnit.SECONDS);
            assertThat(get(call(viaProxy, "return redis.call('GET', KEYS[1])", "x"))).hasToString("1");
            assertThat(log.texts()).isEmpty();
        }
    }

    @Test
    void refusedHandshakeLeavesNoConnection() {
        long before = redis.info("stats", "total_connections_received:");
        use(redis.optionsOf("stranger"), TIMEOUT);
        assertThatThrownBy(this::ping).hasMessageContaining("WRONGPASS");
        await().atMost(30, TimeUnit.SECONDS).until(() -> redis.info("stats", "total_connections_received:") > before + 20);
        assertThat(connections()).isLessThan(5);
    }

    @Test
    void closeFailsCommandsInFlight() {
        useLongTimeout();
        ping();
        redis.whileStopped(() -> {
            CompletableFuture<Response> reply = echo(topology, "PONG");
            topology.close();
            assertThatThrownBy(() -> get(reply)).isInstanceOf(StoreException.class).hasMessageContaining("stopping");
            assertThatThrownBy(this::ping).isInstanceOf(StoreException.class).hasMessageContaining("stopping");
        });
    }

    /** Trap 22: after SCRIPT FLUSH many calls learn that the script is gone. */
    @Test
    void unknownScriptIsSentOnce() {
        useLongTimeout();
        ping();
        for (int round = 0; round < 3; round++) {
            redis.command("SCRIPT", "FLUSH");
            redis.command("CONFIG", "RESETSTAT");
            List<CompletableFuture<Response>> replies = IntStream.range(0, 500).mapToObj(n -> topology.send("key", null,
                    connection -> connection.run("return ARGV[1]", "098e0f0d1448c0a81dafe820f66d460eb09263da",
                            List.of("test:key"),
                            List.of("PONG")))
                    .toCompletableFuture()).toList();
            assertThat(replies).allSatisfy(reply -> assertThat(get(reply)).hasToString("PONG"));
            assertThat(redis.calls("eval")).isEqualTo(1);
        }
    }

    // ---- Outages

    /**
     * Trap 25, Trap 31: refused connections are an outage after the command timeout; then calls fail immediately until Redis is
     * back. Both are reported.
     */
    @Test
    void outageLastsFromTheTimeoutUntilAProbeSucceeds() {
        ping();
        redis.stop();
        assertThatThrownBy(this::ping).hasMessageContaining("1000 ms").hasMessageContaining("command-timeout")
                .hasMessageContaining("Connection refused");
        pings(20).forEach(reply -> assertFails(Kind.AWAY, reply));
        assertThat(log.texts()).as("logged once").hasSize(1);
        await().atMost(20, TimeUnit.SECONDS).until(() -> events.count("availability") == 1);
        redis.start();
        awaitBack();
        await().atMost(20, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(events.all()).endsWith("availability", "differ", "availability"));
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
        redis.command("SET", "test:key", error);
        CompletableFuture<Response> reply = call(topology, FAILS_WHILE_THE_KEY_EXISTS, "PONG");
        await().atMost(20, TimeUnit.SECONDS).until(() -> {
            Response attempts = redis.command("GET", "attempts");
            return attempts != null && attempts.toInteger() > 1;
        });
        redis.command("DEL", "test:key");
        assertThat(get(reply)).hasToString("PONG");
        assertThat(log.texts()).isEmpty();
    }

    private static final String FAILS_WHILE_THE_KEY_EXISTS = "redis.call('INCR', 'attempts') "
            + "local text = redis.call('GET', KEYS[1]) if text then return redis.error_reply(text) end return ARGV[1]";

    /**
     * A server that is about to be replaced is left: the next call goes over a new connection. Calls behind the one that was
     * refused fail for the same reason.
     */
    @Test
    void refusalInAFailoverOpensAnotherConnection() {
        useLongTimeout();
        assertThat(ping()).isEqualTo("PONG");
        long before = redis.info("stats", "total_connections_received:");
        // Sent in one go, so that all are in flight when the first reply comes.
        CompletableFuture<List<CompletableFuture<Response>>> replies = new CompletableFuture<>();
        topology.context.runOnContext(now -> replies.complete(IntStream.range(0, 3)
                .mapToObj(n -> once(topology, "return redis.error_reply('READONLY replica')", "")).toList()));
        get(replies).forEach(reply -> assertThatThrownBy(() -> get(reply))
                .matches(failure -> StoreException.is(failure, Kind.TRANSIENT))
                .hasMessageContaining("READONLY").hasMessageContaining("quarkus.redis.hosts"));
        assertThat(ping()).isEqualTo("PONG");
        await().atMost(20, TimeUnit.SECONDS)
                .until(() -> redis.info("stats", "total_connections_received:") >= before + 2 && connections() == 1);
    }

    /** Connecting and reading are not sufficient: only a probe that writes ends an outage. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void serverThatRefusesWritesStaysAway(boolean leastRights) {
        if (leastRights) {
            use(redis.restrictedOptions(TestStore.SCRIPT), TIMEOUT);
        }
        get(call(topology, "return 1", "x"));
        redis.command("REPLICAOF", "127.0.0.1", "1");
        assertThatThrownBy(() -> get(call(topology, WRITE, "x"))).isInstanceOf(StoreException.class);
        await().atMost(60, TimeUnit.SECONDS).until(() -> rejectedSets() >= 5);
        assertThat(log.infos()).noneMatch(info -> info.contains("is available again"));
        redis.command("REPLICAOF", "NO", "ONE");
        await().atMost(20, TimeUnit.SECONDS)
                .until(() -> log.infos().stream().anyMatch(info -> info.contains("is available again")));
        assertThat(get(call(topology, WRITE, "x"))).hasToString("OK");
    }

    private long rejectedSets() {
        return redis.command("INFO", "commandstats").toString().lines().filter(line -> line.startsWith("cmdstat_set:"))
                .map(line -> line.replaceFirst(".*rejected_calls=(\\d+).*", "$1")).mapToLong(Long::parseLong).sum();
    }

    /**
     * A server that permanently refuses writes is not away: callers get the reason immediately, and commands that need no
     * memory, such as a release, are executed.
     */
    @Test
    void permanentlyRefusedProbeEndsTheOutageAndCallersGetTheCause() {
        get(call(topology, "return 1", "x"));
        redis.command("REPLICAOF", "127.0.0.1", "1");
        assertThatThrownBy(() -> get(call(topology, WRITE, "x"))).isInstanceOf(StoreException.class);
        redis.command("CONFIG", "SET", "maxmemory", "1");
        redis.command("REPLICAOF", "NO", "ONE");
        await().atMost(20, TimeUnit.SECONDS)
                .until(() -> log.infos().stream().anyMatch(info -> info.contains("is available again")));
        assertThatThrownBy(() -> get(call(topology, WRITE, "x"))).matches(failure -> StoreException.is(failure, Kind.REFUSED))
                .hasMessageContaining("raise maxmemory");
        assertThat(get(call(topology, "return redis.call('DEL', KEYS[1])", "x")).toInteger()).isZero();
    }

    /**
     * Trap 25: a server is away although each handshake succeeds, or although it accepts connections. Reconnects back off,
     * silent connections are closed, and the first one with a reply ends the outage. Without {@code HELLO}, connecting takes no
     * reply.
     */
    @ParameterizedTest
    @CsvSource({ "EACH_CALL_IS_LOST, true", "ALL_ARE_CLOSED, true", "THREE_ARE_SILENT, true", "THREE_ARE_SILENT, false" })
    void serverThatAnswersNoCallIsAway(Fault fault, boolean sendsHello) {
        try (TestProxy proxy = new TestProxy(fault, redis.port());
                Topology toStrange = topology(TestRedis.options(proxy.port()).setProtocolNegotiation(sendsHello), TIMEOUT)) {
            assertFails(Kind.AWAY, echo(toStrange, "PONG"));
            assertThat(proxy.accepted()).isLessThan(50);
            if (fault == Fault.THREE_ARE_SILENT) {
                await().atMost(60, TimeUnit.SECONDS).ignoreExceptions()
                        .untilAsserted(() -> assertThat(get(echo(toStrange, "PONG"))).hasToString("PONG"));
                assertThat(proxy.accepted()).isEqualTo(4);
            }
        }
    }

    /**
     * Trap 34: the handshake of a cold instance takes longer than the command timeout, although Redis is up. It ends when
     * another instance, which was connected and began later, has taken the same silence for an outage.
     */
    @Test
    void slowFirstHandshakeIsNotAnOutage() throws Exception {
        Duration timeout = Duration.ofMillis(400);
        use(redis.options(), timeout);
        ping();
        try (TestProxy proxy = new TestProxy(Fault.FIRST_IS_LATE, redis.port());
                LoggedWarnings ofBoth = new LoggedWarnings(RedisNode.class);
                Topology cold = topology(TestRedis.options(proxy.port()), timeout)) {
            CompletableFuture<Response> first = once(cold, "return 'PONG'", "");
            await().atMost(20, TimeUnit.SECONDS).until(() -> proxy.accepted() == 1);
            redis.whileStopped(() -> assertFails(Kind.AWAY, echo(topology, "PONG")));
            proxy.deliver();
            assertThat(get(first)).hasToString("PONG");
            assertThat(ofBoth.texts()).as("only the other instance").hasSize(1);
        }
    }

    /** An attempt to connect that was given up leaves no connection, though the server replies after all. */
    @Test
    void connectionThatOpensTooLateIsClosed() {
        try (TestProxy proxy = new TestProxy(Fault.FIRST_IS_LATE, redis.port());
                Topology cold = topology(TestRedis.options(proxy.port()), TIMEOUT)) {
            assertFails(Kind.AWAY, once(cold, "return 'PONG'", ""));
            await().atMost(30, TimeUnit.SECONDS).ignoreExceptions()
                    .until(() -> get(once(cold, "return 'PONG'", "")).toString().equals("PONG"));
            assertThat(connections()).isEqualTo(2);
            proxy.deliver();
            await().atMost(30, TimeUnit.SECONDS).until(() -> connections() == 1);
        }
    }

    /** It has a second beside the command timeout, and not the whole time of an attempt to connect. */
    @Test
    void firstCallToASilentServerDoesNotWaitForTheAttemptToConnect() throws Exception {
        try (ServerSocket silent = new ServerSocket(0);
                Topology cold = topology(TestRedis.options(silent.getLocalPort()), Duration.ofMillis(200))) {
            long begun = System.nanoTime();
            assertFails(Kind.AWAY, once(cold, "return 'PONG'", ""));
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofMillis(2_900));
            assertThat(log.texts()).singleElement().asString().contains("Last error: no reply to the attempt to connect; Redis"
                    + " is silent, has reached maxclients, or only one side uses TLS (rediss://)");
        }
    }

    /**
     * Each reply takes more than half of the command timeout, so that other connections are opened meanwhile. They are ready
     * when the first one has replied, and has been silent again for more than half of the timeout.
     */
    @Test
    void slowServerIsNotAway() {
        try (TestProxy proxy = new TestProxy(Fault.REPLIES_ARE_LATE, redis.port());
                Topology slow = topology(TestRedis.options(proxy.port()), Duration.ofMillis(2_500))) {
            assertThat(get(echo(slow, "PONG"))).hasToString("PONG");
            proxy.forgetFirst();
            for (int i = 0; i < 4; i++) {
                assertThat(get(once(slow, "return 'PONG'", ""))).hasToString("PONG");
            }
            assertThat(log.texts()).isEmpty();
            proxy.deliver();
            await().atMost(30, TimeUnit.SECONDS).until(() -> proxy.accepted() > 1 && connections() == 1);
        }
    }

    /** Trap 33: the event loop is blocked for longer than the timeout; replies that arrived are read first. */
    @Test
    void pauseOfTheProcessIsNotAnOutage() {
        ping();
        for (int i = 0; i < 3; i++) {
            CompletableFuture<Response> before = echo(topology, "PONG");
            topology.context.runOnContext(now -> pause());
            CompletableFuture<Response> during = echo(topology, "PONG");
            assertThat(get(before)).hasToString("PONG");
            assertThat(get(during)).hasToString("PONG");
        }
        assertThat(log.texts()).isEmpty();
    }

    private static void pause() {
        long end = System.nanoTime() + 3 * TIMEOUT.toNanos() / 2;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    // ---- Refusals

    @Test
    void redirectionWithoutAClusterNamesTheSetting() {
        assertThatThrownBy(() -> get(call(topology, "return redis.error_reply('MOVED 1 127.0.0.1:1')", "x")))
                .matches(failure -> StoreException.is(failure, Kind.REFUSED)).hasMessageContaining("client-type=cluster");
    }

    /** Permanent errors are reported immediately, with the property to change. */
    @Test
    void missingPasswordIsReported() {
        redis.command("CONFIG", "SET", "requirepass", "hunter2");
        useLongTimeout();
        assertThatThrownBy(this::ping).matches(failure -> StoreException.is(failure, Kind.REFUSED))
                .hasMessageContaining("Authentication required").hasMessageContaining("quarkus.redis.password");
        // Trap 45: Redis 6.2 replies "unauthenticated multibulk length" to a large command.
        assertThatThrownBy(() -> get(echo(topology, "x".repeat(1_000_000)))).hasMessageContaining("Authentication required");
        assertThat(log.texts()).singleElement().asString().contains("quarkus.redis.password");
        use(redis.options().setPassword("hunter2"), LONG_TIMEOUT);
        assertThat(ping()).isEqualTo("PONG");
    }

    @Test
    void missingDatabaseIsReported() {
        use(new RedisOptions().setConnectionString("redis://127.0.0.1:" + redis.port() + "/999"), LONG_TIMEOUT);
        assertThatThrownBy(this::ping).matches(failure -> StoreException.is(failure, Kind.REFUSED))
                .hasMessageContaining("DB index is out of range").hasMessageContaining("quarkus.redis.hosts");
    }

    // ---- The run of the server

    private record Run(String id, long sinceMillis) {
    }

    private Run run() {
        return get(Restated.until(() -> topology.send("ECHO", null, connection -> {
            Run run = new Run(connection.server(), connection.serverSinceMillis());
            return connection.send(Request.cmd(Command.ECHO).arg("x")).map(run);
        })));
    }

    /** The store begins a grace when another run of the server has the data. */
    @Test
    void newRunOfTheServerIsNoticed() {
        useLongTimeout();
        Run first = run();
        assertThat(redis.command("INFO", "server").toString()).contains("run_id:" + first.id());
        assertThat(first.sinceMillis()).isEqualTo(-1);
        killConnections();
        assertThat(run()).as("the same run over another connection").isEqualTo(first);
        redis.stop();
        redis.start();
        // Positions are stated after each reconnect, also when no call waits.
        await().atMost(20, TimeUnit.SECONDS).until(() -> events.count("differ") == 2);
        assertThat(events.count("availability")).isZero();
        Run second = run();
        assertThat(redis.command("INFO", "server").toString()).contains("run_id:" + second.id());
        assertThat(second.id()).isNotEqualTo(first.id());
        assertThat(second.sinceMillis()).isBetween(0L, 20_000L);
        await().atMost(20, TimeUnit.SECONDS).until(() -> run().sinceMillis() > second.sinceMillis());
    }

    /** Without the right to read the run id, each connection may be to a new run. */
    @Test
    void runOfTheServerMayBeUnknown() {
        redis.command("ACL", "SETUSER", "shop", "on", ">secret", "~*", "&*", "+@all", "-info");
        use(redis.optionsOf("shop"), LONG_TIMEOUT);
        assertThat(run()).isEqualTo(new Run("", -1));
        redis.command("CLIENT", "KILL", "USER", "shop");
        await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(run().sinceMillis()).isNotNegative());
        assertThat(run().id()).isEmpty();
    }

    /** One more connection beside others tells nothing about the data, also where the run of the server is unknown. */
    @ParameterizedTest
    @ValueSource(strings = { "+info", "-info" })
    void oneMoreConnectionIsNoReconnect(String right) {
        redis.command("ACL", "SETUSER", "shop", "on", ">secret", "~*", "&*", "+@all", right);
        topology.close();
        topology = new Topology(redis.vertx(), redis.optionsOf("shop"), "quarkus.redis", "test", LONG_TIMEOUT, false);
        topology.listen(events);
        Promise<Void> bothAreOpen = Promise.promise();
        AtomicInteger open = new AtomicInteger();
        List<CompletableFuture<Long>> known = IntStream.range(0, 2).mapToObj(i -> topology.send("test", null, connection -> {
            if (open.incrementAndGet() == 2) {
                bothAreOpen.complete();
            }
            return bothAreOpen.future().map(both -> connection.serverSinceMillis());
        }).toCompletableFuture()).toList();
        assertThat(known).allSatisfy(since -> assertThat(get(since)).isEqualTo(-1L));
        assertThat(events.all()).isEmpty();
    }
}
