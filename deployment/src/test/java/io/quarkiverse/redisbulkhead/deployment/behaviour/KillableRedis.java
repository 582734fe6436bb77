package io.quarkiverse.redisbulkhead.deployment.behaviour;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

import redis.embedded.RedisServer;

/**
 * A Redis that a test stops and starts. It always has the same port, also where a test class is loaded twice, by JUnit
 * and by the application.
 */
final class KillableRedis {

    private final int port;
    private RedisServer server;

    KillableRedis(String test) {
        port = Integer.parseInt((String) System.getProperties().computeIfAbsent(test + ".port", key -> freePort()));
    }

    String address() {
        return "redis://127.0.0.1:" + port;
    }

    void start() {
        if (server != null) {
            return;
        }
        try {
            server = RedisServer.newRedisServer().port(port).bind("127.0.0.1").setting("save \"\"").build();
            server.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void stop() {
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

    /** It takes scripts and other writes, and does not answer until that is closed. */
    AutoCloseable pause() {
        send("CLIENT PAUSE 60000 WRITE");
        return () -> send("CLIENT UNPAUSE");
    }

    /** Runs a command that is answered by OK. */
    void send(String command) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(5_000);
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
            if (socket.getInputStream().read() != '+') {
                throw new IllegalStateException("Redis refused " + command);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return Integer.toString(socket.getLocalPort());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
