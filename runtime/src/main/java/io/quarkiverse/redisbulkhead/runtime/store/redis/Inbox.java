package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.Backoff;
import io.quarkiverse.redisbulkhead.runtime.store.ConnectionListener;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.Peers;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
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
 * Receives the messages to this instance on one channel, over one connection for all bulkheads: from the store, and requests of
 * other instances with the answers to requests of this one. Messages may be lost; after a gap, all positions are stated.
 * <p>
 * A half-open connection delivers nothing and reports no error. So the instance publishes a message to itself every second, and
 * replaces a subscription that does not deliver it. An instance that has not heard itself for three seconds cannot hear
 * recalls.
 * <p>
 * Thread-safe. Works on the context of the {@link Topology}.
 */
public final class Inbox implements Peers, AutoCloseable {

    private static final Logger LOG = Logger.getLogger(Inbox.class);

    /** How long a request waits for answers. */
    static final long ANSWER_MILLIS = 250;

    private static final String ECHO = "echo ";
    private static final String REQUEST = "request ";
    private static final String ANSWER = "answer ";
    private static final long ECHO_MILLIS = 1_000;
    private static final long DEAF_MILLIS = 3_000;
    private static final long SHORTEST_ATTEMPT_MILLIS = 1_000;
    private static final long LONGEST_ATTEMPT_MILLIS = 5_000;
    // A message to itself takes longer than a reply, but waiters must not wait for long when it does not come.
    private static final long SHORTEST_DELIVERY_MILLIS = 250;
    private static final long LONGEST_DELIVERY_MILLIS = 1_500;
    /** Longer texts are neither sent nor read. */
    private static final int MOST_CHARACTERS = 100_000;

    private final Topology topology;
    private final Vertx vertx;
    private final Context context;
    private final String channels;
    private final String channel;
    private final long attemptMillis;
    private final long deliveryMillis;
    private final Function<String, Optional<ShareMessage>> parser;
    private final AtomicBoolean wanted = new AtomicBoolean();
    private volatile Consumer<ShareMessage> messages = message -> {
    };
    private volatile Function<String, CompletionStage<String>> responder = request -> CompletableFuture.completedStage("");
    private volatile boolean hears;
    private volatile long heardNanos;
    private volatile boolean closed;

    // All of these are touched on the context only.
    private Subscription current;
    private final Backoff gaps = new Backoff(Duration.ofMillis(20), Duration.ofSeconds(2));
    private final Map<Long, Questions> questions = new HashMap<>();
    private long lastQuestion;
    private int unconfirmed;
    private boolean subscribeRefused;
    private boolean publishRefused;
    private boolean strangeMessage;

    /** A connection from the attempt to open it until it is given up. */
    private static final class Subscription {
        private final Redis client;
        private boolean confirmed;
        private boolean over;
        private long echoes;
        private long heard;

        private Subscription(Redis client) {
            this.client = client;
        }
    }

    /** One request to several instances, and the answers so far. */
    private static final class Questions {
        private final Set<String> silent;
        private final Map<String, String> answers = new HashMap<>();
        private final CompletableFuture<Map<String, String>> result = new CompletableFuture<>();

        private Questions(Collection<String> instances) {
            this.silent = new HashSet<>(instances);
        }
    }

    /**
     * Opens nothing yet.
     *
     * @param topology where connections come from and how messages are sent
     * @param instance distinguishes this instance from all others; letters, digits and {@code -}
     * @param parser reads messages of the store; empty for other texts
     */
    Inbox(Topology topology, String instance, Function<String, Optional<ShareMessage>> parser) {
        this.topology = topology;
        this.vertx = topology.vertx();
        this.context = topology.context();
        this.channels = topology.keyPrefix() + ":instance:";
        this.channel = channels + instance;
        this.parser = parser;
        this.attemptMillis = Math.min(LONGEST_ATTEMPT_MILLIS, Math.max(SHORTEST_ATTEMPT_MILLIS, topology.timeoutMillis()));
        this.deliveryMillis = Math.min(LONGEST_DELIVERY_MILLIS,
                Math.max(SHORTEST_DELIVERY_MILLIS, topology.timeoutMillis()));
    }

    /** The channel of this instance, which is also its name in Redis. */
    public String channel() {
        return channel;
    }

    @Override
    public String ownName() {
        return channel;
    }

    /** Sets the receiver of messages of the store. Called on the context; must not block. */
    void listen(Consumer<ShareMessage> to) {
        messages = to;
    }

    /**
     * Sets what answers requests of other instances.
     *
     * @param answers called on the context; must not block. An answer that takes longer than {@value #ANSWER_MILLIS} ms, or has
     *        more than {@value #MOST_CHARACTERS} characters, comes too late
     */
    @Override
    public void answerWith(Function<String, CompletionStage<String>> answers) {
        responder = answers;
    }

    /** Whether messages arrive; if not, recalls may be lost. */
    public boolean canHear() {
        return hears && isFresh();
    }

    private boolean isFresh() {
        return System.nanoTime() - heardNanos < TimeUnit.MILLISECONDS.toNanos(DEAF_MILLIS);
    }

    /** Subscribes, unless that has been done. */
    void open() {
        if (!wanted.get() && wanted.compareAndSet(false, true)) {
            onContext(() -> {
                heardNanos = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(DEAF_MILLIS);
                connect();
                echo();
            });
        }
    }

    private void onContext(Runnable task) {
        context.runOnContext(now -> task.run());
    }

    // ---- The subscription

    private void connect() {
        if (closed || current != null) {
            return;
        }
        Future<RedisConnection> opening;
        Subscription subscription;
        try {
            subscription = new Subscription(topology.newClientForMessages());
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
        connection.handler(message -> onContext(() -> receive(subscription, message)));
        connection.endHandler(end -> onContext(() -> replace(subscription, "the connection was lost")));
        connection.exceptionHandler(failure -> onContext(() -> replace(subscription, Redacted.reason(failure))));
        // Succeeds when it is written; the server confirms it, or refuses it, by a message.
        connection.send(Request.cmd(Command.SUBSCRIBE).arg(channel))
                .onFailure(failure -> onContext(() -> replace(subscription, Redacted.reason(failure))));
    }

    private void confirmed(Subscription subscription) {
        if (subscription.over || subscription.confirmed) {
            return;
        }
        subscription.confirmed = true;
        unconfirmed = 0;
        gaps.reset();
        LOG.debugf("Subscribed to %s", channel);
        topology.report(ConnectionListener::positionsMayDiffer);
        sendEcho(subscription);
    }

    private void subscribeRefused(Subscription subscription, String reason) {
        // A connection that is not authenticated is reported where commands are sent.
        if (!subscribeRefused && !reason.startsWith("NOAUTH")) {
            subscribeRefused = true;
            LOG.warnf("Redis refused SUBSCRIBE to %s: %s. Waiting calls ask once a second, and this instance keeps no idle "
                    + "permits. Grant SUBSCRIBE and the channels under quarkus.redis-bulkhead.key-prefix", channel,
                    reason);
        }
        replace(subscription, reason);
    }

    private void replace(Subscription subscription, String reason) {
        if (subscription.over) {
            return;
        }
        end(subscription);
        if (!closed) {
            LOG.debugf("Subscription to %s lost: %s. Waiting calls ask until it is restored", channel, reason);
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

    // ---- Messages to itself

    /** Every second. A late timer lets the event loop read first. */
    private void echo() {
        vertx.setTimer(ECHO_MILLIS, timer -> vertx.setTimer(1, read -> {
            if (closed) {
                return;
            }
            setHears(isFresh());
            if (current != null && current.confirmed) {
                sendEcho(current);
            }
            echo();
        }));
    }

    private void setHears(boolean now) {
        if (hears != now) {
            hears = now;
            topology.report(listener -> listener.hearingChanged(now));
        }
    }

    private void sendEcho(Subscription subscription) {
        long number = ++subscription.echoes;
        publish(channel, ECHO + number).whenComplete((receivers, failure) -> onContext(() -> {
            // If Redis is away, that says nothing about this subscription.
            if (failure == null) {
                vertx.setTimer(deliveryMillis, timer -> vertx.setTimer(1, read -> {
                    if (subscription.heard < number) {
                        replace(subscription, "messages do not arrive");
                    }
                }));
            } else if (Failures.cause(failure) instanceof RefusedException refused && refused.reply().is("NOPERM")) {
                mayNotPublish(refused);
            }
        }));
    }

    // Other instances with the same user cannot publish either, and scripts do not report it.
    private void mayNotPublish(RefusedException refused) {
        if (!publishRefused) {
            publishRefused = true;
            LOG.warnf("Redis refused PUBLISH to %s: %s. Waiting calls are not notified and ask once a second, and this "
                    + "instance keeps no idle permits. Grant PUBLISH and the channels under "
                    + "quarkus.redis-bulkhead.key-prefix", channel, refused.reply().text());
        }
    }

    private void heard(Subscription subscription, String number) {
        // A forged message could have a higher number.
        if (number.matches("\\d{1,18}") && Long.parseLong(number) <= subscription.echoes) {
            subscription.heard = Math.max(subscription.heard, Long.parseLong(number));
            heardNanos = System.nanoTime();
            setHears(true);
        }
    }

    private CompletionStage<Response> publish(String to, String text) {
        return topology.send(new ServerCall<>("PUBLISH " + to, null, false,
                connection -> connection.send(Request.cmd(Command.PUBLISH).arg(to).arg(text))));
    }

    // ---- What arrives

    private void receive(Subscription subscription, Response message) {
        if (subscription.over || message == null) {
            return;
        }
        if (message.type() == ResponseType.ERROR) {
            subscribeRefused(subscription, Redacted.text(message.toString()));
        } else if (isAbout("subscribe", message)) {
            confirmed(subscription);
        } else if (isAbout("message", message)) {
            read(subscription, message.get(2).toString());
        }
    }

    private static boolean isAbout(String kind, Response message) {
        return (message.type() == ResponseType.PUSH || message.type() == ResponseType.MULTI) && message.size() == 3
                && kind.equals(message.get(0).toString());
    }

    // Every client that may publish can send any text.
    private void read(Subscription subscription, String text) {
        if (text.startsWith(ECHO)) {
            heard(subscription, text.substring(ECHO.length()));
        } else if (text.length() > MOST_CHARACTERS) {
            notUnderstood(text);
        } else if (text.startsWith(REQUEST)) {
            answer(text.split(" ", 4));
        } else if (text.startsWith(ANSWER)) {
            answered(text.split(" ", 4));
        } else {
            parser.apply(text).ifPresentOrElse(this::deliver, () -> notUnderstood(text));
        }
    }

    private void deliver(ShareMessage message) {
        try {
            messages.accept(message);
        } catch (RuntimeException e) {
            LOG.errorf(e, "Failed to process a message about %s", message.bulkhead());
        }
    }

    // Not the text: it is untrusted. Once: there may be many.
    private void notUnderstood(String text) {
        if (!strangeMessage) {
            strangeMessage = true;
            LOG.warnf(
                    "Ignored an unknown message of %d characters on %s; further ones are not logged. Only applications with "
                            + "this extension should be allowed to PUBLISH to the channels under quarkus.redis-bulkhead.key-prefix",
                    text.length(), channel);
        }
    }

    // ---- Requests

    /**
     * Asks other instances, and this one.
     *
     * @param instances their names, which are their channels
     * @param request what the responder of each gets; no more than {@value #MOST_CHARACTERS} characters
     * @return the answers by instance, after {@value #ANSWER_MILLIS} ms at most; those that did not answer are missing
     */
    @Override
    public CompletionStage<Map<String, String>> ask(Collection<String> instances, String request) {
        Questions asked = new Questions(instances);
        open();
        onContext(() -> {
            long number = ++lastQuestion;
            questions.put(number, asked);
            vertx.setTimer(ANSWER_MILLIS, timer -> vertx.setTimer(1, read -> finish(number)));
            List.copyOf(asked.silent).forEach(other -> publish(other, REQUEST + number + " " + channel + " " + request));
            if (asked.silent.isEmpty()) {
                finish(number);
            }
        });
        return asked.result;
    }

    private void finish(long number) {
        Questions asked = questions.remove(number);
        if (asked != null) {
            asked.result.complete(Map.copyOf(asked.answers));
        }
    }

    private void answer(String[] words) {
        // A forged one must not make this instance write to channels of others.
        if (words.length < 4 || !words[2].startsWith(channels)) {
            notUnderstood(String.join(" ", words));
            return;
        }
        try {
            responder.apply(words[3]).whenComplete((text, failure) -> {
                if (failure == null && text.length() <= MOST_CHARACTERS / 2) {
                    publish(words[2], ANSWER + words[1] + " " + channel + " " + text);
                } else {
                    LOG.debugf(failure, "No answer to a request of %s", words[2]);
                }
            });
        } catch (RuntimeException e) {
            LOG.debugf(e, "No answer to a request of %s", words[2]);
        }
    }

    private void answered(String[] words) {
        Questions asked;
        try {
            asked = words.length < 4 ? null : questions.get(Long.parseLong(words[1]));
        } catch (NumberFormatException e) {
            asked = null;
        }
        // The name of an instance may be forged, as may all that it says.
        if (asked != null && asked.silent.remove(words[2])) {
            asked.answers.put(words[2], words[3]);
            if (asked.silent.isEmpty()) {
                finish(Long.parseLong(words[1]));
            }
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
            List.copyOf(questions.keySet()).forEach(this::finish);
        });
    }
}
