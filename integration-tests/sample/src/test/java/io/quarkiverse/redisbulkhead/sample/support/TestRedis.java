package io.quarkiverse.redisbulkhead.sample.support;

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

    /** Starts an empty server on a free port, with its executable in a folder. */
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

    /** How many permits the unexpired shares of a bulkhead have together. */
    public long permits(String bulkhead) {
        List<String> time = query(Jedis::time);
        long nowMillis = Long.parseLong(time.get(0)) * 1_000 + Long.parseLong(time.get(1)) / 1_000;
        return shares(bulkhead).filter(share -> Long.parseLong(share[6]) > nowMillis)
                .mapToLong(share -> Long.parseLong(share[2]) - Long.parseLong(share[4]) - Long.parseLong(share[5])).sum();
    }

    /** How many calls wait at a bulkhead, including those of dead instances that are not yet removed. */
    public int waiting(String bulkhead) {
        return shares(bulkhead).flatMap(share -> Stream.of(share[15].split(";"))).filter(group -> group.contains(","))
                .mapToInt(group -> Integer.parseInt(group.split(",")[2])).sum();
    }

    // The header of share.lua documents the words of a share.
    private Stream<String[]> shares(String bulkhead) {
        return query(jedis -> jedis.hgetAll("redis-bulkhead:{" + bulkhead + "}:shares")).entrySet().stream()
                .filter(field -> field.getKey().startsWith("i:")).map(field -> field.getValue().split(" "));
    }

    /** Waits until no permit is held and no caller waits. Calls do not wait for the replies to their releases. */
    public void awaitNoLeftovers(String bulkhead) {
        await("no leftovers of " + bulkhead).atMost(Duration.ofSeconds(20)).pollDelay(Duration.ZERO)
                .until(() -> permits(bulkhead) == 0 && waiting(bulkhead) == 0);
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
