package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.NoticesMissed;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/**
 * Hears what becomes of the permits and waiters of this process: one channel, and one connection that is subscribed to it, for
 * all
 * bulkheads. The connection is opened when a call waits, or a permit is renewed, for the first time. When it is lost, another
 * one is
 * opened, and as messages may have been lost meanwhile, {@link NoticesMissed} follows.
 * <p>
 * A connection can go deaf without an error, for example in a firewall. So the process publishes messages to itself: every
 * second
 * while calls wait, and else every 15 seconds. A subscription that does not hear them is replaced.
 * <p>
 * Safe for use by many threads; the work is done on the context of the {@link RedisConnectionManager}.
 */
public final class NotificationSubscriber implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(NotificationSubscriber.class);

    private static final String CHECK = "check ";
    private static final int FIRST_GAP_MILLIS = 20;
    private static final int LONGEST_GAP_MILLIS = 2_000;
    private static final long LONGEST_ATTEMPT_MILLIS = 5_000;
    private static final long CHECK_MILLIS = 1_000;
    private static final long IDLE_CHECK_MILLIS = 15_000;

    private final RedisConnectionManager connections;
    private final Vertx vertx;
    private final Context context;
    private final String name;
    private final long timeoutMillis;
    private final AtomicBoolean wanted = new AtomicBoolean();
    private final AtomicBoolean checkRequested = new AtomicBoolean();
    private volatile Consumer<Notice> listener = notice -> {
    };
    private volatile boolean closed;

    // All of these are touched on the context only.
    private Subscription current;
    private int gapMillis;
    private int unconfirmed;
    private long lastCheckNanos;
    private boolean subscribeRefused;
    private boolean publishRefused;
    private boolean strangeMessage;

    /** A connection from the attempt to open it until it is given up. */
    private static final class Subscription {
        private final Redis client;
        private RedisConnection connection;
        private boolean confirmed;
        private boolean over;
        private int checks;
        private boolean checking;
        private boolean heard;

        private Subscription(Redis client) {
            this.client = client;
        }
    }

    /**
     * Opens nothing yet.
     *
     * @param connections where connections come from and how messages to itself are sent
     * @param keyPrefix what the name of the channel starts with, as those of the keys do
     * @param timeoutMillis after what time a subscription, or a message to itself, is given up
     */
    public NotificationSubscriber(RedisConnectionManager connections, String keyPrefix, long timeoutMillis) {
        this.connections = connections;
        this.vertx = connections.vertx();
        this.context = connections.context();
        this.name = keyPrefix + ":mailbox:" + UUID.randomUUID();
        this.timeoutMillis = Math.max(1, timeoutMillis);
        connections.listen(new RedisConnectionManager.Listener() {

            @Override
            public void availabilityChanged() {
                tell(new NoticesMissed());
            }

            @Override
            public void reconnected() {
                tell(new Notice.Reconnected());
            }
        });
    }

    /** The name of the channel, which is also that of the process in Redis. */
    public String name() {
        return name;
    }

    /**
     * Sends all notices to a listener from now on.
     *
     * @param newListener called on any thread; what it throws is logged
     */
    public void listen(Consumer<Notice> newListener) {
        listener = newListener;
    }

    /**
     * Passes on a notice that an answer contained. Never throws.
     *
     * @param notice what the listener is told
     */
    public void tell(Notice notice) {
        try {
            listener.accept(notice);
        } catch (RuntimeException e) {
            LOG.errorf(e, "A notice was not dealt with: %s", notice);
        }
    }

    /** Subscribes, unless that has been done. */
    public void open() {
        if (!wanted.get() && wanted.compareAndSet(false, true)) {
            onContext(this::connect);
        }
    }

    /**
     * Finds out whether the subscription still hears. Calls within a second of the last check do nothing.
     *
     * @param atOnce whether there is a reason to doubt it, so that the last check does not count
     */
    public void check(boolean atOnce) {
        if (atOnce || !checkRequested.get() && checkRequested.compareAndSet(false, true)) {
            onContext(() -> {
                checkRequested.set(false);
                if (current != null && current.confirmed
                        && (atOnce || System.nanoTime() - lastCheckNanos >= CHECK_MILLIS * 900_000)) {
                    check(current);
                }
            });
        }
    }

    private void onContext(Runnable task) {
        context.runOnContext(now -> task.run());
    }

    private void connect() {
        if (closed || current != null) {
            return;
        }
        Future<RedisConnection> opening;
        Subscription subscription;
        try {
            subscription = new Subscription(connections.newClientForMessages());
            opening = subscription.client.connect();
        } catch (RuntimeException e) {
            LOG.debug("No client for messages could be made", e);
            again();
            return;
        }
        current = subscription;
        // One that was too short is followed by a longer one, for a machine that is slower than the command timeout.
        vertx.setTimer(Math.max(timeoutMillis, Math.min(LONGEST_ATTEMPT_MILLIS, timeoutMillis << Math.min(unconfirmed, 12))),
                timer -> {
                    if (!subscription.confirmed) {
                        unconfirmed++;
                        replace(subscription, "no answer");
                    }
                });
        opening.onComplete(result -> {
            if (result.failed()) {
                replace(subscription, Redacted.reason(result.cause()));
            } else if (!subscription.over) {
                subscribe(subscription, result.result());
            }
        });
    }

    private void subscribe(Subscription subscription, RedisConnection connection) {
        subscription.connection = connection;
        connection.handler(message -> onContext(() -> receive(subscription, message)));
        connection.endHandler(end -> onContext(() -> replace(subscription, "the connection was lost")));
        connection.exceptionHandler(failure -> onContext(() -> replace(subscription, Redacted.reason(failure))));
        // Succeeds when it is written; the server confirms it, or refuses it, by a message.
        connection.send(Request.cmd(Command.SUBSCRIBE).arg(name))
                .onFailure(failure -> onContext(() -> replace(subscription, Redacted.reason(failure))));
    }

    private void confirmed(Subscription subscription) {
        if (subscription.over || subscription.confirmed) {
            return;
        }
        subscription.confirmed = true;
        unconfirmed = 0;
        gapMillis = 0;
        LOG.debugf("Subscribed to %s", name);
        tell(new NoticesMissed());
        // Shows also whether this process may publish.
        check(subscription);
        checkNowAndThen(subscription);
    }

    private void checkNowAndThen(Subscription subscription) {
        vertx.setTimer(IDLE_CHECK_MILLIS, timer -> {
            if (!subscription.over) {
                check(subscription);
                checkNowAndThen(subscription);
            }
        });
    }

    private void check(Subscription subscription) {
        if (subscription.checking || subscription.over) {
            return;
        }
        lastCheckNanos = System.nanoTime();
        subscription.checking = true;
        subscription.heard = false;
        String message = CHECK + ++subscription.checks;
        connections.send(new Publish(name, message)).whenComplete((answer, failure) -> onContext(() -> {
            if (failure == null) {
                replaceUnlessHeard(subscription);
            } else if (Failures.cause(failure) instanceof RefusedException refused && refused.reply().is("NOPERM")) {
                mayNotPublish(refused);
                ping(subscription);
            } else {
                // Redis is away, which is no matter of this connection.
                subscription.checking = false;
            }
        }));
    }

    // A timer that fires late lets the event loop read first.
    private void replaceUnlessHeard(Subscription subscription) {
        vertx.setTimer(timeoutMillis, timer -> vertx.setTimer(1, later -> {
            subscription.checking = false;
            if (!subscription.heard) {
                replace(subscription, "messages do not arrive");
            }
        }));
    }

    // With RESP2 the client takes a message for the answer, when one comes first.
    private void ping(Subscription subscription) {
        subscription.connection.send(Request.cmd(Command.PING)).onSuccess(answer -> onContext(() -> {
            subscription.heard = true;
            receive(subscription, answer);
        }));
        replaceUnlessHeard(subscription);
    }

    // What this process may not, others with the same user may not either; and the scripts do not report it.
    private void mayNotPublish(RefusedException refused) {
        if (!publishRefused) {
            publishRefused = true;
            LOG.warnf("Redis refuses messages to %s: %s. Waiting calls are not told of permits that become free, and look for "
                    + "themselves, which takes up to a second longer. The Redis user needs the command PUBLISH and the channels "
                    + "under quarkus.redis-bulkhead.key-prefix", name, refused.reply().text());
        }
    }

    private void receive(Subscription subscription, Response message) {
        if (subscription.over || message == null) {
            return;
        }
        subscription.heard = true;
        if (message.type() == ResponseType.ERROR) {
            subscribeRefused(subscription, Redacted.text(message.toString()));
        } else if (isAbout("subscribe", message)) {
            confirmed(subscription);
        } else if (isAbout("message", message)) {
            read(message.get(2).toString());
        }
    }

    private static boolean isAbout(String kind, Response message) {
        return (message.type() == ResponseType.PUSH || message.type() == ResponseType.MULTI) && message.size() == 3
                && kind.equals(message.get(0).toString());
    }

    private void subscribeRefused(Subscription subscription, String reason) {
        if (!subscribeRefused) {
            subscribeRefused = true;
            LOG.warnf("Redis refuses the subscription to %s: %s. Waiting calls look for themselves, which takes up to a second "
                    + "longer. The Redis user needs the command SUBSCRIBE and the channels under "
                    + "quarkus.redis-bulkhead.key-prefix", name, reason);
        }
        replace(subscription, reason);
    }

    private void read(String message) {
        if (!message.startsWith(CHECK)) {
            Messages.read(message).ifPresentOrElse(this::tell, () -> notUnderstood(message));
        }
    }

    // Without its text, which may come from anybody, and once, because there may be many.
    private void notUnderstood(String message) {
        if (!strangeMessage) {
            strangeMessage = true;
            LOG.warnf(
                    "A message of %d characters on %s is not understood and is ignored; further ones are ignored silently. Only "
                            + "applications with this extension should be allowed to PUBLISH to the channels under "
                            + "quarkus.redis-bulkhead.key-prefix",
                    message.length(), name);
        }
    }

    private void replace(Subscription subscription, String reason) {
        if (subscription.over) {
            return;
        }
        end(subscription);
        if (!closed) {
            LOG.debugf("No subscription to %s: %s. Waiting calls look for themselves meanwhile", name, reason);
            again();
        }
    }

    private void end(Subscription subscription) {
        subscription.over = true;
        if (current == subscription) {
            current = null;
        }
        subscription.client.close();
    }

    private void again() {
        gapMillis = Math.min(LONGEST_GAP_MILLIS, Math.max(FIRST_GAP_MILLIS, gapMillis * 2));
        vertx.setTimer(gapMillis, timer -> connect());
    }

    private record Publish(String channel, String message) implements RedisCall<Response> {

        @Override
        public Future<Response> over(RedisConnection connection) {
            return connection.send(Request.cmd(Command.PUBLISH).arg(channel).arg(message));
        }

        @Override
        public String about() {
            return channel;
        }
    }

    /** Ends the subscription. */
    @Override
    public void close() {
        closed = true;
        onContext(() -> {
            if (current != null) {
                end(current);
            }
        });
    }
}
