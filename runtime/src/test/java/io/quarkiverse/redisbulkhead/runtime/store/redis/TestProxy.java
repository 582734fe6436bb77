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

/** Stands before a Redis and ill-treats the first connection; the others pass. */
public final class TestProxy implements AutoCloseable {

    /** What happens to the first connection. */
    public enum First {
        /** Its first call is kept back, and the client sees the connection close. */
        HOLDS_A_CALL_AND_CLOSES,
        /** Its first call is delivered, and then the client sees the connection reset instead of the answer. */
        RESETS_AFTER_A_CALL,
        /** Its first call and all that follows is swallowed. The connection stays open. */
        GOES_SILENT,
        /** Its first call is kept back until {@link #deliver()}. */
        DELAYS_A_CALL,
        /** It is accepted and says nothing until {@link #closeFirst()}. */
        NEVER_SPEAKS,
        /** It works until {@link #forgetFirst()}; from then on what the server says does not arrive. It stays open. */
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

    /** What is a call holds the word EVAL. */
    public TestProxy(First first, int redisPort) {
        this(first, "EVAL", redisPort);
    }

    /**
     * @param word what is a call holds this command
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

    /** Counts down when the first connection is there. */
    public CountDownLatch accepted() {
        return accepted;
    }

    /** Counts down when a call is kept back. */
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
     * Gives the server the call that was held, and, where no client reads the replies any more, after it a command that
     * shows when that is done.
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

    private void pump(Socket from, Socket to, boolean illTreatedAtFirst, boolean ofFirst) {
        boolean illTreated = illTreatedAtFirst;
        byte[] buffer = new byte[65_536];
        try {
            InputStream in = from.getInputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (illTreated && isCall(buffer, read) && first == First.RESETS_AFTER_A_CALL) {
                    forgotten = true;
                    to.getOutputStream().write(whole(in, buffer, read));
                    holding.countDown();
                    delivered.await();
                    from.setSoLinger(true, 0);
                    from.close();
                    return;
                }
                if (illTreated && isCall(buffer, read)) {
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
                    illTreated = false;
                    continue;
                }
                if (!(forgotten && ofFirst)) {
                    to.getOutputStream().write(buffer, 0, read);
                }
            }
            to.close();
        } catch (IOException | InterruptedException e) {
            // One side has gone, which ends this pump.
        }
    }

    private boolean isCall(byte[] bytes, int length) {
        return contains(bytes, length, word);
    }

    private static boolean contains(byte[] bytes, int length, String word) {
        return new String(bytes, 0, length, StandardCharsets.ISO_8859_1).toUpperCase(Locale.ROOT).contains(word);
    }

    /** A transaction may come in several parts. */
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
