package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import redis.embedded.RedisServer;
import redis.embedded.core.RedisServerBuilder;

/** A real Redis server started by the test, and a client to inspect it. */
public final class TestRedis implements AutoCloseable {

    /** {@code -Dredis.server=}: a {@code redis-server} or {@code valkey-server} to use instead of the embedded one. */
    private static final String INSTALLED = System.getProperty("redis.server", "");

    private final Vertx vertx = Vertx.vertx();
    private final int port;
    private final String[] settings;
    private RedisServer server;

    /** Where the server writes: by default that is beside its executable, which may be installed for all users. */
    private Path folder;

    public TestRedis() {
        this(freePort());
        start();
    }

    /** With lines for its configuration file; not started. */
    TestRedis(int port, String... settings) {
        this.port = port;
        this.settings = settings;
    }

    public static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Vertx vertx() {
        return vertx;
    }

    /** A new client; the test closes it. */
    public Redis newClient() {
        return Redis.createClient(vertx, options());
    }

    public RedisOptions options() {
        return options(port);
    }

    public static RedisOptions options(int viaPort) {
        return new RedisOptions().setConnectionString("redis://127.0.0.1:" + viaPort);
    }

    /** Options of a user with the password {@code secret}. */
    public RedisOptions optionsOf(String user) {
        return new RedisOptions().setConnectionString("redis://" + user + ":secret@127.0.0.1:" + port);
    }

    /** Options of a user with only the documented permissions for this store. */
    public RedisOptions restrictedOptions(TestStore store) {
        command("ACL", Stream.concat(Stream.of("SETUSER", "bulkhead"), store.rights().stream()).toArray());
        return optionsOf("bulkhead");
    }

    public int port() {
        return port;
    }

    public void start() {
        try {
            if (folder == null) {
                folder = Files.createTempDirectory("test-redis-");
            }
            RedisServerBuilder builder = RedisServer.newRedisServer().port(port).bind("127.0.0.1").setting("save \"\"")
                    .setting("dir " + folder);
            if (!INSTALLED.isEmpty()) {
                builder.executableProvider(() -> new File(INSTALLED));
            }
            for (String setting : settings) {
                builder.setting(setting);
            }
            server = builder.build();
            server.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void stop() {
        try {
            server.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a command on a new connection and awaits the reply. */
    public Response command(String name, Object... args) {
        Redis client = newClient();
        try {
            return command(client, name, args);
        } finally {
            client.close();
        }
    }

    public Response command(Redis client, String name, Object... args) {
        Request request = Request.cmd(Command.create(name));
        Arrays.stream(args).map(String::valueOf).forEach(request::arg);
        try {
            return client.send(request).toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(name + " " + Arrays.toString(args), e);
        }
    }

    /** The process id of the server. */
    public long pid() {
        return info("server", "process_id:");
    }

    /** How often the server has called a command. */
    long calls(String command) {
        return info("commandstats", "cmdstat_" + command + ":calls=");
    }

    /** The number behind a text of INFO; 0 without that text. */
    long info(String section, String before) {
        return command("INFO", section).toString().lines().filter(line -> line.contains(before))
                .mapToLong(
                        line -> Long.parseLong(line.substring(line.indexOf(before) + before.length()).replaceAll("\\D.*", "")))
                .findFirst().orElse(0);
    }

    /** The result of a stage, or the exception that it failed with. */
    static <T> T get(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new AssertionError(e);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Runs something while the server does not reply, though it accepts connections. */
    void whileStopped(Runnable task) {
        long pid = pid();
        signal(pid, "STOP");
        try {
            task.run();
        } finally {
            signal(pid, "CONT");
        }
    }

    /** Sends a signal to the server's process, for example STOP, after which it accepts connections but does not reply. */
    public static void signal(long pid, String signal) {
        output("kill", "-" + signal, Long.toString(pid));
        if (signal.equals("STOP")) {
            // The process stops when it is scheduled next, which takes a moment on a busy machine.
            await().atMost(20, TimeUnit.SECONDS)
                    .until(() -> output("ps", "-o", "state=", "-p", Long.toString(pid)).startsWith("T"));
        }
    }

    private static String output(String... command) {
        try {
            Process process = new ProcessBuilder(command).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int exit = process.waitFor();
            if (exit != 0) {
                throw new AssertionError(String.join(" ", command) + " ended with " + exit);
            }
            return output;
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        if (server != null) {
            stop();
            deleteFolder();
        }
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private void deleteFolder() {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
