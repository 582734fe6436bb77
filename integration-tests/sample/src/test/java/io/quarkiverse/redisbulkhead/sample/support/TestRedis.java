package io.quarkiverse.redisbulkhead.sample.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static redis.embedded.core.ExecutableProvider.newJarResourceProvider;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

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
    public List<String> shares(String bulkhead) throws IOException {
        long now = now();
        return records(bulkhead, "i:").filter(share -> share.permits() > 0 && share.number(6) > now)
                .map(share -> share.name() + " " + share.number(1) + " " + share.permits()).sorted().toList();
    }

    /** How many permits the unexpired shares of a bulkhead have together. */
    public long permits(String bulkhead) throws IOException {
        long now = now();
        return records(bulkhead, "i:").filter(share -> share.number(6) > now).mapToLong(Entry::permits).sum();
    }

    /** How many calls wait at a bulkhead. */
    public int waiting(String bulkhead) throws IOException {
        return records(bulkhead, "i:").mapToInt(Entry::waiting).sum();
    }

    /** All shares, permits of no instance, and waiting calls, including dead ones that are not yet removed. */
    public List<String> leftovers(String bulkhead) throws IOException {
        List<String> all = new ArrayList<>(members("redis-bulkhead:{" + bulkhead + "}:waiting"));
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

    private Stream<Entry> records(String bulkhead, String kind) throws IOException {
        List<?> reply = (List<?>) query("HGETALL", "redis-bulkhead:{" + bulkhead + "}:shares");
        List<Entry> found = new ArrayList<>();
        for (int i = 0; i < reply.size(); i += 2) {
            String field = (String) reply.get(i);
            if (field.startsWith(kind)) {
                found.add(new Entry(field.substring(kind.length()), ((String) reply.get(i + 1)).split(" ")));
            }
        }
        return found.stream();
    }

    // By the clock of the server, in milliseconds.
    private long now() throws IOException {
        List<?> time = (List<?>) query("TIME");
        return Long.parseLong((String) time.get(0)) * 1_000 + Long.parseLong((String) time.get(1)) / 1_000;
    }

    /** Waits until no permit is held and no caller waits. Calls do not wait for the replies to their releases. */
    public void awaitNoLeftovers(String bulkhead) {
        await("no leftovers of " + bulkhead).atMost(Duration.ofSeconds(20)).pollDelay(Duration.ZERO)
                .untilAsserted(() -> assertThat(leftovers(bulkhead)).isEmpty());
    }

    /** All keys that match a pattern. */
    public List<String> keys(String pattern) throws IOException {
        return ((List<?>) query("KEYS", pattern)).stream().map(String.class::cast).toList();
    }

    /** The members of a sorted set. */
    public List<String> members(String key) throws IOException {
        return ((List<?>) query("ZRANGE", key, "0", "-1")).stream().map(String.class::cast).toList();
    }

    /** How many milliseconds a key has to live; -1 for ever, -2 when it does not exist. */
    public long timeToLive(String key) throws IOException {
        return (Long) query("PTTL", key);
    }

    private Object query(String... words) throws IOException {
        StringBuilder command = new StringBuilder("*" + words.length + "\r\n");
        for (String word : words) {
            command.append('$').append(word.getBytes(StandardCharsets.UTF_8).length).append("\r\n").append(word).append("\r\n");
        }
        try (Socket socket = new Socket(HOST, port)) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(command.toString().getBytes(StandardCharsets.UTF_8));
            return read(new BufferedInputStream(socket.getInputStream()));
        }
    }

    private static Object read(InputStream in) throws IOException {
        String line = readLine(in);
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+' -> rest;
            case ':' -> Long.valueOf(rest);
            case '$' -> readText(in, Integer.parseInt(rest));
            case '*' -> readList(in, Integer.parseInt(rest));
            default -> throw new IOException("Redis answered " + line);
        };
    }

    private static String readLine(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\r'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("Redis closed the connection");
            }
            line.append((char) c);
        }
        in.read();
        return line.toString();
    }

    private static String readText(InputStream in, int length) throws IOException {
        if (length < 0) {
            return null;
        }
        String text = new String(in.readNBytes(length), StandardCharsets.UTF_8);
        in.skipNBytes(2);
        return text;
    }

    private static List<Object> readList(InputStream in, int length) throws IOException {
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            list.add(read(in));
        }
        return list;
    }

    @Override
    public void close() throws IOException {
        server.stop();
    }
}
