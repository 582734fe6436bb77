package io.quarkiverse.redisbulkhead.runtime.store.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
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
    private final long connectMillis;
    private final int maxInFlight;
    private final CommandDeadlines deadlines;
    private final RefusalLog refusals = new RefusalLog();

    // All of these are guarded by this.
    private RedisSession session;
    private Attempt attempt;
    private List<PendingCommand> waiting = new ArrayList<>();
    private int gapMillis;
    private boolean down;
    private boolean closed;

    /** One try to get a connection. */
    private static final class Attempt {

        // Those who waited when it began; they fail with it. Those who come during it get a try of their own.
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
        // A server that accepts connections and then says nothing must not hold up the next attempt for ever.
        this.connectMillis = Math.max(1, commandTimeout.toMillis() * CONNECT_TIMEOUTS);
        this.maxInFlight = maxInFlight;
        this.deadlines = new CommandDeadlines(vertx, commandTimeout, this::drop);
    }

    /**
     * Calls a script.
     *
     * @param call may be carried out more than once without harm
     * @return the answer; fails with {@link StoreException} when Redis refuses the call or gives no answer
     */
    CompletionStage<RedisAnswer> send(ScriptCall call) {
        PendingCommand command = deadlines.begin(call);
        dispatch(command);
        return command.answer;
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
        long timer = vertx.setTimer(connectMillis,
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
        List<PendingCommand> ready = new ArrayList<>();
        boolean tooLate;
        synchronized (this) {
            tooLate = current.over || closed;
            if (!tooLate) {
                current.over = true;
                attempt = null;
                session = opened;
                ready.addAll(current.early);
                ready.addAll(waiting);
                waiting = new ArrayList<>();
            }
        }
        if (tooLate) {
            opened.discard();
        }
        ready.stream().filter(command -> !command.answer.isDone()).forEach(opened::send);
    }

    private void connectFailed(Attempt current, Throwable cause) {
        boolean news;
        synchronized (this) {
            if (current.over || closed) {
                return;
            }
            current.over = true;
            attempt = null;
            gapMillis = longerGap();
            news = !down;
            down = true;
            if (!waiting.isEmpty()) {
                scheduleAttempt();
            }
        }
        if (news) {
            LOG.warnf("Redis cannot be reached: %s. Bulkheads reject calls until it is back", cause.getMessage());
        }
        current.early.forEach(command -> command.fail("Redis cannot be reached: " + cause.getMessage(), cause));
    }

    private final RedisSession.Outcome outcome = new RedisSession.Outcome() {

        @Override
        public void answered(PendingCommand command, Response response) {
            noticeAnswer();
            command.succeed(response);
        }

        @Override
        public void refused(RedisSession over, PendingCommand command, ErrorReply refusal) {
            noticeAnswer();
            if (refusal.is("NOSCRIPT") && command.useText()) {
                dispatch(command);
                return;
            }
            if (refusal.is("READONLY")) {
                // A failover has made this server a replica: the next command looks for the new master.
                drop(over);
            }
            refusals.log(command.firstKey(), refusal);
            command.refuse(refusal);
        }

        @Override
        public void broken(RedisSession over, PendingCommand command, Throwable cause) {
            LOG.debugf("Connection lost under a command: %s", cause.getMessage());
            drop(over);
            if (!command.answer.isDone()) {
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
        deadlines.giveUpAll("The application is stopping");
    }
}
