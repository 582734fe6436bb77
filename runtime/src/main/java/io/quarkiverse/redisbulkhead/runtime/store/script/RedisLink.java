package io.quarkiverse.redisbulkhead.runtime.store.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * One pipelined connection to Redis that opens at the first command and again whenever it is lost. Not the client's pool: its
 * defaults refuse the thirty-first concurrent caller.
 * <p>
 * A command is answered, refused by Redis, or given up after the command timeout; it never hangs. One whose connection breaks
 * is
 * sent again over the next connection, so every command must be safe to repeat. While no connection is there, commands wait for
 * the attempt to get one; when an attempt that began after a command came fails, the command fails at once. Attempts are made
 * one
 * at a time and with growing gaps, and a command that comes during a gap waits for its end, so that the first command after
 * Redis is back succeeds.
 * <p>
 * Safe for use by many threads.
 */
public final class RedisLink implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(RedisLink.class);

    private static final int FIRST_GAP_MILLIS = 10;
    private static final int LONGEST_GAP_MILLIS = 200;
    private static final int CONNECT_TIMEOUTS = 5;

    private final Vertx vertx;
    private final Redis redis;
    private final long timeoutNanos;
    private final int maxInFlight;
    private final ConcurrentLinkedQueue<PendingCommand> unanswered = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private final long sweepMillis;

    // All of these are guarded by this.
    private RedisSession session;
    private Attempt attempt;
    private List<PendingCommand> waiting = new ArrayList<>();
    private int gapMillis;
    private boolean down;
    private boolean closed;

    /** One try to get a connection. {@code begun} separates those who waited before it from those who came during it. */
    private final class Attempt {
        private List<PendingCommand> early;
        private boolean over;
    }

    /**
     * Creates the link; it connects at the first command.
     *
     * @param vertx where timers run
     * @param redis the client that connections come from; it stays the caller's
     * @param commandTimeout after what time a command is given up
     * @param maxInFlight how many commands may be unanswered at once; less than the client's {@code max-waiting-handlers}
     */
    public RedisLink(Vertx vertx, Redis redis, Duration commandTimeout, int maxInFlight) {
        this.vertx = vertx;
        this.redis = redis;
        this.timeoutNanos = commandTimeout.toNanos();
        this.maxInFlight = maxInFlight;
        this.sweepMillis = Math.max(1, Math.min(50, commandTimeout.toMillis() / 20));
    }

    /**
     * Sends a command.
     *
     * @param request a command that may be carried out more than once without harm
     * @return the reply; fails with {@link RedisReplyException} when Redis refuses it and with {@link StoreException} otherwise
     */
    CompletionStage<Response> send(Request request) {
        PendingCommand command = new PendingCommand(request, System.nanoTime() + timeoutNanos);
        unanswered.add(command);
        command.reply.whenComplete((reply, failure) -> unanswered.remove(command));
        sweepLater();
        dispatch(command);
        return command.reply;
    }

    private void dispatch(PendingCommand command) {
        RedisSession current;
        synchronized (this) {
            if (closed) {
                command.fail("The application is stopping", null);
                return;
            }
            current = session;
            if (current == null) {
                waiting.add(command);
                if (attempt == null) {
                    scheduleAttempt();
                }
            }
        }
        if (current != null) {
            current.send(command);
        }
    }

    // Called with the lock held.
    private void scheduleAttempt() {
        Attempt next = new Attempt();
        attempt = next;
        if (gapMillis == 0) {
            vertx.runOnContext(now -> connect(next));
        } else {
            vertx.setTimer(gapMillis, timer -> connect(next));
        }
    }

    private void connect(Attempt current) {
        synchronized (this) {
            if (closed) {
                return;
            }
            current.early = waiting;
            waiting = new ArrayList<>();
        }
        // A server that accepts connections and then says nothing must not hold up the next attempt for ever.
        long patience = Math.max(1, TimeUnit.NANOSECONDS.toMillis(timeoutNanos) * CONNECT_TIMEOUTS);
        long timer = vertx.setTimer(patience,
                id -> connectFailed(current, new StoreException("Redis does not answer", false, null)));
        redis.connect().onComplete(result -> {
            vertx.cancelTimer(timer);
            if (result.succeeded()) {
                connected(current, result.result());
            } else {
                connectFailed(current, result.cause());
            }
        });
    }

    private void connected(Attempt current, RedisConnection connection) {
        RedisSession opened = new RedisSession(vertx, connection, maxInFlight, outcome, this::drop);
        List<PendingCommand> ready;
        synchronized (this) {
            if (current.over || closed) {
                opened.discard();
                return;
            }
            current.over = true;
            attempt = null;
            session = opened;
            ready = new ArrayList<>(current.early);
            ready.addAll(waiting);
            waiting = new ArrayList<>();
        }
        ready.stream().filter(command -> !command.reply.isDone()).forEach(opened::send);
    }

    private void connectFailed(Attempt current, Throwable cause) {
        synchronized (this) {
            if (current.over || closed) {
                return;
            }
            current.over = true;
            attempt = null;
            gapMillis = longerGap();
            if (!down) {
                down = true;
                LOG.warnf("Redis cannot be reached: %s. Bulkheads reject calls until it is back", cause.getMessage());
            }
            if (!waiting.isEmpty()) {
                scheduleAttempt();
            }
        }
        current.early.forEach(command -> command.fail("Redis cannot be reached: " + cause.getMessage(), cause));
    }

    private final RedisSession.Outcome outcome = new RedisSession.Outcome() {

        @Override
        public void answered(PendingCommand command, Response reply) {
            noticeAnswer();
            command.reply.complete(reply);
        }

        @Override
        public void refused(RedisSession over, PendingCommand command, RedisReplyException refusal) {
            noticeAnswer();
            if (refusal.getMessage().contains("READONLY")) {
                // A failover has made this server a replica: the next command looks for the new master.
                drop(over);
            }
            command.reply.completeExceptionally(refusal);
        }

        @Override
        public void broken(RedisSession over, PendingCommand command, Throwable cause) {
            LOG.debugf("Connection lost under a command: %s", cause.getMessage());
            drop(over);
            if (!command.reply.isDone()) {
                dispatch(command);
            }
        }
    };

    private void noticeAnswer() {
        synchronized (this) {
            gapMillis = 0;
            if (!down) {
                return;
            }
            down = false;
        }
        LOG.info("Redis answers again");
    }

    private void drop(RedisSession lost) {
        synchronized (this) {
            if (session != lost) {
                return;
            }
            session = null;
            gapMillis = longerGap();
        }
        lost.discard();
    }

    // Called with the lock held.
    private int longerGap() {
        return Math.min(LONGEST_GAP_MILLIS, Math.max(FIRST_GAP_MILLIS, gapMillis * 2));
    }

    private void sweepLater() {
        if (!sweeping.get() && sweeping.compareAndSet(false, true)) {
            vertx.setTimer(sweepMillis, timer -> {
                giveUpExpired();
                sweeping.set(false);
                // Whoever came between the last look and the line above saw a sweep that had already ended.
                if (!unanswered.isEmpty()) {
                    sweepLater();
                }
            });
        }
    }

    // Commands are in the order of their deadlines, because all have the same timeout.
    private void giveUpExpired() {
        long now = System.nanoTime();
        for (PendingCommand oldest = unanswered.peek(); oldest != null && oldest.isExpired(now); oldest = unanswered.peek()) {
            unanswered.remove(oldest);
            boolean gaveUp = oldest.fail("Redis did not answer within quarkus.redis-bulkhead.command-timeout ("
                    + TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms)", null);
            RedisSession silent = oldest.sentOver();
            if (gaveUp && silent != null) {
                drop(silent);
            }
        }
    }

    /** Gives up all commands and closes the connection. The client stays open. */
    @Override
    public void close() {
        RedisSession last;
        synchronized (this) {
            closed = true;
            last = session;
            session = null;
        }
        if (last != null) {
            last.close();
        }
        unanswered.forEach(command -> command.fail("The application is stopping", null));
    }
}
