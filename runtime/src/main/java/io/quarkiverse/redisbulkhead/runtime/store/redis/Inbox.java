package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
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

import io.quarkiverse.redisbulkhead.runtime.message.LogMessage;
import io.quarkiverse.redisbulkhead.runtime.store.Backoff;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore.ConnectionListener;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore.Peers;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
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
    private static final long DEAF_NANOS = TimeUnit.SECONDS.toNanos(3);
    /** How long a message to itself may take from the reply to {@code PUBLISH} on. */
    private static final long DELIVERY_MILLIS = 1_000;
    /** Longer texts are neither sent nor read. */
    private static final int MOST_CHARACTERS = 100_000;

    private final Topology topology;
    private final String prefix;
    private final String name;
    private final Function<String, Optional<ShareMessage>> parser;
    private final AtomicBoolean opened = new AtomicBoolean();
    private volatile Consumer<ShareMessage> messages = message -> {
    };
    private volatile Function<String, CompletionStage<String>> responder = request -> CompletableFuture.completedStage("");
    private volatile boolean hears;
    private volatile long heardNanos;
    private volatile boolean closed;

    // All of these are touched on the context only. Null without a subscription.
    private Subscription current;
    private final Backoff gaps = new Backoff(Duration.ofMillis(20), Duration.ofSeconds(2));
    private final Map<Long, Question> questions = new HashMap<>();
    private long lastQuestion;
    private final Set<LogMessage> warned = EnumSet.noneOf(LogMessage.class);

    /** A connection from the attempt to open it until it is given up. */
    private final class Subscription {

        private Redis client;
        private final Promise<Void> confirmed = topology.context().promise();
        private long echoes;
        private long heard;
    }

    /** One request to several instances, and the answers so far. */
    private record Question(Set<String> silent, Map<String, String> answers, CompletableFuture<Map<String, String>> result) {
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
        this.prefix = topology.keyPrefix() + ":instance:";
        this.name = prefix + instance;
        this.parser = parser;
    }

    /** The name of this instance in Redis, which is also its channel. */
    @Override
    public String ownName() {
        return name;
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
        return hears && System.nanoTime() - heardNanos < DEAF_NANOS;
    }

    /** Subscribes, unless that has been done. */
    void open() {
        if (!opened.get() && opened.compareAndSet(false, true)) {
            onContext(() -> {
                connect();
                echoEachSecond();
            });
        }
    }

    private void onContext(Runnable task) {
        topology.context().runOnContext(now -> task.run());
    }

    // ---- The subscription

    private void connect() {
        if (closed || current != null) {
            return;
        }
        Subscription subscription = new Subscription();
        current = subscription;
        topology.open(topology::newClientForMessages, (client, connection) -> subscribe(subscription, client, connection))
                .onSuccess(confirmed -> subscribed(subscription))
                .onFailure(failure -> lost(subscription, ErrorReply.reason(failure)));
    }

    private Future<Void> subscribe(Subscription subscription, Redis client, RedisConnection connection) {
        subscription.client = client;
        connection.handler(message -> onContext(() -> receive(subscription, message)));
        connection.endHandler(end -> onContext(() -> lost(subscription, "the connection was lost")));
        connection.exceptionHandler(failure -> onContext(() -> lost(subscription, ErrorReply.reason(failure))));
        // Succeeds when it is written; the server confirms it, or refuses it, by a message.
        connection.send(Request.cmd(Command.SUBSCRIBE).arg(name)).onFailure(subscription.confirmed::tryFail);
        return subscription.confirmed.future();
    }

    private void subscribed(Subscription subscription) {
        gaps.reset();
        LOG.debugf("Subscribed to %s", name);
        topology.report(ConnectionListener::reconnected);
        sendEcho(subscription);
    }

    private void lost(Subscription subscription, String reason) {
        if (current == subscription && !closed) {
            end(reason);
            LOG.debugf("Subscription to %s lost: %s. Waiting calls ask until it is restored", name, reason);
            topology.vertx().setTimer(Math.max(1, gaps.next().toMillis()), timer -> connect());
        }
    }

    // An attempt to subscribe closes its client itself.
    private void end(String reason) {
        Subscription ended = current;
        current = null;
        if (ended != null && !ended.confirmed.tryFail(reason)) {
            ended.client.close();
        }
    }

    // ---- Messages to itself

    private void echoEachSecond() {
        topology.after(ECHO_MILLIS, () -> {
            if (!closed) {
                setHears(canHear());
                if (current != null && current.confirmed.future().succeeded()) {
                    sendEcho(current);
                }
                echoEachSecond();
            }
        });
    }

    private void setHears(boolean now) {
        if (hears != now) {
            hears = now;
            topology.report(listener -> listener.hearsRecalls(now));
        }
    }

    private void sendEcho(Subscription subscription) {
        long number = ++subscription.echoes;
        // If Redis is away, that says nothing about this subscription.
        publish(name, ECHO + number).thenAccept(sent -> topology.after(DELIVERY_MILLIS, () -> {
            if (subscription.heard < number) {
                lost(subscription, "messages do not arrive");
            }
        }));
    }

    private void heard(Subscription subscription, String number) {
        // A forged message could have a higher number.
        if (number.matches("\\d{1,18}") && Long.parseLong(number) <= subscription.echoes) {
            subscription.heard = Math.max(subscription.heard, Long.parseLong(number));
            heardNanos = System.nanoTime();
            setHears(true);
        }
    }

    // Other instances with the same user cannot publish either, and scripts do not report it.
    private CompletionStage<Response> publish(String to, String text) {
        return topology.send("PUBLISH " + to, null, connection -> connection
                .send(Request.cmd(Command.PUBLISH).arg(to).arg(text)).recover(failure -> {
                    Optional<ErrorReply> refusal = ErrorReply.of(failure).filter(error -> error.is("NOPERM"));
                    refusal.ifPresent(error -> warnOnce(LogMessage.PUBLISH,
                            "Redis refused PUBLISH to " + name + ": " + error.text()
                                    + ". Waiting calls are not notified and ask once a second, and this instance keeps no idle "
                                    + "permits. Grant PUBLISH and the channels under quarkus.redis-bulkhead.key-prefix"));
                    return Future.failedFuture(
                            refusal.isPresent() ? new StoreException(refusal.get().text(), null) : failure);
                }));
    }

    private void warnOnce(LogMessage about, String text) {
        if (warned.add(about)) {
            LOG.warnf("%s. %s", text, about);
        }
    }

    // ---- What arrives

    private void receive(Subscription subscription, Response message) {
        if (current != subscription || message == null) {
            return;
        }
        if (message.type() == ResponseType.ERROR) {
            refused(subscription, ErrorReply.redacted(message.toString()));
        } else if (isAbout("subscribe", message)) {
            subscription.confirmed.tryComplete();
        } else if (isAbout("message", message)) {
            read(subscription, message.get(2).toString());
        }
    }

    private static boolean isAbout(String kind, Response message) {
        return (message.type() == ResponseType.PUSH || message.type() == ResponseType.MULTI) && message.size() == 3
                && kind.equals(message.get(0).toString());
    }

    private void refused(Subscription subscription, String reason) {
        // A connection that is not authenticated is reported where commands are sent.
        if (!reason.startsWith("NOAUTH")) {
            warnOnce(LogMessage.SUBSCRIBE,
                    "Redis refused SUBSCRIBE to " + name + ": " + reason + ". Waiting calls ask once a second, "
                            + "and this instance keeps no idle permits. Grant SUBSCRIBE and the channels under "
                            + "quarkus.redis-bulkhead.key-prefix");
        }
        lost(subscription, reason);
    }

    // Every client that may publish can send any text.
    private void read(Subscription subscription, String text) {
        if (text.startsWith(ECHO)) {
            heard(subscription, text.substring(ECHO.length()));
        } else if (text.length() > MOST_CHARACTERS) {
            notUnderstood(text);
        } else if (text.startsWith(REQUEST)) {
            answer(text, text.split(" ", 4));
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
            LOG.errorf(e, "Failed to process a message about %s. %s", message.bulkhead(), LogMessage.UNEXPECTED);
        }
    }

    // Not the text: it is untrusted. Once: there may be many.
    private void notUnderstood(String text) {
        warnOnce(LogMessage.UNKNOWN_MESSAGE, "Ignored an unknown message of " + text.length() + " characters on " + name
                + "; further ones are not logged. Only applications with this extension should be allowed to PUBLISH to the "
                + "channels under quarkus.redis-bulkhead.key-prefix");
    }

    // ---- Requests: 'request <number> <from> <text>', 'answer <number> <from> <text>'

    @Override
    public CompletionStage<Map<String, String>> ask(Collection<String> instances, String request) {
        Question question = new Question(new HashSet<>(instances), new HashMap<>(), new CompletableFuture<>());
        open();
        onContext(() -> {
            long number = ++lastQuestion;
            questions.put(number, question);
            topology.after(ANSWER_MILLIS, () -> finish(number));
            instances.forEach(other -> publish(other, REQUEST + number + " " + name + " " + request));
            if (instances.isEmpty()) {
                finish(number);
            }
        });
        return question.result;
    }

    private void finish(long number) {
        Question question = questions.remove(number);
        if (question != null) {
            question.result.complete(Map.copyOf(question.answers));
        }
    }

    private void answer(String text, String[] words) {
        // A forged one must not make this instance write to channels of others.
        if (words.length < 4 || !words[2].startsWith(prefix)) {
            notUnderstood(text);
            return;
        }
        try {
            responder.apply(words[3]).whenComplete((answer, failure) -> {
                if (failure == null && answer.length() <= MOST_CHARACTERS / 2) {
                    publish(words[2], ANSWER + words[1] + " " + name + " " + answer);
                } else {
                    LOG.debugf(failure, "No answer to a request of %s", words[2]);
                }
            });
        } catch (RuntimeException e) {
            LOG.debugf(e, "No answer to a request of %s", words[2]);
        }
    }

    // The name of an instance may be forged, as may all that it says.
    private void answered(String[] words) {
        if (words.length < 4 || !words[1].matches("\\d{1,18}")) {
            return;
        }
        long number = Long.parseLong(words[1]);
        Question question = questions.get(number);
        if (question != null && question.silent.remove(words[2])) {
            question.answers.put(words[2], words[3]);
            if (question.silent.isEmpty()) {
                finish(number);
            }
        }
    }

    /** Ends the subscription. */
    @Override
    public void close() {
        closed = true;
        onContext(() -> {
            end(Topology.STOPPING);
            List.copyOf(questions.keySet()).forEach(this::finish);
        });
    }
}
