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

/** Calls of a bulkhead queue while its command is in flight, and share the next one. */
class CommandBatcherTest {

    private static final String REFUSED = "refused";
    private static final int LONGEST_SECONDS = 60;

    private final TestRedis redis = new TestRedis();
    /** The commands in order, with the words of their calls. */
    private final Queue<List<String>> commands = new ConcurrentLinkedQueue<>();
    /** Commands with a word wait for its gate before they are sent; "word" matches all numbered words. */
    private final Map<String, Future<Void>> gates = new ConcurrentHashMap<>();
    /** Minimum duration of each command. */
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

    // The script returns the words of all calls and appends them to a list, unless a call is to be refused or the key 'busy'
    // is set.
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
                redis.call('RPUSH', 'echoed', unpack(ARGV, 4))
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

    // Otherwise the thread that opens the gate would send the command, and the reply would arrive on any event loop.
    private static Future<Void> onThisContext(Future<Void> gate) {
        PromiseInternal<Void> here = ContextInternal.current().promise();
        gate.onComplete(here);
        return here.future();
    }

    private static ScriptCall<String> call(String text, boolean awaited) {
        List<byte[]> words = Stream.of(text.split(" ")).map(ScriptCall::bytes).toList();
        return new ScriptCall<>(words.size(), awaited, null, words, (replies, index, repeated) -> {
            List<String> echoed = new ArrayList<>();
            for (int i = 0; i < words.size(); i++) {
                echoed.add(replies.get(index + i));
            }
            return String.join(" ", echoed);
        });
    }

    private CompletableFuture<String> echo(String bulkhead, String text) {
        return batcher.send(BulkheadId.of(bulkhead), call(text, true)).toCompletableFuture();
    }

    private CompletableFuture<String> echoInBackground(String text) {
        return echoInBackground("a", text);
    }

    private CompletableFuture<String> echoInBackground(String bulkhead, String text) {
        return batcher.send(BulkheadId.of(bulkhead), call(text, false)).toCompletableFuture();
    }

    /** A command with this word waits until the test opens the gate. */
    private Promise<Void> gate(String word) {
        Promise<Void> gate = Promise.promise();
        gates.put(word, gate.future());
        return gate;
    }

    private CompletableFuture<String> echoAndAwaitSent(String word) {
        CompletableFuture<String> reply = echo("a", word);
        awaitSent(word);
        return reply;
    }

    private void awaitSent(String... together) {
        await().atMost(LONGEST_SECONDS, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(commands).contains(List.of(together)));
    }

    private static String get(CompletableFuture<String> reply) throws Exception {
        return reply.get(LONGEST_SECONDS, TimeUnit.SECONDS);
    }

    private List<CompletableFuture<String>> echoWords(int count) {
        return IntStream.range(0, count).mapToObj(i -> echo("a", "word" + i)).toList();
    }

    private void assertEchoed(List<CompletableFuture<String>> replies) throws Exception {
        for (int i = 0; i < replies.size(); i++) {
            assertThat(get(replies.get(i))).isEqualTo("word" + i);
        }
    }

    private static List<String> words(int count) {
        return IntStream.range(0, count).mapToObj(i -> "word" + i).toList();
    }

    private int attempts() {
        Response attempts = redis.command("GET", "tries");
        return attempts == null ? 0 : attempts.toInteger();
    }

    private List<List<String>> commandsOfA() {
        return commands.stream().filter(words -> !words.contains("elsewhere")).toList();
    }

    @Test
    void callsAreBatchedWhileACommandIsInFlight() throws Exception {
        Promise<Void> gate = gate("first");
        CompletableFuture<String> first = echoAndAwaitSent("first");
        List<CompletableFuture<String>> others = echoWords(100);
        assertThat(get(echo("b", "elsewhere"))).as("another bulkhead does not wait").isEqualTo("elsewhere");
        assertThat(others).noneMatch(CompletableFuture::isDone);
        gate.complete();

        assertThat(get(first)).isEqualTo("first");
        assertEchoed(others);
        assertThat(commandsOfA()).as("in the order of the calls").containsExactly(List.of("first"), words(100));
    }

    /** An acquire is sent behind the release in flight. If Redis executes it first, it is sent again behind the release. */
    @Test
    void awaitedCallIsSentBehindAReleaseInFlightAndCompletesAfterIt() throws Exception {
        Promise<Void> gate = gate("release");
        CompletableFuture<String> release = echoInBackground("release");
        awaitSent("release");
        CompletableFuture<String> acquire = echoAndAwaitSent("acquire");
        assertThat(get(echo("b", "elsewhere"))).isEqualTo("elsewhere");
        assertThat(acquire).as("Redis executed it before the release").isNotDone();
        gate.complete();

        assertThat(get(acquire)).isEqualTo("acquire");
        assertThat(release).isCompleted();
        assertThat(commandsOfA()).containsExactly(List.of("release"), List.of("acquire"), List.of("acquire"));
    }

    @Test
    void backgroundCallsAreBatchedBehindABackgroundCommand() throws Exception {
        Promise<Void> gate = gate("release");
        echoInBackground("release");
        awaitSent("release");
        CompletableFuture<String> second = echoInBackground("second");
        assertThat(get(echo("b", "elsewhere"))).isEqualTo("elsewhere");
        assertThat(commandsOfA()).containsExactly(List.of("release"));
        CompletableFuture<String> acquire = echo("a", "acquire");
        awaitSent("second", "acquire");
        gate.complete();

        assertThat(get(second)).isEqualTo("second");
        assertThat(get(acquire)).isEqualTo("acquire");
    }

    @Test
    void callsOfDifferentSizesGetTheirReplies() throws Exception {
        Promise<Void> gate = gate("first");
        echoAndAwaitSent("first");
        CompletableFuture<String> two = echo("a", "one two");
        CompletableFuture<String> one = echo("a", "three");
        CompletableFuture<String> three = echo("a", "four five six");
        gate.complete();

        assertThat(get(two)).isEqualTo("one two");
        assertThat(get(one)).isEqualTo("three");
        assertThat(get(three)).isEqualTo("four five six");
        assertThat(commands).containsExactly(List.of("first"), List.of("one", "two", "three", "four", "five", "six"));
    }

    @Test
    void fullCommandIsSentAtOnce() throws Exception {
        Promise<Void> gate = gate("first");
        gates.put("word", gate.future());
        CompletableFuture<String> first = echoAndAwaitSent("first");
        List<CompletableFuture<String>> others = echoWords(300);
        int sent = 1 + 2 * CommandBatcher.MOST_TOGETHER;
        await().atMost(LONGEST_SECONDS, TimeUnit.SECONDS)
                .until(() -> commands.stream().mapToInt(List::size).sum() == sent);
        assertThat(first).isNotDone();
        gate.complete();
        assertEchoed(others);
        assertThat(commands).allSatisfy(words -> assertThat(words).hasSizeLessThanOrEqualTo(CommandBatcher.MOST_TOGETHER));
        assertThat(commands.stream().flatMap(List::stream).limit(sent)).as("in the order of the calls")
                .containsExactlyElementsOf(Stream.concat(Stream.of("first"), words(sent - 1).stream()).toList());
    }

    /** One bulkhead does not monopolize the connection. */
    @Test
    void fullCommandsInFlightAreBounded() throws Exception {
        Promise<Void> gate = gate("word");
        List<CompletableFuture<String>> all = new ArrayList<>(echoWords(1));
        awaitSent("word0");
        for (int i = 1; i < 20 * CommandBatcher.MOST_TOGETHER; i++) {
            all.add(echo("a", "word" + i));
        }
        assertThat(get(echo("b", "elsewhere"))).isEqualTo("elsewhere");
        await().atMost(LONGEST_SECONDS, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(commandsOfA()).hasSize(CommandBatcher.MOST_IN_FLIGHT));
        gate.complete();

        assertEchoed(all);
        awaitNoGroups();
    }

    @Test
    void callThatDoesNotFitIsFirstInTheNextCommand() throws Exception {
        Promise<Void> gate = gate("first");
        echoAndAwaitSent("first");
        String large = String.join(" ", Collections.nCopies(CommandBatcher.MOST_TOGETHER - 10, "large"));
        String fits = String.join(" ", Collections.nCopies(10, "fits"));
        String full = String.join(" ", Collections.nCopies(CommandBatcher.MOST_TOGETHER + 1, "full"));
        for (String text : List.of(large, fits, "next", full)) {
            echo("a", text);
        }
        CompletableFuture<String> last = echo("a", "last");
        gate.complete();

        assertThat(get(last)).isEqualTo("last");
        assertThat(commands.stream().map(words -> String.join(" ", words)).distinct()).containsExactly("first",
                large + " " + fits,
                "next", full, "last");
    }

    /** A call never exceeds the size of a command. */
    @Test
    void storeCallsFitIntoACommand() {
        assertThat(PermitStore.MAX_RENEWED_AT_ONCE).isLessThanOrEqualTo(CommandBatcher.MOST_TOGETHER);
        assertThat(PermitStore.MAX_CANCELLED_AT_ONCE).isLessThanOrEqualTo(CommandBatcher.MOST_TOGETHER);
    }

    @Test
    void callsSentAloneDoNotWait() throws Exception {
        Promise<Void> gate = gate("first");
        echoAndAwaitSent("first");
        CompletableFuture<String> alone = batcher.sendAlone(BulkheadId.of("a"), call("alone", true)).toCompletableFuture();
        assertThat(get(alone)).isEqualTo("alone");
        gate.complete();
    }

    /** Each key is a group, and there may be a million keys. */
    @Test
    void idleBulkheadsUseNoMemory() throws Exception {
        get(echo("a", "1"));
        echo("b", REFUSED).handle((echoed, failure) -> failure).get(LONGEST_SECONDS, TimeUnit.SECONDS);
        awaitNoGroups();

        connections.close();
        assertThatThrownBy(() -> get(echo("c", "1"))).hasMessageContaining("stopping");
        assertThatThrownBy(() -> get(batcher.sendAlone(BulkheadId.of("c"), call("2", true)).toCompletableFuture()))
                .hasMessageContaining("stopping");
        awaitNoGroups();
    }

    // A group may be removed shortly after its last reply.
    private void awaitNoGroups() {
        await().pollDelay(Duration.ZERO).atMost(LONGEST_SECONDS, TimeUnit.SECONDS).until(() -> batcher.groups() == 0);
    }

    /** Redis refuses the command because of one call; only that call fails. */
    @Test
    void refusalFailsOnlyItsCall() throws Exception {
        Promise<Void> gate = gate("first");
        echoAndAwaitSent("first");
        CompletableFuture<String> before = echo("a", "before");
        CompletableFuture<String> refused = echo("a", REFUSED);
        CompletableFuture<String> after = echo("a", "after");
        gate.complete();

        assertThat(get(before)).isEqualTo("before");
        assertThat(get(after)).isEqualTo("after");
        assertThatThrownBy(() -> get(refused)).isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(RefusedException.class).hasMessageContaining("ERR refused");
        assertThat(commands).containsExactly(List.of("first"), List.of("before", REFUSED, "after"), List.of("before"),
                List.of(REFUSED), List.of("after"));
    }

    /** Calls that are retried alone are sent before later calls. */
    @Test
    void retriedCallsAreNotOvertaken() throws Exception {
        Promise<Void> gate = gate("first");
        Promise<Void> gateOfRefused = gate("before");
        echoAndAwaitSent("first");
        CompletableFuture<String> before = echo("a", "before");
        echo("a", REFUSED);
        gate.complete();
        awaitSent("before", REFUSED);
        CompletableFuture<String> later = echo("a", "later");
        assertThat(get(echo("b", "elsewhere"))).as("the later call is queued by now").isEqualTo("elsewhere");
        gateOfRefused.complete();

        assertThat(get(before)).isEqualTo("before");
        assertThat(get(later)).isEqualTo("later");
        assertThat(commandsOfA()).containsExactly(List.of("first"), List.of("before", REFUSED), List.of("before"),
                List.of(REFUSED), List.of("later"));
    }

    /** Commands in flight and queued calls are sent again when the connection breaks. */
    @Test
    void callsSurviveALostConnectionInOrder() throws Exception {
        get(echo("a", "open"));
        Promise<Void> gate = gate("first");
        gates.put("word", gate.future());
        CompletableFuture<String> first = echoAndAwaitSent("first");
        List<CompletableFuture<String>> others = echoWords(300);
        await().atMost(LONGEST_SECONDS, TimeUnit.SECONDS).until(() -> commands.size() == 4);
        redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        gate.complete();

        assertThat(get(first)).isEqualTo("first");
        assertEchoed(others);
        assertThat(commands.stream().skip(4).limit(3)).as("commands in flight, in order")
                .containsExactlyElementsOf(commands.stream().skip(1).limit(3).toList());
    }

    /** Calls of a bulkhead do not overtake each other during transient errors. */
    @Test
    void orderIsKeptDuringTransientErrors() throws Exception {
        int calls = 4 * CommandBatcher.MOST_TOGETHER;
        redis.command("SET", "busy", "BUSY Redis is busy running a script.");
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<Void>> replies = new ArrayList<>();
        for (String word : words(calls)) {
            replies.add(echo("a", word).thenAccept(done::add));
        }
        await().atMost(LONGEST_SECONDS, TimeUnit.SECONDS)
                .until(() -> attempts() > 2 * CommandBatcher.MOST_IN_FLIGHT);
        redis.command("DEL", "busy");

        for (CompletableFuture<Void> reply : replies) {
            reply.get(LONGEST_SECONDS, TimeUnit.SECONDS);
        }
        assertThat(done).containsExactlyElementsOf(words(calls));
        assertThat(redis.command("LRANGE", "echoed", "0", "-1").stream().map(Response::toString))
                .containsExactlyElementsOf(words(calls));
    }

    /**
     * Redis temporarily refuses the release and executes the acquire, which finds no permit: the acquire is sent again behind
     * the release.
     */
    @Test
    void callThatOvertookARefusedCommandIsSentAgain() throws Exception {
        Promise<Void> gate = gate("release");
        CompletableFuture<String> release = echoInBackground("release");
        awaitSent("release");
        CompletableFuture<String> acquire = echoAndAwaitSent("acquire");
        await().atMost(LONGEST_SECONDS, TimeUnit.SECONDS)
                .until(() -> redis.command("LRANGE", "echoed", "0", "-1").toString().equals("[acquire]"));
        redis.command("SET", "busy", "BUSY Redis is busy running a script.");
        gate.complete();
        await().atMost(LONGEST_SECONDS, TimeUnit.SECONDS).until(() -> attempts() > 2);
        CompletableFuture<String> later = echo("a", "later");
        assertThat(acquire).isNotDone();
        redis.command("DEL", "busy");

        assertThat(get(release)).isEqualTo("release");
        assertThat(get(acquire)).isEqualTo("acquire");
        assertThat(get(later)).isEqualTo("later");
        assertThat(redis.command("LRANGE", "echoed", "0", "-1").stream().map(Response::toString))
                .containsExactly("acquire", "release", "acquire", "later");
    }

    /**
     * Redis refuses an acquire before it replies to the earlier release. This is no sign of life: a server that sends nothing
     * else is away.
     */
    @Test
    void refusalsOutOfOrderDoNotDelayAnOutage() {
        gate("release");
        int refusals;
        do {
            try (RedisConnectionManager impatient = connections(Duration.ofMillis(500))) {
                batcher = batcher(impatient);
                redis.command("DEL", "busy");
                await().atMost(LONGEST_SECONDS, TimeUnit.SECONDS).ignoreExceptions()
                        .until(() -> get(echo("connected", "connected")).equals("connected"));
                redis.command("SET", "busy", "BUSY Redis is busy running a script.");
                int before = attempts();
                List<CompletableFuture<String>> releases = new ArrayList<>();
                List<CompletableFuture<String>> acquires = new ArrayList<>();
                await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(20)).atMost(LONGEST_SECONDS, TimeUnit.SECONDS)
                        .until(() -> {
                            // One refusal out of order per bulkhead.
                            String bulkhead = "b" + releases.size();
                            releases.add(echoInBackground(bulkhead, "release"));
                            acquires.add(echo(bulkhead, "acquire"));
                            return releases.get(0).isDone();
                        });

                assertThatThrownBy(() -> get(releases.get(0))).hasMessageContaining("has not executed a command for 500 ms");
                assertThat(acquires.get(0)).isDone();
                refusals = attempts() - before;
            }
            // On a busy machine, the timeout may come before the first refusal; repeat then.
        } while (refusals == 0);
    }

    /** In an outage, a call queued behind a command in flight fails with that command. */
    @Test
    void queuedCallFailsWithTheCommandInFlight() {
        try (RedisConnectionManager impatient = connections(Duration.ofMillis(300))) {
            batcher = batcher(impatient);
            gate("first");
            CompletableFuture<String> first = echo("a", "first");
            CompletableFuture<String> second = echo("a", "second");
            for (CompletableFuture<String> reply : List.of(first, second)) {
                assertThatThrownBy(() -> get(reply)).hasMessageContaining("not executed a command for 300 ms");
            }
        }
    }

    /** Trap 4: Redis executed an acquire and replied out of order, then fell silent. */
    @Test
    void outcomeOfACallWithdrawnAfterSendingIsUnknown() {
        try (RedisConnectionManager impatient = connections(Duration.ofMillis(400))) {
            batcher = batcher(impatient);
            gate("release");
            AtomicInteger attempts = new AtomicInteger();
            // Repeats if the outage starts before Redis executes the acquire, as on a busy machine.
            await().pollDelay(Duration.ZERO).atMost(LONGEST_SECONDS, TimeUnit.SECONDS).until(() -> {
                String acquire = "acquire-" + attempts.incrementAndGet();
                commands.clear();
                echoInBackground("release");
                awaitSentAtOnce("release");
                CompletableFuture<String> reply = echo("a", acquire);
                Throwable failure = reply.handle((echoed, thrown) -> thrown).get(LONGEST_SECONDS, TimeUnit.SECONDS);
                boolean executed = redis.command("LRANGE", "echoed", "0", "-1").toString().contains(acquire);
                if (executed && failure != null) {
                    assertThat(failure).isInstanceOfSatisfying(StoreException.class,
                            known -> assertThat(known.outcomeUnknown()).isTrue());
                }
                return executed && failure != null;
            });
        }
    }

    // Without the poll delay of Awaitility. The command is not sent while Redis counts as away.
    private void awaitSentAtOnce(String word) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(200);
        while (!commands.contains(List.of(word)) && System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void outageFailsAllQueuedCalls() throws Exception {
        try (RedisConnectionManager impatient = connections(Duration.ofMillis(300))) {
            batcher = batcher(impatient);
            gate("first");
            // Calls made after the outage, as on a slow machine, start the next one.
            gate("word");
            echo("a", "first");
            List<CompletableFuture<String>> queued = echoWords(150_000);

            assertThatThrownBy(() -> CompletableFuture.allOf(queued.toArray(CompletableFuture[]::new))
                    .get(LONGEST_SECONDS, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
            assertThat(queued).allMatch(CompletableFuture::isCompletedExceptionally);
        }
    }

    /** Redis replies more slowly than callers send requests. */
    @Test
    void callQueuedForTooLongFails() {
        try (RedisConnectionManager impatient = connections(Duration.ofMillis(100))) {
            batcher = batcher(impatient);
            pauseMillis = 50;
            // Repeats if Redis is silent for the timeout, as on a busy machine: that is an outage.
            await().pollDelay(Duration.ZERO).atMost(LONGEST_SECONDS, TimeUnit.SECONDS).untilAsserted(() -> {
                List<CompletableFuture<String>> queued = echoWords(80_000);
                assertThatThrownBy(() -> get(queued.get(queued.size() - 1))).hasMessageContaining("is overloaded");
            });
        }
    }
}
