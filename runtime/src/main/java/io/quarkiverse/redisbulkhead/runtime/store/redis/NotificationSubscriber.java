package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.Backoff;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.HandOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.HandedOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.NoticesMissed;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.PermitFree;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.Revoked;
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
 * Receives messages about the permits and waiters of this process, on one channel over one connection for all bulkheads.
 * Opened when a call waits or a permit is renewed for the first time. After a reconnect, {@link NoticesMissed} makes waiters
 * poll.
 * <p>
 * A half-open connection delivers nothing and reports no error. So the process publishes messages to itself, every second
 * while calls wait and every 15 seconds otherwise, and replaces a subscription that does not deliver them.
 * <p>
 * Thread-safe. Works on the context of the {@link RedisConnectionManager}.
 */
public final class NotificationSubscriber implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(NotificationSubscriber.class);

    private static final String CHECK = "check ";
    private static final String HANDED_OVER = "handed-over";
    private static final String FREE = "free";
    private static final String REVOKED = "revoked";
    private static final int MOST_WORDS = 4;
    private static final long SHORTEST_ATTEMPT_MILLIS = 1_000;
    private static final long LONGEST_ATTEMPT_MILLIS = 5_000;
    // A message to itself takes longer than a reply, but waiters must not wait for long when it does not come.
    private static final long SHORTEST_DELIVERY_MILLIS = 250;
    private static final long LONGEST_DELIVERY_MILLIS = 1_500;
    private static final long CHECK_MILLIS = 1_000;
    private static final long IDLE_CHECK_MILLIS = 15_000;

    private final RedisConnectionManager connections;
    private final Vertx vertx;
    private final Context context;
    private final String name;
    private final long attemptMillis;
    private final long deliveryMillis;
    private final AtomicBoolean wanted = new AtomicBoolean();
    private final AtomicBoolean checkRequested = new AtomicBoolean();
    private volatile Consumer<Notice> listener = notice -> {
    };
    private volatile boolean closed;

    // All of these are touched on the context only.
    private Subscription current;
    private final Backoff gaps = new Backoff(Duration.ofMillis(20), Duration.ofSeconds(2));
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
        private boolean received;

        private Subscription(Redis client) {
            this.client = client;
        }
    }

    /**
     * Opens nothing yet.
     *
     * @param connections where connections come from and how messages to itself are sent
     * @param timeoutMillis about how long a subscription, or a message to itself, may take
     */
    public NotificationSubscriber(RedisConnectionManager connections, long timeoutMillis) {
        this.connections = connections;
        this.vertx = connections.vertx();
        this.context = connections.context();
        this.name = connections.keyPrefix() + ":mailbox:" + UUID.randomUUID();
        this.attemptMillis = Math.min(LONGEST_ATTEMPT_MILLIS, Math.max(SHORTEST_ATTEMPT_MILLIS, timeoutMillis));
        this.deliveryMillis = Math.min(LONGEST_DELIVERY_MILLIS, Math.max(SHORTEST_DELIVERY_MILLIS, timeoutMillis));
        connections.listen(this::notifyListener);
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
     * @param notice the notice
     */
    public void notifyListener(Notice notice) {
        try {
            listener.accept(notice);
        } catch (RuntimeException e) {
            LOG.errorf(e, "Failed to process notice %s", notice);
        }
    }

    /** Subscribes, unless that has been done. */
    public void open() {
        if (!wanted.get() && wanted.compareAndSet(false, true)) {
            onContext(this::connect);
        }
    }

    /**
     * Checks that the subscription still delivers messages. Calls within a second of the last check do nothing.
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
            LOG.debug("Failed to create a client for messages", e);
            reconnectLater();
            return;
        }
        current = subscription;
        // Each attempt may take twice as long as the last, for machines that are slower than the command timeout.
        vertx.setTimer(Math.min(LONGEST_ATTEMPT_MILLIS, attemptMillis << Math.min(unconfirmed, 12)), timer -> {
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
        gaps.reset();
        LOG.debugf("Subscribed to %s", name);
        notifyListener(new NoticesMissed());
        // Shows also whether this process may publish.
        check(subscription);
        scheduleIdleCheck(subscription);
    }

    private void scheduleIdleCheck(Subscription subscription) {
        vertx.setTimer(IDLE_CHECK_MILLIS, timer -> {
            if (!subscription.over) {
                check(subscription);
                scheduleIdleCheck(subscription);
            }
        });
    }

    private void check(Subscription subscription) {
        if (subscription.checking || subscription.over) {
            return;
        }
        lastCheckNanos = System.nanoTime();
        subscription.checking = true;
        subscription.received = false;
        connections.send(publish(CHECK + ++subscription.checks)).whenComplete((receivers, failure) -> onContext(() -> {
            if (failure == null) {
                replaceUnlessReceived(subscription);
            } else if (Failures.cause(failure) instanceof RefusedException refused && refused.reply().is("NOPERM")) {
                mayNotPublish(refused);
                ping(subscription);
            } else {
                // Redis is away; that says nothing about this subscription.
                subscription.checking = false;
            }
        }));
    }

    private RedisCall<Response> publish(String message) {
        return new RedisCall<>() {

            @Override
            protected Future<Response> over(Connection connection) {
                return connection.send(Request.cmd(Command.PUBLISH).arg(name).arg(message));
            }

            @Override
            protected String about() {
                return "PUBLISH " + name;
            }

            // mayNotPublish() does that, and says what follows.
            @Override
            protected boolean logsRefusal() {
                return false;
            }
        };
    }

    // A timer that fires late lets the event loop read first.
    private void replaceUnlessReceived(Subscription subscription) {
        vertx.setTimer(deliveryMillis, timer -> vertx.setTimer(1, later -> {
            subscription.checking = false;
            if (!subscription.received) {
                replace(subscription, "messages do not arrive");
            }
        }));
    }

    // With RESP2 the client takes a message for the answer, when one comes first.
    private void ping(Subscription subscription) {
        subscription.connection.send(Request.cmd(Command.PING)).onSuccess(answer -> onContext(() -> {
            subscription.received = true;
            receive(subscription, answer);
        }));
        replaceUnlessReceived(subscription);
    }

    // Other processes with the same user cannot publish either, and scripts do not report it.
    private void mayNotPublish(RefusedException refused) {
        if (!publishRefused) {
            publishRefused = true;
            LOG.warnf(
                    "Redis refused PUBLISH to %s: %s. Waiting calls are not notified and poll once a second. Grant PUBLISH and the "
                            + "channels under quarkus.redis-bulkhead.key-prefix",
                    name, refused.reply().text());
        }
    }

    private void receive(Subscription subscription, Response message) {
        if (subscription.over || message == null) {
            return;
        }
        subscription.received = true;
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
            LOG.warnf(
                    "Redis refused SUBSCRIBE to %s: %s. Waiting calls poll once a second. Grant SUBSCRIBE and the channels under "
                            + "quarkus.redis-bulkhead.key-prefix",
                    name, reason);
        }
        replace(subscription, reason);
    }

    private void read(String message) {
        if (!message.startsWith(CHECK)) {
            List<Notice> notices = parse(message);
            notices.forEach(this::notifyListener);
            if (notices.isEmpty()) {
                notUnderstood(message);
            }
        }
    }

    // Not the text: it is untrusted. Once: there may be many.
    private void notUnderstood(String message) {
        if (!strangeMessage) {
            strangeMessage = true;
            LOG.warnf(
                    "Ignored an unknown message of %d characters on %s; further ones are not logged. Only "
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
            LOG.debugf("Subscription to %s lost: %s. Waiting calls poll until it is restored", name, reason);
            reconnectLater();
        }
    }

    private void end(Subscription subscription) {
        subscription.over = true;
        if (current == subscription) {
            current = null;
        }
        subscription.client.close();
    }

    private void reconnectLater() {
        vertx.setTimer(Math.max(1, gaps.next().toMillis()), timer -> connect());
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

    // ---- The form of messages, which the scripts write as well

    /**
     * Writes a message to the process that a notice concerns.
     *
     * @param notice that a permit was handed over, is free, or was revoked
     */
    public static String message(Notice notice) {
        if (notice instanceof HandedOver given) {
            return String.join(" ", HANDED_OVER, given.permitId(), Long.toString(given.handOver().ticket()),
                    Long.toString(given.handOver().leaseEndMillis()));
        }
        return notice instanceof PermitFree free ? FREE + " " + free.permitId() : REVOKED + " " + ((Revoked) notice).permitId();
    }

    /**
     * Reads a message, one notice a line. Every client that may publish can send one, so unknown lines are ignored.
     */
    public static List<Notice> parse(String message) {
        List<Notice> notices = new ArrayList<>(1);
        message.lines().forEach(line -> readLine(line).ifPresent(notices::add));
        return notices;
    }

    private static Optional<Notice> readLine(String line) {
        String[] words = line.split(" ", MOST_WORDS + 1);
        if (words.length == MOST_WORDS && words[0].equals(HANDED_OVER)) {
            try {
                return Optional.of(new HandedOver(words[1],
                        new HandOver(Long.parseLong(words[2]), Long.parseLong(words[3]))));
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        }
        if (words.length == 2 && words[0].equals(FREE)) {
            return Optional.of(new PermitFree(words[1]));
        }
        if (words.length == 2 && words[0].equals(REVOKED)) {
            return Optional.of(new Revoked(words[1]));
        }
        return Optional.empty();
    }
}
