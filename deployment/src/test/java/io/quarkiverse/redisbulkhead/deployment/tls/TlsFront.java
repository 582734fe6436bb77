package io.quarkiverse.redisbulkhead.deployment.tls;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/** A TLS proxy for a Redis without TLS support, such as the embedded one. */
final class TlsFront {

    private final int port;
    private final int redisPort;
    private final List<Socket> clients = new CopyOnWriteArrayList<>();
    private ServerSocket server;

    TlsFront(int port, int redisPort) {
        this.port = port;
        this.redisPort = redisPort;
    }

    /** Accepts clients that show a certificate. */
    void start(SSLContext context) {
        start(() -> {
            SSLServerSocket socket = (SSLServerSocket) context.getServerSocketFactory().createServerSocket(port, 50,
                    InetAddress.getLoopbackAddress());
            socket.setNeedClientAuth(true);
            return socket;
        });
    }

    /** Accepts clients without TLS. */
    void startWithoutTls() {
        start(() -> new ServerSocket(port, 50, InetAddress.getLoopbackAddress()));
    }

    private void start(Callable<ServerSocket> open) {
        // The previous server may still be closing.
        ServerSocket socket = await().atMost(Duration.ofSeconds(20)).ignoreException(BindException.class).until(open,
                one -> true);
        server = socket;
        Thread acceptor = new Thread(() -> accept(socket), "tls front");
        acceptor.setDaemon(true);
        acceptor.start();
    }

    private void accept(ServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                clients.add(client);
                if (socket.isClosed()) {
                    // Accepted while the others were cut.
                    client.close();
                    return;
                }
                Socket upstream = new Socket(InetAddress.getLoopbackAddress(), redisPort);
                pump(client, upstream);
                pump(upstream, client);
            } catch (IOException e) {
                // Stopped, or the client has already disconnected.
            }
        }
    }

    private static void pump(Socket from, Socket to) {
        Thread pump = new Thread(() -> {
            try (from; to) {
                from.getInputStream().transferTo(to.getOutputStream());
            } catch (IOException e) {
                // One side has closed, or does not speak TLS: close both.
            }
        }, "tls pump");
        pump.setDaemon(true);
        pump.start();
    }

    /** Closes all connections without notice. */
    void cut() {
        for (Socket client : clients) {
            try {
                client.close();
            } catch (IOException e) {
                // Already closed.
            }
        }
        clients.clear();
    }

    void stop() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
    }
}
