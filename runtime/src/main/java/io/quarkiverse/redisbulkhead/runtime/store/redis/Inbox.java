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
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
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
    private volatile long heardNanos = System.nanoTime() - DEAF_NANOS;

    // All of these are touched on the context only.
    private final Subscription subscription;
    /** The last message to itself that was sent, and that was heard. */
    private long sent;
    private long heard;
    /** What was reported last. */
    private boolean hears;
    private final Map<Long, Question> questions = new HashMap<>();
    private long lastQuestion;
    private final Set<LogMessage> warned = EnumSet.noneOf(LogMessage.class);

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
        this.prefix = topology.keyPrefix + ":instance:";
        this.name = prefix + instance;
        this.parser = parser;
        this.subscription = new Subscription();
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
        return System.nanoTime() - heardNanos < DEAF_NANOS;
    }

    /** Subscribes, unless that has been done. */
    void open() {
        if (!opened.get() && opened.compareAndSet(false, true)) {
            onContext(() -> {
                subscription.connect();
                echoEachSecond();
            });
        }
    }

    private void onContext(Runnable task) {
        topology.context.runOnContext(now -> task.run());
    }

    // ---- The subscription

    /** One connection that receives. */
    private final class Subscription extends Link {

        Subscription() {
            super(Inbox.this.topology, "Subscription to " + name, null,
                    new Backoff(Duration.ofMillis(20), Duration.ofSeconds(2)));
        }

        @Override
        Future<Void> handshake(ServerConnection connection) {
            connection.redis.handler(message -> onContext(() -> receive(connection, message)));
            // Succeeds when it is written; the server confirms it, or refuses it, by a message.
            connection.redis.send(Request.cmd(Command.SUBSCRIBE).arg(name)).onFailure(connection.confirmed::tryFail);
            return connection.confirmed.future();
        }

        @Override
        void connected(ServerConnection connection) {
            pauses.reset();
            topology.report(ConnectionListener::reconnected);
            echo();
        }
    }

    // ---- Messages to itself

    private void echoEachSecond() {
        topology.after(ECHO_MILLIS, () -> {
            if (!subscription.closed) {
                setHears(canHear());
                echo();
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

    // If Redis is away, that says nothing about the subscription; and what was published has a second to arrive.
    private void echo() {
        long number = ++sent;
        for (ServerConnection connection : subscription.connections) {
            publish(name, ECHO + number).thenAccept(published -> topology.after(ECHO_MILLIS, () -> {
                if (heard < number) {
                    subscription.leave(connection, "messages do not arrive");
                }
            }));
        }
    }

    private void heard(String number) {
        // A forged message could have a higher number.
        if (number.matches("\\d{1,18}") && Long.parseLong(number) <= sent) {
            heard = Math.max(heard, Long.parseLong(number));
            heardNanos = System.nanoTime();
            setHears(true);
        }
    }

    // In a cluster from a node with slots, as scripts do: any other one may have left the cluster, and would not say so.
    private CompletionStage<Response> publish(String to, String text) {
        return topology.send("PUBLISH " + to, topology.keyPrefix + ":{" + to + "}:", connection -> connection
                .send(Request.cmd(Command.PUBLISH).arg(to).arg(text)).recover(failure -> {
                    if (!ErrorReply.is(failure, "NOPERM")) {
                        return Future.failedFuture(failure);
                    }
                    // Other instances with the same user cannot publish either, and scripts do not report it.
                    warnOnce(LogMessage.PUBLISH, "Redis refused PUBLISH to " + name + ": " + failure.getMessage()
                            + ". Waiting calls are not notified and ask once a second, and this instance keeps no idle "
                            + "permits. Grant PUBLISH and the channels under quarkus.redis-bulkhead.key-prefix");
                    return Future.failedFuture(new StoreException(failure.getMessage(), null));
                }));
    }

    private void warnOnce(LogMessage about, String text) {
        if (warned.add(about)) {
            LOG.warnf("%s. %s", text, about);
        }
    }

    // ---- What arrives

    private void receive(ServerConnection connection, Response message) {
        if (!connection.isOpen() || message == null) {
            return;
        }
        if (message.type() == ResponseType.ERROR) {
            refused(connection, ErrorReply.redacted(message.toString()));
        } else if (isAbout("subscribe", message)) {
            connection.confirmed.tryComplete();
        } else if (isAbout("message", message)) {
            read(message.get(2).toString());
        }
    }

    private static boolean isAbout(String kind, Response message) {
        return (message.type() == ResponseType.PUSH || message.type() == ResponseType.MULTI) && message.size() == 3
                && kind.equals(message.get(0).toString());
    }

    private void refused(ServerConnection connection, String reason) {
        // A connection that is not authenticated is reported where commands are sent.
        if (!reason.startsWith("NOAUTH")) {
            warnOnce(LogMessage.SUBSCRIBE,
                    "Redis refused SUBSCRIBE to " + name + ": " + reason + ". Waiting calls ask once a second, "
                            + "and this instance keeps no idle permits. Grant SUBSCRIBE and the channels under "
                            + "quarkus.redis-bulkhead.key-prefix");
        }
        connection.confirmed.tryFail(reason);
        subscription.leave(connection, reason);
    }

    // Every client that may publish can send any text.
    private void read(String text) {
        if (text.startsWith(ECHO)) {
            heard(text.substring(ECHO.length()));
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
        onContext(() -> {
            subscription.close(Kind.REFUSED, Topology.STOPPING);
            List.copyOf(questions.keySet()).forEach(this::finish);
        });
    }
}
