package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.NoticesMissed;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxInternal;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/**
 * Where this process is told what has become of its permits and waiters: one channel, and one connection that is
 * subscribed to it, for all bulkheads. The connection is opened when somebody waits, or a permit is renewed, for the first
 * time; when it is lost, another one is opened, and as messages may have been lost meanwhile, {@link NoticesMissed}
 * follows. A connection is tried now and then, because firewalls forget idle ones and tell nobody.
 * <p>
 * Safe for use by many threads; the work is done on an event loop context of its own.
 */
public final class Mailbox implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(Mailbox.class);

    private static final int FIRST_GAP_MILLIS = 20;
    private static final int LONGEST_GAP_MILLIS = 2_000;
    private static final long TRY_MILLIS = 15_000;

    // Without those that are not waited for any longer.
    private static final int MOST_OPEN_ATTEMPTS = 1;

    private final Vertx vertx;
    private final Context context;
    private final Redis redis;
    private final String name;
    private final long timeoutMillis;
    private final long tryMillis;
    private final PoolShare share;
    private volatile Consumer<Notice> listener = notice -> {
    };
    private final AtomicBoolean wanted = new AtomicBoolean();
    private final AtomicBoolean strangeMessage = new AtomicBoolean();
    private final AtomicBoolean publishRefused = new AtomicBoolean();
    private volatile boolean closed;

    // All of these are touched on the context only.
    private RedisConnection current;
    private int gapMillis;
    private boolean refused;
    private int openAttempts;

    /**
     * Creates the mailbox; nothing is opened yet.
     *
     * @param vertx where timers run
     * @param redis the client that connections come from; it stays the caller's
     * @param keyPrefix what the name of the channel starts with, as those of the keys do
     * @param timeoutMillis after what time an attempt to subscribe is given up
     * @param share how many connections there may be in all; others take of it too
     */
    public Mailbox(Vertx vertx, Redis redis, String keyPrefix, long timeoutMillis, PoolShare share) {
        this(vertx, redis, keyPrefix, timeoutMillis, TRY_MILLIS, share);
    }

    Mailbox(Vertx vertx, Redis redis, String keyPrefix, long timeoutMillis, long tryMillis, PoolShare share) {
        this.tryMillis = tryMillis;
        this.share = share;
        this.vertx = vertx;
        this.context = ((VertxInternal) vertx).createEventLoopContext();
        this.redis = redis;
        this.name = keyPrefix + ":mailbox:" + UUID.randomUUID();
        this.timeoutMillis = Math.max(1, timeoutMillis);
    }

    /** The name of the channel. */
    public String name() {
        return name;
    }

    /**
     * Who is told from now on what {@link #tell} is given, and what messages tell.
     *
     * @param newListener called on any thread; what it throws is logged
     */
    public void listen(Consumer<Notice> newListener) {
        listener = newListener;
    }

    /**
     * Tells what was not found in a message, but in an answer. Never throws.
     *
     * @param notice what there is to tell
     */
    public void tell(Notice notice) {
        try {
            listener.accept(notice);
        } catch (RuntimeException e) {
            LOG.errorf(e, "A notice was not dealt with: %s", notice);
        }
    }

    /** Opens the connection, unless that has been done. */
    public void open() {
        if (!wanted.get() && wanted.compareAndSet(false, true)) {
            context.runOnContext(now -> connect());
        }
    }

    private void connect() {
        if (closed || current != null) {
            return;
        }
        if (openAttempts >= MOST_OPEN_ATTEMPTS || !share.take()) {
            again();
            return;
        }
        Attempt attempt = new Attempt();
        openAttempts++;
        attempt.timer = vertx.setTimer(timeoutMillis, id -> failed(attempt, "no answer"));
        long forgetting = vertx.setTimer(PoolShare.TIMEOUTS_UNTIL_FORGOTTEN * timeoutMillis,
                id -> context.runOnContext(late -> {
                    if (!attempt.forgotten) {
                        share.silent(Duration.ofMillis(PoolShare.TIMEOUTS_UNTIL_FORGOTTEN * timeoutMillis));
                        forget(attempt);
                    }
                }));
        connection().onComplete(result -> context.runOnContext(now -> {
            vertx.cancelTimer(forgetting);
            forget(attempt);
            if (result.succeeded()) {
                share.heard();
            }
            if (result.failed()) {
                share.giveBack();
                failed(attempt, Redacted.reason(result.cause()));
            } else if (attempt.over || closed) {
                discard(result.result());
            } else {
                subscribe(attempt, result.result());
            }
        }));
    }

    /** One try to get a subscription. */
    private static final class Attempt {

        private long timer;
        private boolean over;
        private boolean forgotten;
        private RedisConnection connection;
        // Whether anything has come since the last try. With RESP3 the client forgets whom to answer when a message comes first.
        private volatile boolean heard;
    }

    // The attempt does not keep others from being made any more; its connection still counts in the share.
    private void forget(Attempt old) {
        if (!old.forgotten) {
            old.forgotten = true;
            openAttempts--;
        }
    }

    private Future<RedisConnection> connection() {
        try {
            return redis.connect();
        } catch (RuntimeException e) {
            return Future.failedFuture(e);
        }
    }

    private void subscribe(Attempt attempt, RedisConnection connection) {
        attempt.connection = connection;
        connection.handler(message -> receive(attempt, message));
        connection.endHandler(end -> context.runOnContext(now -> lost(attempt, connection)));
        connection.exceptionHandler(failure -> context.runOnContext(now -> lost(attempt, connection)));
        // To nobody, and before the subscription, after which some servers take no other commands.
        connection.send(Request.cmd(Command.PUBLISH).arg(name + ":rights").arg("")).onFailure(this::mayNotPublish);
        // Succeeds when it is written; the server confirms it, or refuses it, by a message.
        connection.send(Request.cmd(Command.SUBSCRIBE).arg(name))
                .onFailure(failure -> context.runOnContext(now -> failed(attempt, Redacted.reason(failure))));
    }

    // What this process may not, the others with the same user may not either; and the stores do not hear of it when they tell.
    private void mayNotPublish(Throwable failure) {
        if (ErrorReply.of(failure).filter(reply -> reply.is("NOPERM")).isPresent() && !publishRefused.getAndSet(true)) {
            LOG.warnf("Redis refuses messages to %s: %s. Permits that are given back here are not told of, so calls that wait "
                    + "for them look for themselves, which takes up to a few seconds longer. The Redis user needs the command "
                    + "PUBLISH and the channels under quarkus.redis-bulkhead.key-prefix", name,
                    Redacted.text(failure.getMessage()));
        }
    }

    private void subscribed(Attempt attempt) {
        if (attempt.over) {
            return;
        }
        attempt.over = true;
        vertx.cancelTimer(attempt.timer);
        current = attempt.connection;
        gapMillis = 0;
        LOG.debugf("Subscribed to %s", name);
        tell(new NoticesMissed());
        tryLater(attempt);
    }

    private void tryLater(Attempt attempt) {
        vertx.setTimer(tryMillis, timer -> context.runOnContext(now -> {
            RedisConnection connection = attempt.connection;
            if (current != connection || closed) {
                return;
            }
            attempt.heard = false;
            long silence = vertx.setTimer(timeoutMillis, id -> context.runOnContext(late -> {
                if (attempt.heard) {
                    tryLater(attempt);
                } else {
                    lost(attempt, connection);
                }
            }));
            connection.send(Request.cmd(Command.PING)).onComplete(answer -> context.runOnContext(then -> {
                if (!vertx.cancelTimer(silence)) {
                    return;
                }
                if (answer.succeeded()) {
                    // With RESP2 the client takes a message for the answer, when it comes first.
                    receive(attempt, answer.result());
                    tryLater(attempt);
                } else {
                    lost(attempt, connection);
                }
            }));
        }));
    }

    private void failed(Attempt attempt, String reason) {
        if (attempt.over) {
            return;
        }
        attempt.over = true;
        vertx.cancelTimer(attempt.timer);
        LOG.debugf("Cannot subscribe to %s: %s. Waiters look for themselves meanwhile", name, reason);
        if (attempt.connection != null) {
            discard(attempt.connection);
        }
        again();
    }

    private void refused(Attempt attempt, String reason) {
        if (!refused) {
            refused = true;
            LOG.warnf("Redis refuses the subscription to %s: %s. Waiters look for themselves, which takes them up to a few "
                    + "seconds longer. The Redis user needs the command SUBSCRIBE and the channels under "
                    + "quarkus.redis-bulkhead.key-prefix", name, reason);
        }
        failed(attempt, reason);
    }

    private void lost(Attempt attempt, RedisConnection connection) {
        if (!attempt.over) {
            failed(attempt, "the connection was lost");
        } else if (current == connection) {
            current = null;
            discard(connection);
            again();
        }
    }

    private void again() {
        if (!closed) {
            gapMillis = Math.min(LONGEST_GAP_MILLIS, Math.max(FIRST_GAP_MILLIS, gapMillis * 2));
            vertx.setTimer(gapMillis, timer -> context.runOnContext(now -> connect()));
        }
    }

    private void receive(Attempt attempt, Response message) {
        attempt.heard = true;
        if (message == null) {
            return;
        }
        if (message.type() == ResponseType.ERROR) {
            context.runOnContext(now -> refused(attempt, Redacted.text(message.toString())));
        } else if (isAbout("subscribe", message)) {
            context.runOnContext(now -> subscribed(attempt));
        } else if (isAbout("message", message)) {
            read(message.get(2).toString());
        }
    }

    private static boolean isAbout(String kind, Response message) {
        return (message.type() == ResponseType.PUSH || message.type() == ResponseType.MULTI) && message.size() == 3
                && kind.equals(message.get(0).toString());
    }

    private void read(String message) {
        Messages.read(message).ifPresentOrElse(this::tell, () -> notUnderstood(message));
    }

    // Without its text, which may come from anybody, and once, because there may be many.
    private void notUnderstood(String message) {
        if (!strangeMessage.getAndSet(true)) {
            LOG.warnf("A message of %d characters on %s is not understood; it is left aside, and so are further ones, without"
                    + " another word. Only applications with this extension should be allowed to PUBLISH to the channels under"
                    + " quarkus.redis-bulkhead.key-prefix", message.length(), name);
        }
    }

    private void discard(RedisConnection connection) {
        connection.handler(null);
        connection.endHandler(null);
        connection.exceptionHandler(null);
        // Closing really closes it, and does not put it back into the pool, because the subscription has tainted it.
        connection.close();
        share.giveBack();
    }

    /** Closes the connection. The client stays open. */
    @Override
    public void close() {
        closed = true;
        context.runOnContext(now -> {
            if (current != null) {
                discard(current);
                current = null;
            }
        });
    }
}
