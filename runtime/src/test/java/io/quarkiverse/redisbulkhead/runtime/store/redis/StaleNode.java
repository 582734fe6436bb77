package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/** A node of a cluster that reports outdated slots: one master that has all of them, and its replica. */
final class StaleNode implements AutoCloseable {

    static final String RUN_ID = "stale";

    private final ServerSocket server;
    private final String slots;
    private final AtomicInteger reports = new AtomicInteger();

    StaleNode(int master, int replica) {
        this.slots = "*1\r\n*4\r\n:0\r\n:16383\r\n" + node(master) + node(replica);
        try {
            this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        new Thread(this::accept, "stale node").start();
    }

    private static String node(int port) {
        return "*2\r\n$9\r\n127.0.0.1\r\n:" + port + "\r\n";
    }

    int port() {
        return server.getLocalPort();
    }

    /** How often it was asked. */
    int reports() {
        return reports.get();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                new Thread(() -> reply(client), "stale node").start();
            } catch (IOException e) {
                // The test has ended.
                return;
            }
        }
    }

    private void reply(Socket client) {
        try (client) {
            BufferedReader in = new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                List<String> command = new ArrayList<>();
                for (int i = Integer.parseInt(line.substring(1)); i > 0; i--) {
                    in.readLine();
                    command.add(in.readLine());
                }
                client.getOutputStream().write(reply(command).getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            // One side closed.
        }
    }

    private String reply(List<String> command) {
        return switch (command.get(0).toUpperCase(Locale.ROOT)) {
            case "CLUSTER" -> {
                reports.incrementAndGet();
                yield slots;
            }
            case "PING" -> "+PONG\r\n";
            case "INFO" -> "+run_id:" + RUN_ID + "\r\n";
            default -> "-MOVED 0 127.0.0.1:1\r\n";
        };
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
