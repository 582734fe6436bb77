package io.quarkiverse.redisbulkhead.faults.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import javax.net.ssl.SSLContext;

import io.quarkiverse.redisbulkhead.testredis.RedisProcess;

/** The network between applications and a server: it forwards bytes, delays them, or drops some or all of them. */
public final class Proxy implements AutoCloseable {

    /** When to close the connection of a command. */
    public enum Cut {
        /** Before the server receives the command. */
        BEFORE,
        /** After the server has received it, before the reply is forwarded. */
        AFTER
    }

    // SUBSCRIBE, PSUBSCRIBE or SSUBSCRIBE as a word of a command.
    private static final Pattern SUBSCRIPTION = Pattern.compile("(?i)\r\n[ps]?subscribe\r\n");

    private record Trap(Predicate<String> command, Cut cut, boolean once) {
    }

    private record Chunk(long dueNanos, byte[] bytes) {

        private static final Chunk END = new Chunk(0, new byte[0]);
    }

    private volatile int upstreamPort;
    private final Optional<SSLContext> tls;
    private final int port;
    private final List<Link> links = new CopyOnWriteArrayList<>();
    private final Random random = new Random(42);
    private final AtomicLong cuts = new AtomicLong();
    private volatile ServerSocket server;
    private volatile long delayMillis;
    private volatile boolean dropsCommands;
    private volatile boolean dropsReplies;
    private volatile double lossOfReplies;
    private volatile double lossOfHandshakes;
    private final AtomicInteger handshakesToLose = new AtomicInteger();
    private final AtomicLong resets = new AtomicLong();
    private volatile Trap trap;

    /** Forwards to the server on a local port. With TLS, only the connection to the server is plain. */
    Proxy(int upstreamPort, Optional<SSLContext> tls) {
        this.upstreamPort = upstreamPort;
        this.tls = tls;
        this.server = listen(0);
        this.port = server.getLocalPort();
    }

    private ServerSocket listen(int on) {
        try {
            ServerSocket socket = tls.isEmpty() ? new ServerSocket() : tls.get().getServerSocketFactory().createServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByName(RedisProcess.HOST), on), 500);
            Observer.daemon(() -> accept(socket), "proxy");
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The value of {@code quarkus.redis.hosts} for applications that connect through the proxy. */
    public String url() {
        return (tls.isEmpty() ? "redis://" : "rediss://") + RedisProcess.HOST + ":" + port;
    }

    /** Delays each byte by this time, in both directions. */
    public void delay(long millis) {
        delayMillis = millis;
    }

    /** Drops everything in both directions; connections stay open, and new ones are accepted. */
    public void blackHole() {
        dropsCommands = true;
        dropsReplies = true;
    }

    /** Drops everything from the server, and forwards everything to it. */
    public void halfOpen() {
        dropsReplies = true;
    }

    /** Drops everything from clients, and forwards everything to them. */
    public void halfOpenToTheServer() {
        dropsCommands = true;
    }

    /** Loses this share of the replies, and closes their connections. */
    public void loseReplies(double part) {
        lossOfReplies = part;
    }

    /** Resets this share of new connections: at the first byte from the client, or before the TLS handshake. */
    public void resetHandshakes(double part) {
        lossOfHandshakes = part;
    }

    /** Resets the next new connections: at the first byte from the client, or before the TLS handshake. */
    public void resetNextHandshakes(int number) {
        handshakesToLose.set(number);
    }

    public long resets() {
        return resets.get();
    }

    /** Drops all bytes of the current subscriptions, in both directions, and keeps them open. */
    public void halfOpenSubscriptions() {
        links.stream().filter(link -> link.subscribed).forEach(link -> link.dead = true);
    }

    public void redirect(RedisProcess other) {
        upstreamPort = other.port();
    }

    /** Forwards everything again. Closes connections that have lost bytes, because they are unusable. */
    public void heal() {
        trap = null;
        delayMillis = 0;
        lossOfReplies = 0;
        lossOfHandshakes = 0;
        handshakesToLose.set(0);
        if (isHole()) {
            forwardAll();
            cut();
        }
    }

    /** As {@link #heal}, but without closing the connections, which are useless by now. */
    public void healSilently() {
        links.forEach(link -> link.dead = true);
        forwardAll();
    }

    private void forwardAll() {
        dropsCommands = false;
        dropsReplies = false;
    }

    private boolean isHandshakeLost() {
        return handshakesToLose.getAndUpdate(left -> Math.max(0, left - 1)) > 0
                || lossOfHandshakes > 0 && isLost(lossOfHandshakes);
    }

    private boolean isLost(double part) {
        synchronized (random) {
            return random.nextDouble() < part;
        }
    }

    private boolean isHole() {
        return dropsCommands || dropsReplies;
    }

    public void cut() {
        cut(link -> true);
    }

    public void cutSubscriptions() {
        cut(link -> link.subscribed);
    }

    public void cutCommands() {
        cut(link -> !link.subscribed);
    }

    private void cut(Predicate<Link> which) {
        links.stream().filter(which).forEach(Link::close);
    }

    /** Stops accepting connections, and closes the existing ones. */
    public void refuse() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
    }

    public void accept() {
        server = listen(port);
    }

    /** Closes each connection that carries such a command, which is given the data from the client as text. */
    public void cutAt(Predicate<String> command, Cut cut) {
        trap = new Trap(command, cut, false);
    }

    /** As {@link #cutAt}, the next time only. */
    public void cutOnceAt(Predicate<String> command, Cut cut) {
        trap = new Trap(command, cut, true);
    }

    /** How many connections were closed at a command, or with a reply. */
    public long cuts() {
        return cuts.get();
    }

    private void accept(ServerSocket from) {
        while (!from.isClosed()) {
            try {
                Socket client = from.accept();
                Observer.daemon(() -> open(client), "proxy opens");
            } catch (IOException e) {
                // Closed.
                return;
            }
        }
    }

    private void open(Socket client) {
        try {
            if (isHandshakeLost()) {
                reset(client);
                return;
            }
            Link link = new Link(client, new Socket(RedisProcess.HOST, upstreamPort));
            links.add(link);
            link.pump();
        } catch (IOException e) {
            // The server refuses connections, and so does the proxy.
            closeQuietly(client);
        }
    }

    private void reset(Socket client) throws IOException {
        try (client) {
            if (tls.isEmpty()) {
                client.getInputStream().read();
            }
            // Sends RST in place of FIN.
            client.setSoLinger(true, 0);
            resets.incrementAndGet();
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One connection, and its other half. */
    private final class Link {

        private final Socket client;
        private final Socket upstream;
        private volatile boolean subscribed;
        private volatile boolean dead;
        private volatile boolean replyIsLost;

        private Link(Socket client, Socket upstream) throws IOException {
            this.client = client;
            this.upstream = upstream;
            client.setTcpNoDelay(true);
            upstream.setTcpNoDelay(true);
        }

        private void pump() {
            BlockingQueue<Chunk> commands = new LinkedBlockingQueue<>();
            BlockingQueue<Chunk> answers = new LinkedBlockingQueue<>();
            Observer.daemon(() -> write(commands, upstream, true), "proxy to the server");
            Observer.daemon(() -> write(answers, client, false), "proxy to the client");
            Observer.daemon(() -> read(upstream, answers), "proxy from the server");
            read(client, commands);
        }

        private void read(Socket from, BlockingQueue<Chunk> into) {
            byte[] buffer = new byte[65_536];
            try {
                InputStream in = from.getInputStream();
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    into.add(new Chunk(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMillis),
                            Arrays.copyOf(buffer, read)));
                }
            } catch (IOException e) {
                // Ended by the other side, or by us.
            }
            into.add(Chunk.END);
        }

        private void write(BlockingQueue<Chunk> chunks, Socket to, boolean commands) {
            try {
                for (Chunk chunk = chunks.take(); chunk != Chunk.END; chunk = chunks.take()) {
                    // The latency of this network. Later bytes queue behind, so the order is kept.
                    TimeUnit.NANOSECONDS.sleep(chunk.dueNanos() - System.nanoTime());
                    if (passes(chunk.bytes(), commands)) {
                        to.getOutputStream().write(chunk.bytes());
                    }
                }
            } catch (IOException | InterruptedException e) {
                // Ended by the other side, or by us.
            }
            if (!dead && !isHole()) {
                close();
            }
        }

        private boolean passes(byte[] bytes, boolean isCommand) {
            if (dead || (isCommand ? dropsCommands : dropsReplies)) {
                return false;
            }
            return isCommand ? commandPasses(new String(bytes, StandardCharsets.ISO_8859_1)) : replyPasses();
        }

        private boolean commandPasses(String text) {
            if (SUBSCRIPTION.matcher(text).find()) {
                subscribed = true;
            }
            Trap set = trap;
            if (set != null && set.command().test(text)) {
                if (set.once()) {
                    trap = null;
                }
                cuts.incrementAndGet();
                if (set.cut() == Cut.BEFORE) {
                    close();
                    return false;
                }
                replyIsLost = true;
            }
            return true;
        }

        private boolean replyPasses() {
            if (replyIsLost) {
                close();
                return false;
            }
            if (lossOfReplies > 0 && isLost(lossOfReplies)) {
                cuts.incrementAndGet();
                close();
                return false;
            }
            return true;
        }

        private void close() {
            links.remove(this);
            closeQuietly(client);
            closeQuietly(upstream);
        }
    }

    @Override
    public void close() {
        refuse();
    }
}
