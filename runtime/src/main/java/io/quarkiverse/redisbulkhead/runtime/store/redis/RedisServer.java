package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.StoreAwayException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxException;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;

/**
 * One Redis server: its connections, the calls that are under way, and whether it is away.
 * <p>
 * A call keeps its identity until it is answered. When its connection breaks, or the server answers with an error that passes
 * by
 * itself, it is sent again, so every call must be safe to repeat. Failed connects and handshakes, broken connections and
 * transient
 * errors are no outage. The server is <em>away</em> when, with calls under way, nothing else has come from it for the command
 * timeout.
 * Then all calls fail at once, and new ones, until a probe that writes has succeeded.
 * <p>
 * Silence is counted in ticks, each of which lets the event loop read first. So a pause of this process is not taken for one of
 * the
 * server, however late the timers are.
 * <p>
 * Everything happens on the context of the {@link RedisConnectionManager}.
 */
final class RedisServer {

    private static final Logger LOG = Logger.getLogger(RedisServer.class);

    private static final int TICKS_PER_TIMEOUT = 20;
    /** A call that waits behind others that are answered is given up after so many command timeouts. */
    private static final int MOST_TIMEOUTS = 10;
    private static final int FIRST_GAP_MILLIS = 10;
    private static final int LONGEST_GAP_MILLIS = 200;
    private static final int FIRST_PROBE_GAP_MILLIS = 100;
    private static final int LONGEST_PROBE_GAP_MILLIS = 500;
    /** A wrong password is not tried more often than that. */
    private static final int REFUSED_GAP_MILLIS = 2_000;
    /** After this time an attempt to connect is given up, however often earlier ones were too short. */
    private static final long LONGEST_ATTEMPT_MILLIS = 5_000;
    private static final int MOST_REDIRECTS = 16;

    /** What the server tells those who use it. */
    interface Listener {

        /** The server has gone away, or is back. */
        void availabilityChanged(RedisServer server);

        /** A connection was opened again after another one was lost. */
        void reconnected(RedisServer server);

        /** A connection was lost or could not be opened; in a cluster another node may have taken over. */
        void troubled(RedisServer server);

        /** Another node of the cluster has the data. */
        void redirected(RedisServer server, PendingCall<?> call, ErrorReply.Redirection to);
    }

    /** Why calls fail at once. */
    private record Outage(String message, Throwable cause, boolean passes) {
    }

    /** A connection, and what was sent over it and not answered yet, in order. */
    private static final class Link {
        private final Redis client;
        private final RedisConnection connection;
        private final Deque<Shipment> inFlight = new ArrayDeque<>();
        private int silentTicks;
        private boolean over;

        private Link(Redis client, RedisConnection connection) {
            this.client = client;
            this.connection = connection;
        }
    }

    /** One try to open a connection, or to write over one while the server is away. */
    private static final class Attempt {
        private int ticks;
        private boolean over;
        private Runnable abandon;
    }

    private final Vertx vertx;
    private final Context context;
    private final String label;
    private final Supplier<Redis> clients;
    private final long timeoutMillis;
    private final long tickMillis;
    private final int mostLinks;
    private final int mostInFlight;
    private final Listener listener;
    private final RefusalLog refusals = new RefusalLog();

    private Outbox outbox = new Outbox();
    /** All calls that may not have ended, the oldest first. */
    private final Queue<PendingCall<?>> pending = new ArrayDeque<>();
    private final List<Link> links = new ArrayList<>();
    /**
     * Clients without a connection. Closing a client is the only way to end a connection that is silent, so each link has its
     * own.
     */
    private final Deque<Redis> idleClients = new ArrayDeque<>();
    private Attempt attempt;
    private int attemptTimeouts;
    private boolean retryPlanned;
    private int gapMillis;
    private boolean wasConnected;
    private String trouble;
    private long tick;
    private int silentTicks;
    private boolean ticking;
    private Outage outage;
    private byte[] keysOfProbe;
    private boolean closed;

    /**
     * @param label what the server is called in messages; without secrets
     * @param clients makes a client of the server; called on the context, so that connections belong to its event loop
     * @param keyPrefix what the key starts with that a probe writes before any call has named others
     * @param timeoutMillis after what silence the server is away
     * @param mostLinks how many connections there may be
     * @param mostInFlight how many commands may be unanswered over each
     */
    RedisServer(Vertx vertx, Context context, String label, Supplier<Redis> clients, String keyPrefix,
            long timeoutMillis, int mostLinks, int mostInFlight, Listener listener) {
        this.vertx = vertx;
        this.context = context;
        this.label = label;
        this.clients = clients;
        this.keysOfProbe = (keyPrefix + ":{}:").getBytes(StandardCharsets.UTF_8);
        this.timeoutMillis = Math.max(1, timeoutMillis);
        this.tickMillis = Math.max(1, this.timeoutMillis / TICKS_PER_TIMEOUT);
        this.mostLinks = mostLinks;
        this.mostInFlight = mostInFlight;
        this.listener = listener;
    }

    boolean isAway() {
        return outage != null;
    }

    /** Takes a call that {@link #flush} sends. */
    void submit(PendingCall<?> call) {
        if (closed) {
            call.fail(RedisConnectionManager.stopping());
        } else if (outage != null) {
            call.fail(failure(outage, call));
        } else {
            forgetEnded();
            if (pending.isEmpty()) {
                silentTicks = 0;
            }
            call.beganTick = tick;
            pending.add(call);
            outbox.add(call);
            startTicking();
        }
    }

    /** Sends what was submitted, as far as there is room, and connects where there is none. */
    void flush() {
        for (Link link : List.copyOf(links)) {
            send(link);
        }
        if (!outbox.isEmpty()) {
            connect();
        }
    }

    /** Connects, if nothing is connected. */
    void warmUp() {
        if (links.isEmpty()) {
            connect();
        }
    }

    private void send(Link link) {
        while (!link.over && outage == null && link.inFlight.size() < mostInFlight) {
            Shipment next = outbox.next();
            if (next == null) {
                return;
            }
            PendingCall<?> first = next.calls().get(0);
            if (first.call().routingKey() != null) {
                keysOfProbe = first.call().routingKey();
            }
            link.inFlight.add(next);
            RedisConnection connection = first.asking ? new Asking(link.connection) : link.connection;
            next.transmit(connection).onComplete(result -> {
                if (link.over) {
                    againIfAlone(next);
                } else {
                    link.inFlight.remove(next);
                    link.silentTicks = 0;
                    if (result.succeeded()) {
                        answered(link, next, result.result());
                    } else {
                        failed(link, next, result.cause());
                    }
                }
            });
        }
    }

    private void answered(Link link, Shipment shipment, Object reply) {
        heard();
        outbox.isBack(shipment);
        // Before callers learn of their answers, so that Redis works while they do.
        send(link);
        shipment.deliver(reply);
    }

    private void failed(Link link, Shipment shipment, Throwable failure) {
        Optional<ErrorReply> error = ErrorReply.of(failure);
        if (error.isEmpty()) {
            if (isOfClient(failure)) {
                lostUnder(shipment, link, failure);
            } else {
                heard();
                outbox.isBack(shipment);
                shipment.calls().forEach(call -> call.notUnderstood(failure));
                send(link);
            }
            return;
        }
        ErrorReply reply = error.get();
        Optional<ErrorReply.Redirection> redirection = reply.redirection();
        if (redirection.isPresent()) {
            heard();
            outbox.isBack(shipment);
            shipment.calls().forEach(call -> redirect(call, reply, redirection.get()));
        } else if (reply.isTransient() || reply.isAuthenticationMissing()) {
            sendAgain(link, shipment, reply);
        } else if (shipment.calls().size() > 1) {
            heard();
            // Before others of the group may go.
            shipment.calls().forEach(call -> {
                call.refusedBefore(reply);
                call.goAlone();
                outbox.add(call);
            });
            outbox.isBack(shipment);
        } else {
            heard();
            outbox.isBack(shipment);
            PendingCall<?> call = shipment.calls().get(0);
            refusals.log(call.about(), reply);
            call.refuse(reply);
        }
        send(link);
    }

    // Redis's error replies come as a Throwable that is no Exception; for a lost connection the client has exceptions of its own.
    private static boolean isOfClient(Throwable failure) {
        return !(failure instanceof RuntimeException) || failure instanceof VertxException;
    }

    private void redirect(PendingCall<?> call, ErrorReply reply, ErrorReply.Redirection to) {
        call.refusedBefore(reply);
        if (++call.redirects > MOST_REDIRECTS) {
            call.refuse(reply);
        } else if (!call.answer.isDone()) {
            pending.remove(call);
            listener.redirected(this, call, to);
        }
    }

    // What met a transient error goes again after a pause. A replica goes over another connection: a failover has another master.
    private void sendAgain(Link link, Shipment shipment, ErrorReply reply) {
        trouble = reply.explanation();
        shipment.calls().forEach(call -> {
            call.refusedBefore(reply);
            call.retries++;
        });
        if (reply.is(ErrorReply.READONLY) || reply.isAuthenticationMissing()) {
            lostUnder(shipment, link, new StoreException(trouble, false, null));
            return;
        }
        outbox.isBack(shipment);
        shipment.calls().forEach(call -> vertx.setTimer(gap(call.retries), timer -> again(call)));
    }

    private void again(PendingCall<?> call) {
        if (outage == null && !closed && !call.answer.isDone()) {
            outbox.add(call);
            flush();
        }
    }

    // A call that depends on its own earlier replies ends its try before the next one begins.
    private void againIfAlone(Shipment shipment) {
        if (shipment.group() == null) {
            again(shipment.calls().get(0));
        }
    }

    private static long gap(int retries) {
        int longest = Math.min(LONGEST_GAP_MILLIS, FIRST_GAP_MILLIS << Math.min(retries, 10));
        return ThreadLocalRandom.current().nextLong(longest / 2, longest) + 1;
    }

    // Whatever comes that is no transient failure shows that the server is there.
    private void heard() {
        silentTicks = 0;
        gapMillis = 0;
        trouble = null;
    }

    private void lostUnder(Shipment shipment, Link link, Throwable cause) {
        link.inFlight.addFirst(shipment);
        lost(link, cause);
        againIfAlone(shipment);
    }

    private void lost(Link link, Throwable cause) {
        if (link.over) {
            return;
        }
        end(link, cause instanceof StoreException);
        trouble = cause instanceof StoreException ? cause.getMessage() : "the connection was lost: " + Redacted.reason(cause);
        LOG.debugf("%s: %s", label, trouble);
        // In their old order, and before what was not sent yet.
        List<PendingCall<?>> again = new ArrayList<>();
        for (Shipment shipment : link.inFlight) {
            outbox.isBack(shipment);
            if (shipment.group() != null) {
                again.addAll(shipment.calls());
            }
        }
        again.addAll(outbox.clear());
        again.stream().filter(call -> !call.answer.isDone()).forEach(outbox::add);
        listener.troubled(this);
        retry();
    }

    // A connection that the server has closed leaves its client by itself.
    private void end(Link link, boolean byForce) {
        link.over = true;
        links.remove(link);
        link.connection.endHandler(null);
        link.connection.exceptionHandler(null);
        if (byForce) {
            link.client.close();
        } else {
            idleClients.push(link.client);
        }
    }

    private void retry() {
        if (!retryPlanned && !closed) {
            retryPlanned = true;
            int longest = outage == null ? LONGEST_GAP_MILLIS : outage.passes ? LONGEST_PROBE_GAP_MILLIS : REFUSED_GAP_MILLIS;
            int first = outage == null ? FIRST_GAP_MILLIS : FIRST_PROBE_GAP_MILLIS;
            gapMillis = Math.min(longest, Math.max(first, 2 * gapMillis));
            vertx.setTimer(gapMillis / 2 + ThreadLocalRandom.current().nextInt(gapMillis / 2 + 1) + 1, timer -> {
                retryPlanned = false;
                connect();
            });
        }
    }

    private void connect() {
        if (closed || attempt != null || retryPlanned) {
            return;
        }
        if (outage != null && !links.isEmpty()) {
            probe(links.get(0));
        } else if (links.isEmpty() || links.size() < mostLinks && !outbox.isEmpty()) {
            open();
        }
    }

    private void open() {
        Attempt current = new Attempt();
        attempt = current;
        Redis client;
        Future<RedisConnection> opening;
        try {
            client = idleClients.isEmpty() ? clients.get() : idleClients.pop();
            opening = client.connect();
        } catch (RuntimeException e) {
            // No client can be made of these options, or Vert.x is closed.
            current.over = true;
            attempt = null;
            goAway(new Outage(label + " cannot be used: " + Redacted.reason(e), Redacted.failure(e), false));
            retry();
            return;
        }
        current.abandon = client::close;
        startTicking();
        opening.compose(connection -> greet(connection).map(connection)).onComplete(result -> {
            if (current.over) {
                client.close();
            } else if (result.succeeded()) {
                connected(current, new Link(client, result.result()));
            } else {
                idleClients.push(client);
                attemptFailed(current, result.cause());
            }
        });
    }

    // The client takes a server that wants a password for one that does not, when none is set.
    private static Future<Void> greet(RedisConnection connection) {
        return connection.send(Request.cmd(Command.PING)).<Void> mapEmpty().recover(failure -> {
            boolean refused = ErrorReply.of(failure).map(ErrorReply::isAuthenticationMissing).orElse(true);
            return refused ? Future.failedFuture(failure) : Future.succeededFuture();
        });
    }

    private void connected(Attempt current, Link link) {
        current.over = true;
        attempt = null;
        attemptTimeouts = 0;
        links.add(link);
        Consumer<Throwable> onEnd = cause -> context.runOnContext(now -> lost(link, cause));
        link.connection.endHandler(end -> onEnd.accept(new VertxException("closed by the server", true)));
        link.connection.exceptionHandler(onEnd::accept);
        if (trouble == null) {
            // The first thing that comes from a server is its handshake.
            silentTicks = 0;
        }
        if (outage != null) {
            probe(link);
            return;
        }
        announceReconnection();
        flush();
    }

    private void announceReconnection() {
        if (wasConnected) {
            listener.reconnected(this);
        }
        wasConnected = true;
    }

    private void attemptFailed(Attempt current, Throwable cause) {
        if (current.over) {
            return;
        }
        current.over = true;
        attempt = null;
        Optional<ErrorReply> refusal = ErrorReply.of(cause).filter(ErrorReply::refusesConnection);
        trouble = refusal.map(ErrorReply::explanation).orElseGet(() -> "cannot connect: " + Redacted.reason(cause)
                + " (quarkus.redis.hosts)");
        LOG.debugf("%s: %s", label, trouble);
        if (refusal.isPresent() && (outage == null || outage.passes)) {
            goAway(new Outage(label + " refuses the connection. " + trouble, Redacted.failure(cause), false));
        }
        listener.troubled(this);
        if (outage != null || !outbox.isEmpty()) {
            retry();
        }
    }

    // While the server is away: only what can write is back.
    private void probe(Link link) {
        Attempt current = new Attempt();
        attempt = current;
        current.abandon = () -> end(link, true);
        startTicking();
        link.connection.send(Request.cmd(Command.SET).arg(probeKey()).arg("1").arg("PX").arg(1_000)).onComplete(result -> {
            if (current.over) {
                return;
            }
            current.over = true;
            attempt = null;
            Optional<ErrorReply> error = result.failed() ? ErrorReply.of(result.cause()) : Optional.empty();
            boolean answered = result.succeeded()
                    || error.isPresent() && !error.get().isTransient() && !error.get().isAuthenticationMissing();
            if (answered) {
                back();
            } else {
                trouble = error.map(ErrorReply::explanation).orElseGet(() -> Redacted.reason(result.cause()));
                if (error.isEmpty() || error.get().is(ErrorReply.READONLY) || error.get().isAuthenticationMissing()) {
                    end(link, error.isPresent());
                    listener.troubled(this);
                }
                retry();
            }
        });
    }

    // Beside the keys of the bulkhead that was asked for last, so in the part of a cluster that this server has.
    private byte[] probeKey() {
        byte[] end = "probe".getBytes(StandardCharsets.UTF_8);
        byte[] key = Arrays.copyOf(keysOfProbe, keysOfProbe.length + end.length);
        System.arraycopy(end, 0, key, keysOfProbe.length, end.length);
        return key;
    }

    private void back() {
        outage = null;
        heard();
        LOG.infof("%s answers again, and bulkheads go by it", label);
        announceReconnection();
        listener.availabilityChanged(this);
        flush();
    }

    private void goAway(Outage begun) {
        boolean isNew = outage == null;
        outage = begun;
        LOG.warnf("%s. Until that is over, each bulkhead does what its on-outage says", begun.message());
        for (Link link : List.copyOf(links)) {
            end(link, true);
        }
        List<PendingCall<?>> calls = List.copyOf(pending);
        pending.clear();
        outbox = new Outbox();
        calls.forEach(call -> call.fail(failure(begun, call)));
        if (isNew) {
            gapMillis = 0;
            listener.availabilityChanged(this);
        }
    }

    private static StoreException failure(Outage outage, PendingCall<?> call) {
        return outage.passes ? new StoreAwayException(outage.message, call.mayHaveBeenCarriedOut(), outage.cause)
                : new StoreException(outage.message, call.mayHaveBeenCarriedOut(), outage.cause);
    }

    private void startTicking() {
        if (!ticking && !closed) {
            ticking = true;
            vertx.setTimer(tickMillis, timer -> tick());
        }
    }

    private void tick() {
        tick++;
        forgetEnded();
        if (attempt != null && ++attempt.ticks > attemptTicks()) {
            abandonAttempt();
        }
        if (outage == null && !pending.isEmpty()) {
            endSilentLinks();
            if (++silentTicks > TICKS_PER_TIMEOUT) {
                goAway(new Outage(label + " gives no answer for " + timeoutMillis
                        + " ms (quarkus.redis-bulkhead.command-timeout)"
                        + (trouble == null ? "" : "; last trouble: " + trouble),
                        null, true));
                connect();
            } else {
                giveUpOverdue();
            }
        }
        ticking = false;
        if (!pending.isEmpty() || attempt != null || outage != null) {
            startTicking();
        }
    }

    // One that was too short is followed by a longer one, for a machine that is slower than the command timeout.
    private long attemptTicks() {
        long longest = Math.max(timeoutMillis,
                Math.min(LONGEST_ATTEMPT_MILLIS, timeoutMillis << Math.min(attemptTimeouts, 12)));
        return longest / tickMillis;
    }

    private void abandonAttempt() {
        Attempt late = attempt;
        late.over = true;
        attempt = null;
        attemptTimeouts++;
        trouble = "it accepts connections and says nothing, or does not accept them";
        late.abandon.run();
        listener.troubled(this);
        retry();
    }

    // Where there are several connections, others may be answered while one is dead.
    private void endSilentLinks() {
        for (Link link : List.copyOf(links)) {
            if (!link.inFlight.isEmpty() && ++link.silentTicks > TICKS_PER_TIMEOUT && links.size() > 1) {
                lost(link, new StoreException("no answer for " + timeoutMillis + " ms", true, null));
            }
        }
    }

    private void giveUpOverdue() {
        for (PendingCall<?> call : pending) {
            long age = tick - call.beganTick;
            if (age <= TICKS_PER_TIMEOUT) {
                return;
            }
            if (call.retries > 0) {
                call.fail(new StoreAwayException(label + " has not carried out a command for " + timeoutMillis
                        + " ms (quarkus.redis-bulkhead.command-timeout); last trouble: " + trouble,
                        call.mayHaveBeenCarriedOut(),
                        null));
            } else if (age > (long) MOST_TIMEOUTS * TICKS_PER_TIMEOUT) {
                call.fail(new StoreException(label + " answers, but more slowly than calls come: this one was not answered for "
                        + MOST_TIMEOUTS * timeoutMillis + " ms", call.mayHaveBeenCarriedOut(), null));
            }
        }
    }

    private void forgetEnded() {
        while (!pending.isEmpty() && pending.peek().answer.isDone()) {
            pending.poll();
        }
    }

    /**
     * Ends this, because another node has taken over all that it had.
     *
     * @return the calls that are still to be answered
     */
    List<PendingCall<?>> retire() {
        closed = true;
        List<PendingCall<?>> left = pending.stream().filter(call -> !call.answer.isDone()).toList();
        closeAll();
        return left;
    }

    /** Gives up all calls and closes the connections. */
    void close() {
        closed = true;
        pending.forEach(call -> call.fail(RedisConnectionManager.stopping(call.mayHaveBeenCarriedOut())));
        closeAll();
    }

    private void closeAll() {
        pending.clear();
        outbox = new Outbox();
        List.copyOf(links).forEach(link -> end(link, true));
        if (attempt != null) {
            attempt.over = true;
            if (attempt.abandon != null) {
                attempt.abandon.run();
            }
            attempt = null;
        }
        idleClients.forEach(Redis::close);
        idleClients.clear();
    }

    @Override
    public String toString() {
        return label;
    }
}
