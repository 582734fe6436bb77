package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.impl.ContextInternal;
import io.vertx.core.impl.future.PromiseInternal;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** Calls of a group gather while a command of the group is on its way, and go together in the next one. */
class JointCallTest {

    private static final String REFUSED = "refused";
    private static final int LONGEST_SECONDS = 60;

    private final TestRedis redis = new TestRedis();
    private final Queue<List<String>> commands = new ConcurrentLinkedQueue<>();
    private RedisConnectionManager connections;

    @BeforeEach
    void start() {
        connections = new RedisConnectionManager(redis.vertx(), redis.options(), "quarkus.redis", "test",
                Duration.ofSeconds(LONGEST_SECONDS), 1,
                true);
    }

    @AfterEach
    void stop() {
        connections.close();
        redis.close();
    }

    /** Asks Redis to say some words; all of a group in one command. */
    private final class Say implements JointCall<String> {

        private final String group;
        private final List<String> words;
        private final Future<Void> gate;
        private final boolean awaited;

        private Say(String group, String text, Future<Void> gate, boolean awaited) {
            this.group = group;
            this.words = List.of(text.split(" "));
            this.gate = gate;
            this.awaited = awaited;
        }

        @Override
        public boolean isAwaited() {
            return awaited;
        }

        @Override
        public Object group() {
            return group;
        }

        @Override
        public int size() {
            return words.size();
        }

        @Override
        public Future<Response> together(RedisConnection connection, List<? extends JointCall<?>> calls) {
            List<String> words = calls.stream().flatMap(call -> ((Say) call).words.stream()).toList();
            commands.add(words);
            Request request = Request.cmd(Command.EVAL)
                    .arg("for _, word in ipairs(ARGV) do if word == '" + REFUSED
                            + "' then return redis.error_reply('ERR refused') end end return ARGV")
                    .arg(0);
            words.forEach(request::arg);
            return onThisContext(gate).compose(open -> connection.send(request));
        }

        // Else the thread that opens the gate would send, and the reply would come on any event loop.
        private static Future<Void> onThisContext(Future<Void> gate) {
            PromiseInternal<Void> here = ContextInternal.current().promise();
            gate.onComplete(here);
            return here.future();
        }

        @Override
        public String answer(Response reply, int before) {
            return IntStream.range(before, before + words.size()).mapToObj(i -> reply.get(i).toString())
                    .collect(Collectors.joining(" "));
        }

        @Override
        public String about() {
            return group;
        }
    }

    private CompletableFuture<String> say(String group, String text, Future<Void> gate) {
        CompletionStage<RedisAnswer<String>> answer = connections.send(new Say(group, text, gate, true));
        return answer.thenApply(RedisAnswer::value).toCompletableFuture();
    }

    private CompletableFuture<String> say(String group, String text) {
        return say(group, text, Future.succeededFuture());
    }

    private CompletableFuture<String> sayAndAwaitSent(String word, Future<Void> gate) {
        CompletableFuture<String> answer = say("a", word, gate);
        awaitSent(word);
        return answer;
    }

    private void awaitSent(String... together) {
        await().atMost(LONGEST_SECONDS, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(commands).contains(List.of(together)));
    }

    private static String get(CompletableFuture<String> answer) throws Exception {
        return answer.get(LONGEST_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void gatherWhileACommandIsOnItsWayAndEachHasItsAnswer() throws Exception {
        Promise<Void> gate = Promise.promise();
        CompletableFuture<String> first = sayAndAwaitSent("first", gate.future());
        List<CompletableFuture<String>> others = IntStream.range(0, 100).mapToObj(i -> say("a", "word" + i)).toList();
        assertThat(get(say("b", "elsewhere"))).as("another group does not wait").isEqualTo("elsewhere");
        assertThat(others).noneMatch(CompletableFuture::isDone);
        gate.complete();

        assertThat(get(first)).isEqualTo("first");
        for (int i = 0; i < others.size(); i++) {
            assertThat(get(others.get(i))).isEqualTo("word" + i);
        }
        assertThat(commands).filteredOn(words -> !words.contains("elsewhere")).extracting(List::size)
                .containsExactly(1, 100);
        assertThat(commands.stream().filter(words -> !words.contains("elsewhere")).flatMap(List::stream))
                .as("in the order of the calls")
                .containsExactlyElementsOf(Stream.concat(Stream.of("first"), IntStream.range(0, 100).mapToObj(i -> "word" + i))
                        .toList());
    }

    /** An acquire goes right behind a release; when it overtakes the release all the same, it goes again behind it. */
    @Test
    void doNotGatherBehindACommandThatNobodyWaitsForAndAreAnsweredInOrder() throws Exception {
        Promise<Void> gate = Promise.promise();
        CompletionStage<RedisAnswer<String>> release = connections.send(new Say("a", "release", gate.future(), false));
        awaitSent("release");
        CompletableFuture<String> acquire = sayAndAwaitSent("acquire", Future.succeededFuture());
        assertThat(get(say("b", "elsewhere"))).isEqualTo("elsewhere");
        assertThat(acquire).as("Redis has carried it out before the release").isNotDone();
        gate.complete();

        assertThat(get(acquire)).isEqualTo("acquire");
        assertThat(release.toCompletableFuture()).isCompleted();
        assertThat(commands).filteredOn(words -> !words.contains("elsewhere")).containsExactly(List.of("release"),
                List.of("acquire"), List.of("acquire"));
    }

    @Test
    void eachHasItsAnswerHoweverMuchTheOthersAsked() throws Exception {
        Promise<Void> gate = Promise.promise();
        sayAndAwaitSent("first", gate.future());
        CompletableFuture<String> two = say("a", "one two");
        CompletableFuture<String> one = say("a", "three");
        CompletableFuture<String> three = say("a", "four five six");
        gate.complete();

        assertThat(get(two)).isEqualTo("one two");
        assertThat(get(one)).isEqualTo("three");
        assertThat(get(three)).isEqualTo("four five six");
        assertThat(commands).containsExactly(List.of("first"), List.of("one", "two", "three", "four", "five", "six"));
    }

    @Test
    void whatFillsACommandDoesNotWait() throws Exception {
        Promise<Void> gate = Promise.promise();
        CompletableFuture<String> first = sayAndAwaitSent("first", gate.future());
        List<CompletableFuture<String>> others = IntStream.range(0, 300).mapToObj(i -> say("a", "word" + i)).toList();
        int sent = 1 + 2 * Outbox.MOST_TOGETHER;
        await().atMost(LONGEST_SECONDS, TimeUnit.SECONDS)
                .until(() -> commands.stream().mapToInt(List::size).sum() == sent);
        assertThat(first).isNotDone();
        gate.complete();
        for (int i = 0; i < others.size(); i++) {
            assertThat(get(others.get(i))).isEqualTo("word" + i);
        }
        assertThat(commands).allSatisfy(words -> assertThat(words).hasSizeLessThanOrEqualTo(Outbox.MOST_TOGETHER));
        assertThat(commands.stream().flatMap(List::stream).limit(sent)).as("in the order of the calls")
                .containsExactlyElementsOf(
                        Stream.concat(Stream.of("first"), IntStream.range(1, sent).mapToObj(i -> "word" + (i - 1))).toList());
    }

    /** Redis refuses the command because of one call: that one fails, as it would have alone, and the others do not. */
    @Test
    void aRefusalIsForTheCallThatEarnedIt() throws Exception {
        Promise<Void> gate = Promise.promise();
        sayAndAwaitSent("first", gate.future());
        CompletableFuture<String> before = say("a", "before");
        CompletableFuture<String> refused = say("a", REFUSED);
        CompletableFuture<String> after = say("a", "after");
        gate.complete();

        assertThat(get(before)).isEqualTo("before");
        assertThat(get(after)).isEqualTo("after");
        assertThatThrownBy(() -> get(refused)).isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(RefusedException.class).hasMessageContaining("ERR refused");
        assertThat(commands).containsExactly(List.of("first"), List.of("before", REFUSED, "after"), List.of("before"),
                List.of(REFUSED), List.of("after"));
    }

    /** Calls that are to go again, each alone, go before those that came later. */
    @Test
    void aRefusalDoesNotLetOthersOvertake() throws Exception {
        Promise<Void> gate = Promise.promise();
        Promise<Void> gateOfRefused = Promise.promise();
        sayAndAwaitSent("first", gate.future());
        CompletableFuture<String> before = say("a", "before", gateOfRefused.future());
        say("a", REFUSED);
        gate.complete();
        awaitSent("before", REFUSED);
        CompletableFuture<String> later = say("a", "later");
        assertThat(get(say("b", "elsewhere"))).as("by now the later one has come").isEqualTo("elsewhere");
        gateOfRefused.complete();

        assertThat(get(before)).isEqualTo("before");
        assertThat(get(later)).isEqualTo("later");
        assertThat(commands).filteredOn(words -> !words.contains("elsewhere")).containsExactly(List.of("first"),
                List.of("before", REFUSED), List.of("before"), List.of(REFUSED), List.of("later"));
    }

    /** What was on its way together, and what gathered, is all sent again when the connection breaks. */
    @Test
    void allSurviveALostConnection() throws Exception {
        get(say("a", "open"));
        Promise<Void> gate = Promise.promise();
        CompletableFuture<String> first = sayAndAwaitSent("first", gate.future());
        List<CompletableFuture<String>> others = IntStream.range(0, 300).mapToObj(i -> say("a", "word" + i)).toList();
        redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        gate.complete();

        assertThat(get(first)).isEqualTo("first");
        for (int i = 0; i < others.size(); i++) {
            assertThat(get(others.get(i))).isEqualTo("word" + i);
        }
    }

    /** A caller that nobody answers is given up in its own time, though a command of its group is still on its way. */
    @Test
    void whoGathersIsGivenUpInTime() {
        try (RedisConnectionManager impatient = new RedisConnectionManager(redis.vertx(), redis.options(), "quarkus.redis",
                "test",
                Duration.ofMillis(300), 1, true)) {
            Promise<Void> never = Promise.promise();
            CompletionStage<RedisAnswer<String>> first = impatient.send(new Say("a", "first", never.future(), true));
            CompletionStage<RedisAnswer<String>> second = impatient
                    .send(new Say("a", "second", Future.succeededFuture(), true));
            for (CompletionStage<RedisAnswer<String>> answer : List.of(first, second)) {
                assertThatThrownBy(() -> answer.toCompletableFuture().get(LONGEST_SECONDS, TimeUnit.SECONDS))
                        .hasMessageContaining("not executed a command for 300 ms");
            }
        }
    }
}
