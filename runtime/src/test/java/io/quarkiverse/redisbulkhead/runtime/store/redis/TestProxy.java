package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** A proxy in front of Redis that disturbs the first connection and forwards the others. */
public final class TestProxy implements AutoCloseable {

    /** What happens to the first connection. */
    public enum First {
        /** Holds back its first call and closes the connection to the client. */
        HOLDS_A_CALL_AND_CLOSES,
        /** Delivers its first call, then resets the connection instead of replying. */
        RESETS_AFTER_A_CALL,
        /** Discards its first call and everything after it. The connection stays open. */
        GOES_SILENT,
        /** Holds back its first call until {@link #deliver()}. */
        DELAYS_A_CALL,
        /** Accepted, but silent until {@link #closeFirst()}. */
        NEVER_SPEAKS,
        /** Works until {@link #forgetFirst()}; afterwards drops what the server sends. It stays open. */
        IS_FORGOTTEN
    }

    private final First first;
    private final String word;
    private final int redisPort;
    private final ServerSocket server;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final CountDownLatch accepted = new CountDownLatch(1);
    private final CountDownLatch holding = new CountDownLatch(1);
    private final CountDownLatch delivered = new CountDownLatch(1);
    private volatile boolean forgotten;
    private volatile byte[] held;
    private volatile Socket heldFor;

    /** Recognizes calls by the word EVAL. */
    public TestProxy(First first, int redisPort) {
        this(first, "EVAL", redisPort);
    }

    /**
     * @param word the command that identifies a call
     */
    public TestProxy(First first, String word, int redisPort) {
        this.word = word;
        this.first = first;
        this.redisPort = redisPort;
        try {
            this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        new Thread(this::accept, "proxy").start();
    }

    public int port() {
        return server.getLocalPort();
    }

    /** Counts down when the first connection is accepted. */
    public CountDownLatch accepted() {
        return accepted;
    }

    /** Counts down when a call is held back. */
    public CountDownLatch holding() {
        return holding;
    }

    public void closeFirst() throws IOException {
        sockets.get(0).close();
    }

    public void forgetFirst() {
        forgotten = true;
    }

    /**
     * Sends the held call to the server. If no client reads the reply, a command behind it shows when Redis has executed it.
     */
    public void deliver() throws IOException {
        if (first == First.RESETS_AFTER_A_CALL) {
            delivered.countDown();
            return;
        }
        heldFor.getOutputStream().write(held);
        if (first == First.DELAYS_A_CALL) {
            delivered.countDown();
        } else {
            heldFor.getOutputStream().write("SET delivered yes\r\n".getBytes(StandardCharsets.US_ASCII));
        }
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                boolean isFirst = sockets.isEmpty();
                sockets.add(client);
                accepted.countDown();
                if (isFirst && first == First.NEVER_SPEAKS) {
                    continue;
                }
                Socket upstream = new Socket(InetAddress.getLoopbackAddress(), redisPort);
                sockets.add(upstream);
                new Thread(() -> pump(client, upstream, isFirst && first != First.IS_FORGOTTEN, false), "proxy up").start();
                new Thread(() -> pump(upstream, client, false, isFirst), "proxy down").start();
            } catch (IOException e) {
                // The test has ended.
                return;
            }
        }
    }

    private void pump(Socket from, Socket to, boolean disturbedAtFirst, boolean ofFirst) {
        boolean disturbed = disturbedAtFirst;
        byte[] buffer = new byte[65_536];
        try {
            InputStream in = from.getInputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (disturbed && isCall(buffer, read) && first == First.RESETS_AFTER_A_CALL) {
                    forgotten = true;
                    to.getOutputStream().write(whole(in, buffer, read));
                    holding.countDown();
                    delivered.await();
                    from.setSoLinger(true, 0);
                    from.close();
                    return;
                }
                if (disturbed && isCall(buffer, read)) {
                    heldFor = to;
                    held = whole(in, buffer, read);
                    holding.countDown();
                    if (first == First.HOLDS_A_CALL_AND_CLOSES) {
                        from.close();
                    }
                    if (first != First.DELAYS_A_CALL) {
                        return;
                    }
                    delivered.await();
                    disturbed = false;
                    continue;
                }
                if (!(forgotten && ofFirst)) {
                    to.getOutputStream().write(buffer, 0, read);
                }
            }
            to.close();
        } catch (IOException | InterruptedException e) {
            // One side closed, which ends this pump.
        }
    }

    private boolean isCall(byte[] bytes, int length) {
        return contains(bytes, length, word);
    }

    private static boolean contains(byte[] bytes, int length, String word) {
        return new String(bytes, 0, length, StandardCharsets.ISO_8859_1).toUpperCase(Locale.ROOT).contains(word);
    }

    /** A transaction may arrive in several parts. */
    private byte[] whole(InputStream in, byte[] buffer, int read) throws IOException {
        ByteArrayOutputStream call = new ByteArrayOutputStream();
        call.write(buffer, 0, read);
        while (word.equals("MULTI") && !contains(call.toByteArray(), call.size(), "EXEC")) {
            int more = in.read(buffer);
            if (more < 0) {
                throw new IOException("The transaction was not sent to its end");
            }
            call.write(buffer, 0, more);
        }
        return call.toByteArray();
    }

    @Override
    public void close() {
        try {
            server.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
