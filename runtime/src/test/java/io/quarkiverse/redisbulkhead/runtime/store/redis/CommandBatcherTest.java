package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.impl.ContextInternal;
import io.vertx.core.impl.future.PromiseInternal;
import io.vertx.redis.client.Response;

/** Calls of a bulkhead gather while a command of the bulkhead is in flight, and go together in the next one. */
class CommandBatcherTest {

    private static final String REFUSED = "refused";
    private static final int LONGEST_SECONDS = 60;

    private final TestRedis redis = new TestRedis();
    /** The commands in their order, with the words of their calls. */
    private final Queue<List<String>> commands = new ConcurrentLinkedQueue<>();
    /** What commands with a word wait for before they go to Redis; "word" is for all with a number. */
    private final Map<String, Future<Void>> gates = new ConcurrentHashMap<>();
    /** How long each command takes at least. */
    private volatile long pauseMillis;
    private RedisConnectionManager connections;
    private CommandBatcher batcher;

    @BeforeEach
    void start() {
        connections = connections(Duration.ofSeconds(LONGEST_SECONDS));
        batcher = batcher(connections);
    }

    @AfterEach
    void stop() {
        connections.close();
        redis.close();
    }

    private RedisConnectionManager connections(Duration timeout) {
        return new RedisConnectionManager(redis.vertx(), redis.options(), "quarkus.redis", "test", timeout, 1, true);
    }

    // Says the words of all calls, unless one of them is to be refused or a key says otherwise, and appends them to a list.
    private CommandBatcher batcher(RedisConnectionManager connections) {
        LuaScript script = LuaScript.withText("""
                redis.call('INCR', 'tries')
                local busy = redis.call('GET', 'busy')
                if busy then
                    return redis.error_reply(busy)
                end
                local reply = { 0 }
                for i = 4, #ARGV do
                    if ARGV[i] == 'refused' then
                        return redis.error_reply('ERR refused')
                    end
                    reply[i - 2] = ARGV[i]
                end
                redis.call('RPUSH', 'said', unpack(ARGV, 4))
                return table.concat(reply, '\\n')
                """);
        return new CommandBatcher(connections, "test", "me", (keys, args, connection) -> {
            List<String> words = args.stream().skip(3).map(word -> new String(word, StandardCharsets.UTF_8)).toList();
            commands.add(words);
            Future<Void> gate = words.stream().map(word -> word.replaceFirst("^word\\d+$", "word")).filter(gates::containsKey)
                    .findFirst().map(gates::get).orElseGet(Future::succeededFuture);
            return onThisContext(gate).compose(open -> onThisContext(pause()))
                    .compose(open -> script.run(keys, args, connection));
        }, (bulkhead, messages) -> {
        });
    }

    private Future<Void> pause() {
        return pauseMillis == 0 ? Future.succeededFuture() : redis.vertx().timer(pauseMillis).mapEmpty();
    }

    // Else the thread that opens the gate would send, and the reply would come on any event loop.
    private static Future<Void> onThisContext(Future<Void> gate) {
        PromiseInternal<Void> here = ContextInternal.current().promise();
        gate.onComplete(here);
        return here.future();
    }

    private static ScriptCall<String> call(String text, boolean awaited) {
        List<byte[]> words = Stream.of(text.split(" ")).map(ScriptCall::bytes).toList();
        return new ScriptCall<>(words.size(), awaited, null, words, (answers, index, repeated) -> {
            List<String> said = new ArrayList<>();
            for (int i = 0; i < words.size(); i++) {
                said.add(answers.get(index + i));
            }
            return String.join(" ", said);
        });
    }

    private CompletableFuture<String> say(String bulkhead, String text) {
        return batcher.send(BulkheadId.of(bulkhead), call(text, true)).toCompletableFuture();
    }

    private CompletableFuture<String> sayInBackground(String text) {
        return sayInBackground("a", text);
    }

    private CompletableFuture<String> sayInBackground(String bulkhead, String text) {
        return batcher.send(BulkheadId.of(bulkhead), call(text, false)).toCompletableFuture();
    }

    /** A command with the word waits until the gate is opened. */
    private Promise<Void> gate(String word) {
        Promise<Void> gate = Promise.promise();
        gates.put(word, gate.future());
        return gate;
    }

    private CompletableFuture<String> sayAndAwaitSent(String word) {
        CompletableFuture<String> answer = say("a", word);
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

    private List<CompletableFuture<String>> sayWords(int count) {
        return IntStream.range(0, count).mapToObj(i -> say("a", "word" + i)).toList();
    }

    private void assertSaid(List<CompletableFuture<String>> answers) throws Exception {
        for (int i = 0; i < answers.size(); i++) {
            assertThat(get(answers.get(i))).isEqualTo("word" + i);
        }
    }

    private static List<String> words(int count) {
        return IntStream.range(0, count).mapToObj(i -> "word" + i).toList();
    }

    private int tries() {
        Response tries = redis.command("GET", "tries");
        return tries == null ? 0 : tries.toInteger();
    }

    private List<List<String>> commandsOfA() {
        return commands.stream().filter(words -> !words.contains("elsewhere")).toList();
    }

    @Test
    void gatherWhileACommandIsInFlightAndEachHasItsAnswer() throws Exception {
        Promise<Void> gate = gate("first");
        CompletableFuture<String> first = sayAndAwaitSent("first");
        List<CompletableFuture<String>> others = sayWords(100);
        assertThat(get(say("b", "elsewhere"))).as("another bulkhead does not wait").isEqualTo("elsewhere");
        assertThat(others).noneMatch(CompletableFuture::isDone);
        gate.complete();

        assertThat(get(first)).isEqualTo("first");
        assertSaid(others);
        assertThat(commandsOfA()).as("in the order of the calls").containsExactly(List.of("first"), words(100));
    }

    /** An acquire goes right behind a release; when it overtakes the release all the same, it goes again behind it. */
    @Test
    void doNotGatherBehindACommandThatNoCallerAwaitsAndAreAnsweredInOrder() throws Exception {
        Promise<Void> gate = gate("release");
        CompletableFuture<String> release = sayInBackground("release");
        awaitSent("release");
        CompletableFuture<String> acquire = sayAndAwaitSent("acquire");
        assertThat(get(say("b", "elsewhere"))).isEqualTo("elsewhere");
        assertThat(acquire).as("Redis has carried it out before the release").isNotDone();
        gate.complete();

        assertThat(get(acquire)).isEqualTo("acquire");
        assertThat(release).isCompleted();
        assertThat(commandsOfA()).containsExactly(List.of("release"), List.of("acquire"), List.of("acquire"));
    }

    @Test
    void callsThatAreNotAwaitedGatherBehindACommandThatIsNotAwaited() throws Exception {
        Promise<Void> gate = gate("release");
        sayInBackground("release");
        awaitSent("release");
        CompletableFuture<String> second = sayInBackground("second");
        assertThat(get(say("b", "elsewhere"))).isEqualTo("elsewhere");
        assertThat(commandsOfA()).containsExactly(List.of("release"));
        CompletableFuture<String> acquire = say("a", "acquire");
        awaitSent("second", "acquire");
        gate.complete();

        assertThat(get(second)).isEqualTo("second");
        assertThat(get(acquire)).isEqualTo("acquire");
    }

    @Test
    void eachHasItsAnswerHoweverMuchTheOthersAsked() throws Exception {
        Promise<Void> gate = gate("first");
        sayAndAwaitSent("first");
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
        Promise<Void> gate = gate("first");
        gates.put("word", gate.future());
        CompletableFuture<String> first = sayAndAwaitSent("first");
        List<CompletableFuture<String>> others = sayWords(300);
        int sent = 1 + 2 * CommandBatcher.MOST_TOGETHER;
        await().atMost(LONGEST_SECONDS, TimeUnit.SECONDS)
                .until(() -> commands.stream().mapToInt(List::size).sum() == sent);
        assertThat(first).isNotDone();
        gate.complete();
        assertSaid(others);
        assertThat(commands).allSatisfy(words -> assertThat(words).hasSizeLessThanOrEqualTo(CommandBatcher.MOST_TOGETHER));
        assertThat(commands.stream().flatMap(List::stream).limit(sent)).as("in the order of the calls")
                .containsExactlyElementsOf(Stream.concat(Stream.of("first"), words(sent - 1).stream()).toList());
    }

    /** One bulkhead does not take all of the connection. */
    @Test
    void fullCommandsInFlightAreBounded() throws Exception {
        Promise<Void> gate = gate("word");
        List<CompletableFuture<String>> all = new ArrayList<>(sayWords(1));
        awaitSent("word0");
        for (int i = 1; i < 20 * CommandBatcher.MOST_TOGETHER; i++) {
            all.add(say("a", "word" + i));
        }
        assertThat(get(say("b", "elsewhere"))).isEqualTo("elsewhere");
        await().atMost(LONGEST_SECONDS, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(commandsOfA()).hasSize(CommandBatcher.MOST_IN_FLIGHT));
        gate.complete();

        assertSaid(all);
        awaitNoGroups();
    }

    @Test
    void aCallThatHasNoRoomGoesInTheNextCommandAndIsNotOvertaken() throws Exception {
        Promise<Void> gate = gate("first");
        sayAndAwaitSent("first");
        String large = String.join(" ", Collections.nCopies(CommandBatcher.MOST_TOGETHER - 10, "large"));
        String fits = String.join(" ", Collections.nCopies(10, "fits"));
        String full = String.join(" ", Collections.nCopies(CommandBatcher.MOST_TOGETHER + 1, "full"));
        for (String text : List.of(large, fits, "next", full)) {
            say("a", text);
        }
        CompletableFuture<String> last = say("a", "last");
        gate.complete();

        assertThat(get(last)).isEqualTo("last");
        assertThat(commands.stream().map(words -> String.join(" ", words)).distinct()).containsExactly("first",
                large + " " + fits,
                "next", full, "last");
    }

    /** No call is larger than a command may be. */
    @Test
    void whatStoresAreAskedAtOnceHasRoom() {
        assertThat(PermitStore.MAX_RENEWED_AT_ONCE).isLessThanOrEqualTo(CommandBatcher.MOST_TOGETHER);
        assertThat(PermitStore.MAX_CANCELLED_AT_ONCE).isLessThanOrEqualTo(CommandBatcher.MOST_TOGETHER);
    }

    @Test
    void callsThatGoAloneDoNotWait() throws Exception {
        Promise<Void> gate = gate("first");
        sayAndAwaitSent("first");
        CompletableFuture<String> alone = batcher.sendAlone(BulkheadId.of("a"), call("alone", true)).toCompletableFuture();
        assertThat(get(alone)).isEqualTo("alone");
        gate.complete();
    }

    /** Each key of a bulkhead is a group, and there may be a million of them. */
    @Test
    void nothingIsKeptOfBulkheadsThatHaveNothingToSend() throws Exception {
        get(say("a", "1"));
        say("b", REFUSED).handle((said, failure) -> failure).get(LONGEST_SECONDS, TimeUnit.SECONDS);
        awaitNoGroups();

        connections.close();
        assertThatThrownBy(() -> get(say("c", "1"))).hasMessageContaining("stopping");
        assertThatThrownBy(() -> get(batcher.sendAlone(BulkheadId.of("c"), call("2", true)).toCompletableFuture()))
                .hasMessageContaining("stopping");
        awaitNoGroups();
    }

    // A group may go a moment after its last answer.
    private void awaitNoGroups() {
        await().pollDelay(Duration.ZERO).atMost(LONGEST_SECONDS, TimeUnit.SECONDS).until(() -> batcher.groups() == 0);
    }

    /** Redis refuses the command because of one call: that one fails, as it would have alone, and the others do not. */
    @Test
    void aRefusalIsForTheCallThatEarnedIt() throws Exception {
        Promise<Void> gate = gate("first");
        sayAndAwaitSent("first");
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
        Promise<Void> gate = gate("first");
        Promise<Void> gateOfRefused = gate("before");
        sayAndAwaitSent("first");
        CompletableFuture<String> before = say("a", "before");
        say("a", REFUSED);
        gate.complete();
        awaitSent("before", REFUSED);
        CompletableFuture<String> later = say("a", "later");
        assertThat(get(say("b", "elsewhere"))).as("by now the later one has come").isEqualTo("elsewhere");
        gateOfRefused.complete();

        assertThat(get(before)).isEqualTo("before");
        assertThat(get(later)).isEqualTo("later");
        assertThat(commandsOfA()).containsExactly(List.of("first"), List.of("before", REFUSED), List.of("before"),
                List.of(REFUSED), List.of("later"));
    }

    /** What was in flight together, and what gathered, is all sent again when the connection breaks. */
    @Test
    void allSurviveALostConnectionInTheirOrder() throws Exception {
        get(say("a", "open"));
        Promise<Void> gate = gate("first");
        gates.put("word", gate.future());
        CompletableFuture<String> first = sayAndAwaitSent("first");
        List<CompletableFuture<String>> others = sayWords(300);
        await().atMost(LONGEST_SECONDS, TimeUnit.SECONDS).until(() -> commands.size() == 4);
        redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        gate.complete();

        assertThat(get(first)).isEqualTo("first");
        assertSaid(others);
        assertThat(commands.stream().skip(4).limit(3)).as("what was in flight, in its order")
                .containsExactlyElementsOf(commands.stream().skip(1).limit(3).toList());
    }

    /** Calls of one bulkhead do not overtake each other while an error passes. */
    @Test
    void aTransientErrorKeepsTheOrder() throws Exception {
        int calls = 4 * CommandBatcher.MOST_TOGETHER;
        redis.command("SET", "busy", "BUSY Redis is busy running a script.");
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<Void>> replies = new ArrayList<>();
        for (String word : words(calls)) {
            replies.add(say("a", word).thenAccept(done::add));
        }
        await().atMost(LONGEST_SECONDS, TimeUnit.SECONDS)
                .until(() -> tries() > 2 * CommandBatcher.MOST_IN_FLIGHT);
        redis.command("DEL", "busy");

        for (CompletableFuture<Void> reply : replies) {
            reply.get(LONGEST_SECONDS, TimeUnit.SECONDS);
        }
        assertThat(done).containsExactlyElementsOf(words(calls));
        assertThat(redis.command("LRANGE", "said", "0", "-1").stream().map(Response::toString))
                .containsExactlyElementsOf(words(calls));
    }

    /**
     * Redis refused the release for the moment, and carried the acquire out, which found no permit: it goes again behind it.
     */
    @Test
    void whatOvertakesARefusedCommandGoesAgainBehindIt() throws Exception {
        Promise<Void> gate = gate("release");
        CompletableFuture<String> release = sayInBackground("release");
        awaitSent("release");
        CompletableFuture<String> acquire = sayAndAwaitSent("acquire");
        await().atMost(LONGEST_SECONDS, TimeUnit.SECONDS)
                .until(() -> redis.command("LRANGE", "said", "0", "-1").toString().equals("[acquire]"));
        redis.command("SET", "busy", "BUSY Redis is busy running a script.");
        gate.complete();
        await().atMost(LONGEST_SECONDS, TimeUnit.SECONDS).until(() -> tries() > 2);
        CompletableFuture<String> later = say("a", "later");
        assertThat(acquire).isNotDone();
        redis.command("DEL", "busy");

        assertThat(get(release)).isEqualTo("release");
        assertThat(get(acquire)).isEqualTo("acquire");
        assertThat(get(later)).isEqualTo("later");
        assertThat(redis.command("LRANGE", "said", "0", "-1").stream().map(Response::toString))
                .containsExactly("acquire", "release", "acquire", "later");
    }

    /**
     * The refusal of an acquire comes before the answer to the release that it must follow. It is no sign of life: a server
     * that sends nothing else is away.
     */
    @Test
    void refusalsOutOfOrderDoNotPutOffAnOutage() {
        gate("release");
        int refusals;
        do {
            try (RedisConnectionManager impatient = connections(Duration.ofMillis(500))) {
                batcher = batcher(impatient);
                redis.command("DEL", "busy");
                await().atMost(LONGEST_SECONDS, TimeUnit.SECONDS).ignoreExceptions()
                        .until(() -> get(say("connected", "connected")).equals("connected"));
                redis.command("SET", "busy", "BUSY Redis is busy running a script.");
                int before = tries();
                List<CompletableFuture<String>> releases = new ArrayList<>();
                List<CompletableFuture<String>> acquires = new ArrayList<>();
                await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(20)).atMost(LONGEST_SECONDS, TimeUnit.SECONDS)
                        .until(() -> {
                            // Each bulkhead has one refusal out of order.
                            String bulkhead = "b" + releases.size();
                            releases.add(sayInBackground(bulkhead, "release"));
                            acquires.add(say(bulkhead, "acquire"));
                            return releases.get(0).isDone();
                        });

                assertThatThrownBy(() -> get(releases.get(0))).hasMessageContaining("has not executed a command for 500 ms");
                assertThat(acquires.get(0)).isDone();
                refusals = tries() - before;
            }
            // On a busy machine, the time may be over before one comes. That shows nothing.
        } while (refusals == 0);
    }

    /** In an outage, a call that gathers behind a command in flight fails together with that command. */
    @Test
    void whoGathersIsGivenUpInTime() {
        try (RedisConnectionManager impatient = connections(Duration.ofMillis(300))) {
            batcher = batcher(impatient);
            gate("first");
            CompletableFuture<String> first = say("a", "first");
            CompletableFuture<String> second = say("a", "second");
            for (CompletableFuture<String> answer : List.of(first, second)) {
                assertThatThrownBy(() -> get(answer)).hasMessageContaining("not executed a command for 300 ms");
            }
        }
    }

    /** Trap 4: an acquire was carried out, its answer came out of order, and then Redis fell silent. */
    @Test
    void anOutcomeIsUnknownOfWhatWasSentAndTakenBack() {
        try (RedisConnectionManager impatient = connections(Duration.ofMillis(400))) {
            batcher = batcher(impatient);
            gate("release");
            AtomicInteger tries = new AtomicInteger();
            // Again where the outage begins before the acquire is carried out, as on a busy machine.
            await().pollDelay(Duration.ZERO).atMost(LONGEST_SECONDS, TimeUnit.SECONDS).until(() -> {
                String acquire = "acquire-" + tries.incrementAndGet();
                commands.clear();
                sayInBackground("release");
                awaitSentAtOnce("release");
                CompletableFuture<String> answer = say("a", acquire);
                Throwable failure = answer.handle((said, thrown) -> thrown).get(LONGEST_SECONDS, TimeUnit.SECONDS);
                boolean carriedOut = redis.command("LRANGE", "said", "0", "-1").toString().contains(acquire);
                if (carriedOut && failure != null) {
                    assertThat(failure).isInstanceOfSatisfying(StoreException.class,
                            known -> assertThat(known.outcomeUnknown()).isTrue());
                }
                return carriedOut && failure != null;
            });
        }
    }

    // Without the time that passes before the first look. It is not sent while Redis counts as away.
    private void awaitSentAtOnce(String word) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(200);
        while (!commands.contains(List.of(word)) && System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void anOutageEndsACallEachHoweverManyGather() throws Exception {
        try (RedisConnectionManager impatient = connections(Duration.ofMillis(300))) {
            batcher = batcher(impatient);
            gate("first");
            // Those that come when the outage is over, as on a slow machine, begin the next one.
            gate("word");
            say("a", "first");
            List<CompletableFuture<String>> gathered = sayWords(150_000);

            assertThatThrownBy(() -> CompletableFuture.allOf(gathered.toArray(CompletableFuture[]::new))
                    .get(LONGEST_SECONDS, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
            assertThat(gathered).allMatch(CompletableFuture::isCompletedExceptionally);
        }
    }

    /** Redis answers, but more slowly than callers ask. */
    @Test
    void whoGathersForTooLongIsGivenUp() {
        try (RedisConnectionManager impatient = connections(Duration.ofMillis(100))) {
            batcher = batcher(impatient);
            pauseMillis = 50;
            // Again where Redis is silent for the timeout, as on a busy machine: that is an outage.
            await().pollDelay(Duration.ZERO).atMost(LONGEST_SECONDS, TimeUnit.SECONDS).untilAsserted(() -> {
                List<CompletableFuture<String>> gathered = sayWords(80_000);
                assertThatThrownBy(() -> get(gathered.get(gathered.size() - 1))).hasMessageContaining("is overloaded");
            });
        }
    }
}
