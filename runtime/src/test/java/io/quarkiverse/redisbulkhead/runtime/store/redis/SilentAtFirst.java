package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Accepts connections: the first ones stay open without a reply, the others are forwarded to Redis. */
final class SilentAtFirst implements AutoCloseable {

    private volatile int silent;
    private final int redisPort;
    private final ServerSocket server;
    private final List<Socket> clients = new CopyOnWriteArrayList<>();
    private Runnable onClose = () -> {
    };

    SilentAtFirst(int silent, int redisPort) throws IOException {
        this.silent = silent;
        this.redisPort = redisPort;
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        new Thread(this::accept, "silent at first").start();
    }

    int port() {
        return server.getLocalPort();
    }

    int accepted() {
        return clients.size();
    }

    /** Forwards the next connections to Redis. */
    void speak() {
        silent = clients.size();
    }

    /** Closes the silent connections. */
    void endSilent() throws IOException {
        for (Socket client : clients.subList(0, silent)) {
            client.close();
        }
    }

    void onClose(Runnable task) {
        onClose = task;
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                clients.add(client);
                if (clients.size() > silent) {
                    Socket upstream = new Socket(InetAddress.getLoopbackAddress(), redisPort);
                    new Thread(() -> pump(client, upstream), "up").start();
                    new Thread(() -> pump(upstream, client), "down").start();
                }
            } catch (IOException e) {
                // The test has ended.
                return;
            }
        }
    }

    private static void pump(Socket from, Socket to) {
        try (from; to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // One side closed, which closes both.
        }
    }

    @Override
    public void close() {
        onClose.run();
        try {
            server.close();
            for (Socket client : clients) {
                client.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
