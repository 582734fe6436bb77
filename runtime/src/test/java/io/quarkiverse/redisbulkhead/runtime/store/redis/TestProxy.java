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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A proxy in front of Redis that disturbs the first connection, or several, and forwards the others. */
final class TestProxy implements AutoCloseable {

    /** What happens to connections. */
    enum Fault {

        /** Holds back the first call until {@link #deliver()}, and closes the connection to the client. */
        HOLDS_A_CALL_AND_CLOSES,

        /** Delivers the first call, then resets the connection instead of replying. */
        RESETS_AFTER_A_CALL,

        /** Holds back the first call until {@link #deliver()}. */
        DELAYS_A_CALL,

        /** The first connection works until {@link #forgetFirst()}; afterwards drops what the server sends. It stays open. */
        FIRST_IS_FORGOTTEN,

        /** The first three connections are accepted, but silent. */
        THREE_ARE_SILENT,

        /** The first connection is silent until {@link #deliver()}. */
        FIRST_IS_LATE,

        /**
         * What the server sends takes {@value #LATE_MILLIS} ms over the first connection, from {@link #forgetFirst()} on, and
         * {@value #OTHERS_LATE_MILLIS} ms over the others.
         */
        REPLIES_ARE_LATE,

        /** Each connection is closed with its first call. */
        EACH_CALL_IS_LOST,

        /** Each connection is closed. */
        ALL_ARE_CLOSED
    }

    private static final int SILENT = 3;

    private static final long LATE_MILLIS = 1_900;
    private static final long OTHERS_LATE_MILLIS = 1_080;

    private final Fault fault;
    private final String word;
    private final int redisPort;
    private final ServerSocket server;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger accepted = new AtomicInteger();
    private final CountDownLatch holding = new CountDownLatch(1);
    private final CountDownLatch delivered = new CountDownLatch(1);
    private volatile boolean forgotten;

    /** Recognizes calls by the word EVAL. */
    TestProxy(Fault fault, int redisPort) {
        this(fault, "EVAL", redisPort);
    }

    /**
     * @param word the command that identifies a call
     */
    TestProxy(Fault fault, String word, int redisPort) {
        this.fault = fault;
        this.word = word;
        this.redisPort = redisPort;
        try {
            this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        new Thread(this::accept, "proxy").start();
    }

    int port() {
        return server.getLocalPort();
    }

    int accepted() {
        return accepted.get();
    }

    /** Counts down when a call is held back. */
    CountDownLatch holding() {
        return holding;
    }

    void forgetFirst() {
        forgotten = true;
    }

    /** Lets what is held back go on. */
    void deliver() {
        delivered.countDown();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                int number = accepted.getAndIncrement();
                sockets.add(client);
                if (fault == Fault.ALL_ARE_CLOSED) {
                    client.close();
                } else if (fault != Fault.THREE_ARE_SILENT || number >= SILENT) {
                    Socket upstream = new Socket(InetAddress.getLoopbackAddress(), redisPort);
                    sockets.add(upstream);
                    new Thread(() -> pump(client, upstream, number, true), "proxy up").start();
                    new Thread(() -> pump(upstream, client, number, false), "proxy down").start();
                }
            } catch (IOException e) {
                // The test has ended.
                return;
            }
        }
    }

    private void pump(Socket from, Socket to, int number, boolean up) {
        byte[] buffer = new byte[65_536];
        boolean disturbs = up && number == 0;
        try (from; to) {
            if (disturbs && fault == Fault.FIRST_IS_LATE) {
                delivered.await();
            }
            InputStream in = from.getInputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                boolean isCall = up && contains(buffer, read, word);
                if (isCall && fault == Fault.EACH_CALL_IS_LOST) {
                    return;
                } else if (disturbs && isCall && fault == Fault.HOLDS_A_CALL_AND_CLOSES) {
                    byte[] held = whole(in, buffer, read);
                    from.close();
                    holding.countDown();
                    delivered.await();
                    if (!server.isClosed()) {
                        to.getOutputStream().write(held);
                    }
                    return;
                } else if (disturbs && isCall && fault == Fault.RESETS_AFTER_A_CALL) {
                    forgotten = true;
                    to.getOutputStream().write(whole(in, buffer, read));
                    holding.countDown();
                    delivered.await();
                    from.setSoLinger(true, 0);
                    return;
                } else if (disturbs && isCall && fault == Fault.DELAYS_A_CALL) {
                    byte[] held = whole(in, buffer, read);
                    holding.countDown();
                    delivered.await();
                    disturbs = false;
                    to.getOutputStream().write(held);
                } else if (up || number > 0 || !forgotten || fault == Fault.REPLIES_ARE_LATE) {
                    if (!up && forgotten && fault == Fault.REPLIES_ARE_LATE) {
                        delivered.await(number == 0 ? LATE_MILLIS : OTHERS_LATE_MILLIS, TimeUnit.MILLISECONDS);
                    }
                    to.getOutputStream().write(buffer, 0, read);
                }
            }
        } catch (IOException | InterruptedException e) {
            // One side closed, which closes both.
        }
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
            delivered.countDown();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
