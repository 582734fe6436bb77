package io.quarkiverse.redisbulkhead.deployment.behaviour;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

import io.quarkiverse.redisbulkhead.testredis.RedisProcess;
import redis.embedded.RedisServer;
import redis.embedded.core.RedisServerBuilder;

/** A Redis server that a test stops and starts. Its port is fixed, even if JUnit and the application load the test class. */
public final class KillableRedis {

    /** {@code -Dredis.server=}: a {@code redis-server} or {@code valkey-server} to use instead of the embedded one. */
    private static final String INSTALLED = System.getProperty("redis.server", "");

    private final int port;
    private RedisServer server;

    public KillableRedis(String test) {
        port = Integer.parseInt(
                (String) System.getProperties().computeIfAbsent(test + ".port",
                        key -> Integer.toString(RedisProcess.freePort())));
    }

    public int port() {
        return port;
    }

    public String address() {
        return "redis://127.0.0.1:" + port;
    }

    public void start() {
        if (server != null) {
            return;
        }
        try {
            RedisServerBuilder builder = RedisServer.newRedisServer().port(port).bind("127.0.0.1").setting("save \"\"");
            if (!INSTALLED.isEmpty()) {
                builder.executableProvider(() -> new File(INSTALLED));
            }
            server = builder.build();
            server.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void stop() {
        if (server == null) {
            return;
        }
        try {
            server.stop();
            server = null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Stops the server until the result is closed; the operating system still accepts connections. */
    public AutoCloseable freeze() {
        String process = info("server", "process_id");
        signal("-STOP", process);
        return () -> signal("-CONT", process);
    }

    private static void signal(String signal, String process) {
        try {
            new ProcessBuilder("kill", signal, process).inheritIO().start().onExit().join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a command that replies with OK. */
    public void send(String command) {
        if (!text(command).get(0).startsWith("+")) {
            throw new IllegalStateException("Redis refused " + command);
        }
    }

    /** Runs a command; returns all lines of the reply. */
    public List<String> text(String command) {
        return text("127.0.0.1", port, command);
    }

    /** Runs a command on any server; returns all lines of the reply. */
    public static List<String> text(String host, int port, String command) {
        try (Socket socket = new Socket(host, port)) {
            socket.setSoTimeout(20_000);
            // The connection ends with the reply.
            socket.getOutputStream().write((command + "\r\nQUIT\r\n").getBytes(StandardCharsets.US_ASCII));
            List<String> lines = new BufferedReader(
                    new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII)).lines().toList();
            return lines.subList(0, lines.size() - 1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String info(String section, String name) {
        return text("INFO " + section).stream().filter(line -> line.startsWith(name + ":")).findFirst().orElseThrow()
                .substring(name.length() + 1).strip();
    }
}
