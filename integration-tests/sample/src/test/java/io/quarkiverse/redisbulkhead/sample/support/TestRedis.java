package io.quarkiverse.redisbulkhead.sample.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static redis.embedded.core.ExecutableProvider.newJarResourceProvider;

import java.io.File;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.stream.Stream;

import redis.clients.jedis.Jedis;
import redis.embedded.RedisServer;

/** A Redis server for one test, with queries that do not use the code under test. */
public final class TestRedis implements AutoCloseable {

    private static final String HOST = "127.0.0.1";

    /** {@code -Dredis.server=}: a {@code redis-server} or {@code valkey-server} in place of the embedded one. */
    private static final String INSTALLED = System.getProperty("redis.server", "");

    private final int port;
    private final RedisServer server;

    private TestRedis(int port, RedisServer server) {
        this.port = port;
        this.server = server;
    }

    /**
     * Starts an empty server on a free port.
     *
     * @param folder where its executable is put
     */
    public static TestRedis start(Path folder) throws IOException {
        File executables = Files.createDirectories(folder).toFile();
        int port = freePort();
        RedisServer server = RedisServer.newRedisServer()
                .executableProvider(INSTALLED.isEmpty() ? newJarResourceProvider(executables) : () -> new File(INSTALLED))
                .port(port)
                .bind(HOST)
                .setting("save \"\"")
                .onShutdownForceStop(true)
                .build();
        server.start();
        return new TestRedis(port, server);
    }

    // Below the ports that the system gives to connections, so that the port is still free when the server starts again.
    private static int freePort() throws IOException {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(20_000, 30_000);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName(HOST))) {
                return socket.getLocalPort();
            } catch (BindException e) {
                // In use: try another one.
            }
        }
    }

    /** The value of {@code quarkus.redis.hosts}. */
    public String url() {
        return "redis://" + HOST + ":" + port;
    }

    /** Kills the server (SIGKILL). Its data is lost. */
    public void kill() throws IOException {
        server.stop();
    }

    /** Restarts the killed server, empty, on its port. */
    public void restart() throws IOException {
        server.start();
    }

    /** The unexpired shares of a bulkhead, each as the instance, the epoch of its counters and its permits. */
    public List<String> shares(String bulkhead) {
        long now = now();
        return records(bulkhead, "i:").filter(share -> share.permits() > 0 && share.number(6) > now)
                .map(share -> share.name() + " " + share.number(1) + " " + share.permits()).sorted().toList();
    }

    /** How many permits the unexpired shares of a bulkhead have together. */
    public long permits(String bulkhead) {
        long now = now();
        return records(bulkhead, "i:").filter(share -> share.number(6) > now).mapToLong(Entry::permits).sum();
    }

    /** How many calls wait at a bulkhead. */
    public int waiting(String bulkhead) {
        return records(bulkhead, "i:").mapToInt(Entry::waiting).sum();
    }

    /** All shares, permits of no instance, and waiting calls, including dead ones that are not yet removed. */
    public List<String> leftovers(String bulkhead) {
        List<String> all = new ArrayList<>(query(jedis -> jedis.zrange("redis-bulkhead:{" + bulkhead + "}:waiting", 0, -1)));
        records(bulkhead, "i:").filter(share -> share.permits() > 0 || share.waiting() > 0)
                .forEach(one -> all.add(one.toString()));
        records(bulkhead, "h:").filter(hold -> hold.number(0) > 0).forEach(one -> all.add(one.toString()));
        return all;
    }

    /**
     * A field of the hash of shares, whose values the header of {@code share.lua} documents.
     *
     * @param name the name of the instance or the id of the permit
     * @param values the values in their order
     */
    private record Entry(String name, String[] values) {

        long number(int index) {
            return Long.parseLong(values[index]);
        }

        long permits() {
            return number(2) - number(4) - number(5);
        }

        int waiting() {
            return Stream.of(values[15].split(";")).filter(group -> group.contains(","))
                    .mapToInt(group -> Integer.parseInt(group.split(",")[2])).sum();
        }

        @Override
        public String toString() {
            return name + " " + String.join(" ", values);
        }
    }

    private Stream<Entry> records(String bulkhead, String kind) {
        return query(jedis -> jedis.hgetAll("redis-bulkhead:{" + bulkhead + "}:shares")).entrySet().stream()
                .filter(field -> field.getKey().startsWith(kind))
                .map(field -> new Entry(field.getKey().substring(kind.length()), field.getValue().split(" ")));
    }

    // By the clock of the server, in milliseconds.
    private long now() {
        List<String> time = query(Jedis::time);
        return Long.parseLong(time.get(0)) * 1_000 + Long.parseLong(time.get(1)) / 1_000;
    }

    /** Waits until no permit is held and no caller waits. Calls do not wait for the replies to their releases. */
    public void awaitNoLeftovers(String bulkhead) {
        await("no leftovers of " + bulkhead).atMost(Duration.ofSeconds(20)).pollDelay(Duration.ZERO)
                .untilAsserted(() -> assertThat(leftovers(bulkhead)).isEmpty());
    }

    private <T> T query(Function<Jedis, T> question) {
        try (Jedis jedis = new Jedis(HOST, port, 20_000)) {
            return question.apply(jedis);
        }
    }

    @Override
    public void close() throws IOException {
        server.stop();
    }
}
