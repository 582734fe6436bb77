package io.quarkiverse.redisbulkhead.benchmarks.redis;

import static redis.embedded.core.ExecutableProvider.newJarResourceProvider;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A Redis server that only these benchmarks use: the embedded one, or {@code -Dredis.server=} a {@code redis-server} or
 * {@code valkey-server}. It writes nothing to disk and is pinned to no core.
 */
public final class RedisServerProcess implements AutoCloseable {

    /** Where it listens. */
    public static final String HOST = "127.0.0.1";

    private static final long START_SECONDS = 30;

    // Null when it belongs to another process.
    private final Process process;
    private final int port;

    private RedisServerProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * A server that another process has started, and closes.
     *
     * @param port where it listens
     */
    public static RedisServerProcess ofOther(int port) {
        return new RedisServerProcess(null, port);
    }

    /**
     * Starts a server.
     *
     * @return when it answers
     */
    public static RedisServerProcess start() throws IOException, InterruptedException {
        int port = freePort();
        Path folder = Files.createDirectories(Path.of("target", "redis", Integer.toString(port))).toAbsolutePath();
        Process process = new ProcessBuilder(executable().toString(), "--port", Integer.toString(port), "--bind",
                HOST,
                "--dir", folder.toString(), "--save", "", "--appendonly", "no")
                .redirectErrorStream(true).redirectOutput(folder.resolve("output.log").toFile()).start();
        RedisServerProcess server = new RedisServerProcess(process, port);
        // Also when the benchmarks are stopped from outside.
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        server.awaitAnswer();
        return server;
    }

    private static Path executable() throws IOException {
        String given = System.getProperty("redis.server", "");
        if (given.isEmpty()) {
            return newJarResourceProvider(Files.createDirectories(Path.of("target", "redis")).toFile()).get().toPath()
                    .toAbsolutePath();
        }
        if (!Files.isExecutable(Path.of(given))) {
            throw new IllegalArgumentException("redis.server is " + given + ", which cannot be executed");
        }
        return Path.of(given);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
            return socket.getLocalPort();
        }
    }

    private void awaitAnswer() throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (true) {
            try (Jedis jedis = connect()) {
                jedis.ping();
                return;
            } catch (JedisException e) {
                if (!process.isAlive() || System.nanoTime() - end > 0) {
                    close();
                    throw new IllegalStateException("Redis did not start, see target/redis/" + port, e);
                }
                TimeUnit.MILLISECONDS.sleep(10);
            }
        }
    }

    /** The port on which it listens. */
    public int port() {
        return port;
    }

    /** The address, as clients want it. */
    public String url() {
        return "redis://" + HOST + ":" + port;
    }

    /** A connection to prepare or observe a measurement. */
    public Jedis connect() {
        return new Jedis(HOST, port, 60_000);
    }

    @Override
    public void close() {
        if (process != null) {
            process.destroyForcibly().onExit().join();
        }
    }
}
