package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.ProtocolVersion;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;

/** What an instance hears, and what it does when it hears nothing. */
class InboxTest {

    static final String CHANNEL = "test:instance:";

    final TestRedis redis = new TestRedis();
    final List<AutoCloseable> opened = new ArrayList<>();
    LoggedWarnings log;

    @BeforeEach
    void start() {
        log = new LoggedWarnings(Inbox.class);
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        log.close();
        redis.close();
    }

    /** One instance, with what it has received. */
    private final class Instance {

        final Topology topology;
        final Inbox inbox;
        final RecordedEvents events = new RecordedEvents();
        final List<String> messages = new CopyOnWriteArrayList<>();

        Instance(String name, RedisOptions options) {
            topology = new Topology(redis.vertx(), options, "quarkus.redis", "test", Duration.ofSeconds(1), true);
            topology.listen(events);
            inbox = new Inbox(topology, name, InboxTest::parse);
            inbox.listen(message -> messages.add(message.bulkhead().name()));
            opened.add(0, topology);
            opened.add(0, inbox);
        }

        Instance open() {
            inbox.open();
            return this;
        }

        Instance awaitHearing() {
            await().atMost(30, TimeUnit.SECONDS).until(inbox::canHear);
            return this;
        }

        Instance answering(Function<String, CompletionStage<String>> responder) {
            inbox.answerWith(responder);
            return open().awaitHearing();
        }
    }

    private static Optional<ShareMessage> parse(String text) {
        return text.startsWith("changed ")
                ? Optional.of(new ShareMessage.Changed(BulkheadId.of(text.substring("changed ".length()))))
                : Optional.empty();
    }

    /** Trap 13: one subscription for the instance, however often it is asked for. */
    @Test
    void oneSubscriptionForTheInstance() {
        Instance one = new Instance("one", redis.options());
        assertThat(subscriptions()).isEmpty();
        IntStream.range(0, 100).forEach(i -> one.open());
        one.awaitHearing();

        assertThat(redis.command("PUBSUB", "NUMSUB", CHANNEL + "one").get(1).toInteger()).isEqualTo(1);
        assertThat(subscriptions()).containsExactly(CHANNEL + "one");
        assertThat(one.events.all()).containsExactly("differ", "hears");
        redis.command("PUBLISH", CHANNEL + "one", "changed reports");
        await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> assertThat(one.messages).containsExactly("reports"));
    }

    /** Trap 11: the subscription breaks and is renewed; positions are stated because messages may have been lost. */
    @Test
    void brokenSubscriptionIsRenewed() {
        Instance one = new Instance("one", redis.options()).open().awaitHearing();
        redis.command("CLIENT", "KILL", "TYPE", "pubsub");

        await().atMost(30, TimeUnit.SECONDS).until(() -> one.events.count("differ") == 2);
        assertThat(one.events.count("deaf")).isZero();
        redis.command("PUBLISH", CHANNEL + "one", "changed reports");
        await().atMost(30, TimeUnit.SECONDS).until(() -> one.messages.equals(List.of("reports")));
    }

    /** Trap 35, Trap 50: a firewall silently drops the subscription; it is replaced although no message is expected. */
    @Test
    void deafSubscriptionIsReplaced() throws Exception {
        try (TestProxy proxy = new TestProxy(TestProxy.Fault.FIRST_IS_FORGOTTEN, "SUBSCRIBE", redis.port())) {
            Instance one = new Instance("one", TestRedis.options(proxy.port()));
            // The subscription is the first connection to the proxy.
            one.topology.context.runOnContext(now -> one.inbox.open());
            await().atMost(30, TimeUnit.SECONDS).until(() -> proxy.accepted() > 0);
            one.awaitHearing();
            proxy.forgetFirst();

            await().atMost(60, TimeUnit.SECONDS).until(() -> one.events.count("differ") >= 2);
            redis.command("PUBLISH", CHANNEL + "one", "changed reports");
            await().atMost(30, TimeUnit.SECONDS).until(() -> one.messages.contains("reports"));
        }
    }

    /** Trap 50: without the right to publish or to subscribe, recalls may be lost, and the instance must not keep permits. */
    @ParameterizedTest
    @ValueSource(strings = { "-subscribe", "-publish" })
    void instanceThatCannotHearKnowsIt(String lacking) {
        redis.command("ACL", "SETUSER", "deaf", "on", ">secret", "~*", "&*", "+@all", lacking);
        Instance one = new Instance("one", redis.optionsOf("deaf")).open();

        await().atMost(30, TimeUnit.SECONDS).until(() -> log.texts().size() == 1);
        assertThat(log.texts().get(0)).contains(lacking.substring(1).toUpperCase(), "keeps no idle permits");
        assertThat(one.inbox.canHear()).isFalse();
        redis.command("ACL", "SETUSER", "deaf", "+@all");
        one.awaitHearing();
        redis.command("ACL", "SETUSER", "deaf", lacking);
        redis.command("CLIENT", "KILL", "TYPE", "pubsub");

        await().atMost(30, TimeUnit.SECONDS).until(() -> one.events.count("deaf") == 1);
        assertThat(one.inbox.canHear()).isFalse();
        assertThat(log.texts()).as("logged once").hasSize(1);
    }

    /** Trap 50: hearing ends with the server, and comes back with it. */
    @Test
    void instanceHearsNothingWhileRedisIsAway() {
        Instance one = new Instance("one", redis.options()).open().awaitHearing();
        redis.stop();
        await().atMost(30, TimeUnit.SECONDS).until(() -> one.events.count("deaf") == 1);
        assertThat(one.inbox.canHear()).isFalse();
        redis.start();

        one.awaitHearing();
    }

    /** A node that leaves a cluster goes on answering, but its messages do not get there any more. */
    @Test
    void instanceHearsThoughTheNodeThatItKnowsHasLeftTheCluster() {
        try (TestCluster cluster = new TestCluster()) {
            TestRedis leaving = cluster.join();
            // The second endpoint is asked first, here by a call.
            Instance one = new Instance("one", new RedisOptions().setType(RedisClientType.CLUSTER)
                    .addConnectionString("redis://127.0.0.1:" + cluster.node().port())
                    .addConnectionString("redis://127.0.0.1:" + leaving.port()));
            TestRedis.get(Restated.until(() -> one.topology.send("ECHO", "test",
                    connection -> connection.send(Request.cmd(Command.ECHO).arg("x")))));
            one.open().awaitHearing();
            leaving.command("CLUSTER", "RESET");
            long before = published(cluster);

            await().atMost(30, TimeUnit.SECONDS).until(() -> published(cluster) > before + 5);
            assertThat(one.events.count("deaf")).isZero();
            assertThat(one.inbox.canHear()).isTrue();
        }
    }

    private static long published(TestCluster cluster) {
        return cluster.nodes().stream().mapToLong(node -> node.calls("publish")).sum();
    }

    /** Messages that arrive among echoes are not lost, with either protocol. */
    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void messagesArriveInOrder(ProtocolVersion protocol) {
        Redis sender = redis.newClient();
        try {
            Instance one = new Instance("one", redis.options().setPreferredProtocolVersion(protocol)).open().awaitHearing();
            List<String> sent = IntStream.range(0, 5_000).mapToObj(i -> "bulkhead " + i).toList();
            sent.forEach(name -> redis.command(sender, "PUBLISH", CHANNEL + "one", "changed " + name));

            await().atMost(30, TimeUnit.SECONDS).until(() -> one.messages.size() == sent.size());
            assertThat(one.messages).isEqualTo(sent);
        } finally {
            sender.close();
        }
    }

    /** Trap 54: the silent are missing in the answer, which does not take longer for it. */
    @Test
    void instancesAnswerRequests() throws Exception {
        Instance one = new Instance("one", redis.options())
                .answering(request -> CompletableFuture.completedStage("one " + request));
        new Instance("two", redis.options()).answering(request -> CompletableFuture.completedStage("two: " + request));
        new Instance("three", redis.options()).answering(request -> new CompletableFuture<>());
        new Instance("four", redis.options()).answering(request -> {
            throw new IllegalStateException("broken");
        });
        new Instance("five", redis.options())
                .answering(request -> CompletableFuture.completedStage("x".repeat(1_000_000)));

        // An answer that comes too late on a busy machine is missing.
        await().pollDelay(Duration.ZERO).atMost(60, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(one.inbox.ask(channels("one", "two", "three", "four", "five", "missing"),
                        "list").toCompletableFuture().get(30, TimeUnit.SECONDS))
                        .isEqualTo(Map.of(CHANNEL + "one", "one list", CHANNEL + "two", "two: list")));
        assertThat(one.inbox.ask(List.of(), "anything").toCompletableFuture().get(30, TimeUnit.SECONDS)).isEmpty();
        assertThat(one.messages).isEmpty();
        assertThat(log.texts()).isEmpty();
    }

    /** Any client that may publish can send any text: it is not repeated in the log, and what follows is heard. */
    @Test
    void forgedMessagesAreIgnored() throws Exception {
        List<String> requests = new CopyOnWriteArrayList<>();
        Instance one = new Instance("one", redis.options()).answering(request -> {
            requests.add(request);
            return CompletableFuture.completedStage("one " + request);
        });
        for (String forged : List.of("", "request", "request 1 two", "request 1 elsewhere ?!", "answer", "answer x two y",
                "answer 99 two y", "echo",
                "echo ", "echo 99999999999999999999", "hunter2 \n FATAL", "x".repeat(1_000_000))) {
            redis.command("PUBLISH", CHANNEL + "one", forged);
        }
        redis.command("PUBLISH", CHANNEL + "one", "changed reports");

        await().atMost(30, TimeUnit.SECONDS).until(() -> one.messages.equals(List.of("reports")));
        assertThat(requests).as("answers go to instances only").isEmpty();
        assertThat(log.texts()).singleElement().asString().contains("unknown message").doesNotContain("hunter2");
        await().pollDelay(Duration.ZERO).atMost(60, TimeUnit.SECONDS).untilAsserted(() -> assertThat(
                one.inbox.ask(channels("one"), "?").toCompletableFuture().get(30, TimeUnit.SECONDS))
                .isEqualTo(Map.of(CHANNEL + "one", "one ?")));
    }

    private static List<String> channels(String... names) {
        return Stream.of(names).map(name -> CHANNEL + name).toList();
    }

    private List<String> subscriptions() {
        return redis.command("PUBSUB", "CHANNELS", "*").stream().map(Object::toString).toList();
    }
}
