package io.quarkiverse.redisbulkhead.testredis;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/** A Redis server, or a sentinel, in its own process. */
public final class RedisProcess implements AutoCloseable {

    public static final String HOST = "127.0.0.1";

    // A node of a cluster has a second port, that much higher.
    private static final int BUS = 10_000;

    private final int port;
    private final Path folder;
    private final List<String> arguments;
    private Map<String, String> environment = Map.of();
    private Process process;

    /** Has its files in a folder, which is made, and arguments after the port and the like. */
    public RedisProcess(Path folder, List<String> arguments) {
        this.port = freePort();
        this.folder = folder.toAbsolutePath();
        this.arguments = arguments;
    }

    /**
     * A port for a server or application that starts later. It is below those that the system gives to connections, as is the
     * port of the cluster bus.
     */
    public static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(11_000, 22_000);
            if (isFree(port) && isFree(port + BUS)) {
                return port;
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName(HOST))) {
            return true;
        } catch (BindException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return port;
    }

    public Path folder() {
        return folder;
    }

    /** The value of {@code quarkus.redis.hosts}. */
    public String url() {
        return "redis://" + HOST + ":" + port;
    }

    /** Environment variables from its next start on. */
    public RedisProcess withEnvironment(Map<String, String> additions) {
        environment = additions;
        return this;
    }

    /** Starts it, and returns when it replies. */
    public RedisProcess start() {
        try {
            Files.createDirectories(folder);
            List<String> command = new ArrayList<>(List.of(RedisExecutable.path().toString()));
            // The configuration file must be the first argument.
            command.addAll(arguments.stream().takeWhile(each -> !each.startsWith("--")).toList());
            command.addAll(List.of("--port", Integer.toString(port), "--bind", HOST, "--dir", folder.toString(), "--save", ""));
            if (supportsDebugSwitch()) {
                command.addAll(List.of("--enable-debug-command", "yes"));
            }
            command.addAll(arguments.stream().dropWhile(each -> !each.startsWith("--")).toList());
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("output.log").toFile()));
            builder.environment().putAll(environment);
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        await("start of Redis").atMost(Duration.ofSeconds(30)).until(this::answers);
        return this;
    }

    // Redis 7 rejects DEBUG unless it is enabled; Redis 6 does not have that option.
    private static boolean supportsDebugSwitch() throws IOException {
        Process version = new ProcessBuilder(RedisExecutable.path().toString(), "--version").start();
        String text = new String(version.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return !text.matches("(?s).*v=[0-6]\\..*");
    }

    private boolean answers() {
        if (!process.isAlive()) {
            throw new AssertionError("Redis ended with exit code " + process.exitValue() + ", see " + folder);
        }
        try (Jedis jedis = jedis()) {
            jedis.ping();
            return true;
        } catch (JedisException e) {
            // NOAUTH and LOADING are replies of a server that is not ready.
            return e.getMessage() != null && e.getMessage().contains("NOAUTH");
        }
    }

    /** A separate connection, which uses neither the code under test nor a proxy. */
    public Jedis jedis() {
        return new Jedis(new HostAndPort(HOST, port),
                DefaultJedisClientConfig.builder().connectionTimeoutMillis(5_000).socketTimeoutMillis(20_000).build());
    }

    public <T> T query(Function<Jedis, T> question) {
        try (Jedis jedis = jedis()) {
            return question.apply(jedis);
        }
    }

    /** Runs any command, and returns its reply as text. */
    public String command(String... words) {
        return query(jedis -> text(jedis.sendCommand(() -> bytes(words[0]),
                Arrays.stream(words).skip(1).map(RedisProcess::bytes).toArray(byte[][]::new))));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(Object reply) {
        if (reply instanceof byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
        if (reply instanceof List<?> list) {
            return list.stream().map(RedisProcess::text).toList().toString();
        }
        return String.valueOf(reply);
    }

    /** The time of its clock, in microseconds. */
    public long micros() {
        List<String> time = query(Jedis::time);
        return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    }

    public Set<String> keys() {
        return query(jedis -> new TreeSet<>(jedis.keys("redis-bulkhead:*")));
    }

    /** How many permits of a bulkhead are in shares, idle or not, and in holds, by its clock. */
    public long permits(String bulkhead) {
        return shares(bulkhead).permits();
    }

    /** How many calls wait in a bulkhead, including those of dead instances that are not yet removed. */
    public long waiters(String bulkhead) {
        return shares(bulkhead).waiters();
    }

    /** How many applications have permits of a bulkhead, and keep those that are idle. */
    public long keepers(String bulkhead) {
        return shares(bulkhead).keepers();
    }

    public Map<String, Long> permitsByInstance(String bulkhead) {
        return shares(bulkhead).byInstance();
    }

    private StoredShares shares(String bulkhead) {
        return shares(key(bulkhead, "shares"), "");
    }

    // Reads the key by one command, so that the position of no instance is between two statements.
    private StoredShares shares(String key, String shown) {
        Map<String, String> fields = query(jedis -> jedis.hgetAll(key));
        return new StoredShares(shown, fields, micros());
    }

    private static String key(String bulkhead, String part) {
        return "redis-bulkhead:{" + bulkhead + "}:" + part;
    }

    /** All instances with permits or live calls that wait, and all holds, by its clock. */
    public List<String> livingMembers() {
        return ofEachBulkhead(StoredShares::living);
    }

    /** The applications that came too late for the grace period after its start or promotion, with the bulkhead of each. */
    public List<String> lateInstances() {
        return ofEachBulkhead(StoredShares::late);
    }

    private List<String> ofEachBulkhead(Function<StoredShares, List<String>> question) {
        return keys().stream().filter(key -> key.endsWith("}:shares"))
                .flatMap(key -> question.apply(shares(key, key)).stream()).toList();
    }

    public List<String> keysWithoutEnd() {
        return query(jedis -> keys().stream().filter(key -> jedis.pttl(key) == -1).toList());
    }

    /** Ends it at once (SIGKILL). */
    public void kill() {
        process.destroyForcibly().onExit().join();
    }

    public boolean isAlive() {
        return process != null && process.isAlive();
    }

    @Override
    public void close() {
        if (isAlive()) {
            kill();
        }
    }
}
