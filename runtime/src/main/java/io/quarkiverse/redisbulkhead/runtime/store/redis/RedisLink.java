package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxInternal;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;

/**
 * One connection to Redis, which carries up to so many calls at once, opens at the first of them, and again whenever it is
 * lost. Not the client's pool: its defaults refuse the thirty-first concurrent caller.
 * <p>
 * A call is answered, refused by Redis, or given up after the command timeout; it never hangs. One whose
 * connection breaks is sent again over the next connection, so every call must be safe to repeat. While no
 * connection is there, calls wait for the attempt to get one; when an attempt that began after a call came
 * fails, the call fails at once. Attempts are made with growing gaps, and a call that comes during a gap waits
 * for its end, so that the first call after Redis is back succeeds.
 * <p>
 * Safe for use by many threads. All work is done on an event loop context of the link's own, and so never waits for a
 * caller; whoever blocks until an answer comes may do so on any thread but an event loop.
 */
public final class RedisLink implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(RedisLink.class);

    private static final String STOPPING = "The application is stopping";
    private static final int MOST_TAKEN_IN = 1024;
    private static final int FIRST_GAP_MILLIS = 10;
    private static final int LONGEST_GAP_MILLIS = 200;

    private final Vertx vertx;
    private final Context context;
    private final Redis redis;
    private final long timeoutMillis;
    private final int maxInFlight;
    private final int maxAttempts;
    private final PoolShare share;
    private final CallDeadlines deadlines;
    private final RefusalLog refusals = new RefusalLog();

    private final Queue<PendingCall<?>> inbox = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean takingIn = new AtomicBoolean();

    // All of these are touched on the context only.
    private RedisSession session;
    private Attempt attempt;
    private int openAttempts;
    private List<PendingCall<?>> waiting = new ArrayList<>();
    private int gapMillis;
    private long answeredNanos = System.nanoTime();

    private volatile boolean closed;

    /** One try to get a connection. */
    private static final class Attempt {

        // Those who waited when it began; they fail with it. Those who come during it get a try of their own.
        private List<PendingCall<?>> early = List.of();
        private boolean counted;
    }

    /**
     * Creates the link; it connects at the first call.
     *
     * @param vertx where timers run
     * @param redis the client that connections come from; it stays the caller's
     * @param commandTimeout after what time a call is given up
     * @param maxInFlight how many calls may be unanswered at once; at most the client's
     *        {@code max-waiting-handlers}
     * @param maxAttempts how many connections may be opened at once, without those that are not waited for any longer
     * @param share how many connections there may be in all; others take of it too
     */
    public RedisLink(Vertx vertx, Redis redis, Duration commandTimeout, int maxInFlight, int maxAttempts, PoolShare share) {
        this.vertx = vertx;
        this.context = ((VertxInternal) vertx).createEventLoopContext();
        this.redis = redis;
        this.timeoutMillis = Math.max(1, commandTimeout.toMillis());
        this.maxInFlight = maxInFlight;
        this.maxAttempts = maxAttempts;
        this.share = share;
        this.deadlines = new CallDeadlines(vertx, commandTimeout, () -> answeredNanos, this::drop);
    }

    /**
     * Makes a call.
     *
     * @param call may be carried out more than once without harm
     * @param <T> what it is answered by
     * @return the answer; fails with {@link StoreException} when Redis refuses the call or gives no answer
     */
    public <T> CompletionStage<RedisAnswer<T>> send(RedisCall<T> call) {
        return send(call, Duration.ZERO);
    }

    /**
     * Makes a call for somebody who has waited before, and gets an answer so much earlier.
     *
     * @param what as in {@link #send(RedisCall)}
     * @param waited how much of the command timeout is over
     * @param <T> what it is answered by
     * @return as for {@link #send(RedisCall)}
     */
    public <T> CompletionStage<RedisAnswer<T>> send(RedisCall<T> what, Duration waited) {
        PendingCall<T> call = new PendingCall<>(what, System.nanoTime() - waited.toNanos());
        if (deadlines.isOver(waited)) {
            deadlines.giveUp(call);
            return call.answer;
        }
        if (closed) {
            call.fail(STOPPING, null);
            return call.answer;
        }
        inbox.add(call);
        takeInSoon();
        return call.answer;
    }

    // One task takes in what many callers bring, so that calls that come at once can go together.
    private void takeInSoon() {
        if (takingIn.compareAndSet(false, true)) {
            try {
                context.runOnContext(now -> takeIn());
            } catch (RuntimeException e) {
                // Vert.x has been closed.
                takingIn.set(false);
                for (PendingCall<?> call = inbox.poll(); call != null; call = inbox.poll()) {
                    call.fail(STOPPING, e);
                }
            }
        }
    }

    private void takeIn() {
        // First, so that who comes from now on is either seen below or starts another task.
        takingIn.set(false);
        PendingCall<?> call = inbox.poll();
        for (int taken = 1; call != null; taken++) {
            deadlines.watch(call);
            dispatch(call);
            // Others have work on this event loop as well.
            call = taken < MOST_TAKEN_IN ? inbox.poll() : null;
        }
        if (!inbox.isEmpty()) {
            takeInSoon();
        }
        flush();
    }

    private void flush() {
        if (session != null) {
            session.flush();
        }
    }

    private void dispatch(PendingCall<?> call) {
        if (closed) {
            call.fail(STOPPING, null);
        } else if (session != null) {
            session.add(call);
        } else {
            waiting.add(call);
            scheduleAttempt();
        }
    }

    private void scheduleAttempt() {
        if (attempt != null || openAttempts >= maxAttempts) {
            return;
        }
        Attempt next = new Attempt();
        attempt = next;
        if (gapMillis == 0) {
            connect(next);
        } else {
            vertx.setTimer(gapMillis, timer -> connect(next));
        }
    }

    private void connect(Attempt current) {
        if (closed || attempt != current) {
            return;
        }
        if (!share.take()) {
            tryLater(current);
            return;
        }
        current.early = waiting;
        waiting = new ArrayList<>();
        begin(current);
        // A server that accepts connections and then says nothing must not hold up the next attempt.
        long timer = vertx.setTimer(timeoutMillis,
                id -> connectFailed(current, new StoreException("Redis does not answer", false, null)));
        // Nor all later ones, when several are open for ever: the client knows no time-out for what it says first.
        long forgetting = vertx.setTimer(PoolShare.TIMEOUTS_UNTIL_FORGOTTEN * timeoutMillis, id -> {
            share.silent(Duration.ofMillis(PoolShare.TIMEOUTS_UNTIL_FORGOTTEN * timeoutMillis));
            forget(current);
        });
        open().onComplete(result -> context.runOnContext(now -> {
            vertx.cancelTimer(timer);
            vertx.cancelTimer(forgetting);
            forget(current);
            if (result.succeeded()) {
                share.heard();
                connected(result.result());
            } else {
                share.giveBack();
                connectFailed(current, result.cause());
            }
        }));
    }

    // Attempts of others, and those that were forgotten, have all connections. One of them has to end before.
    private void tryLater(Attempt current) {
        waiting.removeIf(call -> call.answer.isDone());
        if (waiting.isEmpty()) {
            attempt = null;
        } else {
            vertx.setTimer(LONGEST_GAP_MILLIS, timer -> connect(current));
        }
    }

    private void begin(Attempt begun) {
        begun.counted = true;
        openAttempts++;
    }

    // The attempt does not keep others from being made any more; its connection still counts in the share.
    private void forget(Attempt old) {
        if (old.counted) {
            old.counted = false;
            openAttempts--;
            if (session == null && !waiting.isEmpty()) {
                scheduleAttempt();
            }
        }
    }

    // A client that cannot work, for example because it is closed, throws.
    private Future<RedisConnection> open() {
        try {
            return redis.connect();
        } catch (RuntimeException e) {
            return Future.failedFuture(e);
        }
    }

    // Also for attempts that were given up: a connection that comes late is as good as any other.
    private void connected(RedisConnection connection) {
        RedisSession opened = new RedisSession(vertx, connection, maxInFlight, outcome, this::drop);
        if (closed || session != null) {
            opened.discard();
            share.giveBack();
            return;
        }
        session = opened;
        List<PendingCall<?>> ready = new ArrayList<>();
        if (attempt != null) {
            ready.addAll(attempt.early);
            attempt = null;
        }
        ready.addAll(waiting);
        waiting = new ArrayList<>();
        ready.forEach(this::dispatch);
        flush();
    }

    private void connectFailed(Attempt current, Throwable cause) {
        if (attempt == current) {
            attempt = null;
            gapMillis = longerGap();
            Throwable redacted = Redacted.failure(cause);
            String message = "Redis cannot be reached: " + Redacted.reason(cause);
            LOG.debug(message);
            current.early.forEach(call -> call.fail(message, redacted));
        }
        waiting.removeIf(call -> call.answer.isDone());
        if (session == null && !waiting.isEmpty()) {
            scheduleAttempt();
        }
    }

    private final RedisSession.Outcome outcome = new RedisSession.Outcome() {

        @Override
        public void answered() {
            noticeAnswer();
        }

        @Override
        public void refused(RedisSession over, PendingCall<?> call, ErrorReply refusal) {
            noticeAnswer();
            if (refusal.is(ErrorReply.READONLY)) {
                // A failover has made this server a replica: the next call looks for the new master.
                drop(over);
            }
            refusals.log(call.about(), refusal);
            call.refuse(refusal);
        }

        @Override
        public void broken(RedisSession over, PendingCall<?> call, Throwable cause) {
            LOG.debugf("Connection lost under a call: %s", Redacted.text(cause.getMessage()));
            drop(over);
            if (!call.answer.isDone()) {
                dispatch(call);
                flush();
            }
        }
    };

    private void noticeAnswer() {
        answeredNanos = System.nanoTime();
        gapMillis = 0;
    }

    // The client may tell of the end of a connection on a context of its own.
    private void drop(RedisSession lost) {
        if (Vertx.currentContext() != context) {
            context.runOnContext(now -> drop(lost));
            return;
        }
        if (session == lost) {
            session = null;
            gapMillis = longerGap();
            List<PendingCall<?>> unsent = lost.end();
            lost.discard();
            share.giveBack();
            unsent.forEach(this::dispatch);
            flush();
        }
    }

    private int longerGap() {
        return Math.min(LONGEST_GAP_MILLIS, Math.max(FIRST_GAP_MILLIS, gapMillis * 2));
    }

    /** Gives up all calls and closes the connection. The client stays open. */
    @Override
    public void close() {
        closed = true;
        context.runOnContext(now -> {
            RedisSession last = session;
            session = null;
            if (last != null) {
                last.end();
                last.close();
            }
            deadlines.giveUpAll(STOPPING);
        });
    }
}
