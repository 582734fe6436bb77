package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static io.quarkiverse.redisbulkhead.runtime.store.redis.ScriptCall.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.redis.ScriptCall.Terms;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Response;

/**
 * The cost of calls in Redis: commands from the network and commands within the script. The numbers are exact on any machine;
 * do not increase them without a reason.
 */
class CommandCountTest {

    private static final BulkheadId REPORTS = BulkheadId.of("reports");
    private static final LuaScript SCRIPT = LuaScript.of("bulkhead");
    private static final BulkheadKeys KEYS = new BulkheadKeys("count", REPORTS);
    private static final Duration LEASE = Duration.ofMinutes(1);

    private static final int RELEASE_AND_HAND_OVER = 20;

    private static TestRedis redis;
    private static Redis client;
    private static RedisConnection connection;

    @BeforeAll
    static void start() throws Exception {
        redis = new TestRedis();
        client = redis.newClient();
        connection = client.connect().toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    @AfterAll
    static void stop() {
        client.close();
        redis.close();
    }

    /** The script is cached, and the limit was just declared. */
    @BeforeEach
    void warmUp() throws Exception {
        redis.command("FLUSHALL");
        run(acquires(10, "first"));
        run(releases("first"));
    }

    private static List<ScriptCall<?>> acquires(int limit, String... ids) {
        return requests(limit, Duration.ZERO, ids);
    }

    private static List<ScriptCall<?>> requests(int limit, Duration place, String... ids) {
        return requests(limit, LEASE, place, ids);
    }

    // Afterwards, no key needs a longer time to live.
    private static List<ScriptCall<?>> acquireForLong(int limit) {
        return requests(limit, LEASE.multipliedBy(2), Duration.ZERO, "long");
    }

    private static List<ScriptCall<?>> requests(int limit, Duration lease, Duration place, String... ids) {
        return Stream.of(ids).<ScriptCall<?>> map(id -> new ScriptCall<>(1, true,
                new Terms(limit, lease.toMillis(), place.toMillis(), true, "me\napp\nhost:1\nReports#render"),
                List.of(bytes(id)), (replies, index, repeated) -> replies.get(index)))
                .toList();
    }

    private static List<ScriptCall<?>> releases(String... ids) {
        return Stream.of(ids)
                .<ScriptCall<?>> map(
                        id -> new ScriptCall<>(1, false, null, List.of(bytes("release"), bytes(id)),
                                (replies, index, repeated) -> replies.get(index)))
                .toList();
    }

    private static void run(List<ScriptCall<?>> calls) throws Exception {
        calls(calls);
    }

    private static Response calls(List<ScriptCall<?>> calls) throws Exception {
        return SCRIPT.run(KEYS, ScriptCall.arguments("me", calls), connection::send).toCompletionStage().toCompletableFuture()
                .get(20,
                        TimeUnit.SECONDS);
    }

    private static Map<String, Integer> commandsOf(List<ScriptCall<?>> calls) throws Exception {
        redis.command("CONFIG", "RESETSTAT");
        run(calls);
        Map<String, Integer> counts = new TreeMap<>();
        Matcher line = Pattern.compile("cmdstat_(\\w+):calls=(\\d+)").matcher(redis.command("INFO", "commandstats").toString());
        while (line.find()) {
            counts.put(line.group(1), Integer.valueOf(line.group(2)));
        }
        counts.remove("config");
        counts.remove("info");
        // From the reading connection.
        counts.remove("hello");
        assertThat(counts.remove("evalsha")).as("commands from the network").isEqualTo(1);
        return counts;
    }

    private static String[] ids(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toArray(String[]::new);
    }

    // Counts each word.
    private static Map<String, Integer> commands(String text) {
        Map<String, Integer> counts = new TreeMap<>();
        for (String word : text.split(" ")) {
            counts.merge(word, 1, Integer::sum);
        }
        return counts;
    }

    @Test
    void firstAcquire() throws Exception {
        assertThat(commandsOf(acquires(10, "a"))).isEqualTo(commands("time exists hmget zcard zadd pexpire hset"));
    }

    /** At most once a second: extends the times to live and cleans up. */
    @Test
    void acquireThatExtendsTheTimesToLive() throws Exception {
        assertThat(commandsOf(acquireForLong(10)))
                .isEqualTo(commands("time exists hmget zcard zadd hset hrandfield pexpire pexpire"));
    }

    @Test
    void furtherAcquires() throws Exception {
        Map<String, Integer> expected = commands("time exists hmget zcard zcount zadd hset");
        run(acquireForLong(1_000));
        assertThat(commandsOf(acquires(1_000, "c"))).isEqualTo(expected);
        run(acquires(1_000, ids("b", 16)));
        assertThat(commandsOf(acquires(1_000, ids("d", 100)))).as("a hundred cost as many commands as one")
                .isEqualTo(expected);
    }

    /** Redis scans a listpack for each entry, which doubled the cost of a batch of 64 pairs. */
    @Test
    void holdersBecomeASkipListWhenTheyGrow() throws Exception {
        run(acquireForLong(1_000));
        run(acquires(1_000, ids("a", 15)));
        assertThat(encodingOfHolders()).isNotEqualTo("skiplist");
        assertThat(commandsOf(acquires(1_000, "b"))).isEqualTo(commands("time exists hmget zcard zcount zadd zadd zrem hset"));
        assertThat(encodingOfHolders()).isEqualTo("skiplist");
        assertThat(redis.command("ZCARD", "count:{reports}:holders").toInteger()).isEqualTo(17);

        run(releases("b"));
        assertThat(commandsOf(releases("long"))).isEqualTo(commands("time exists hmget zmscore zrem hdel"));
        run(releases(ids("a", 15)));
        assertThat(redis.command("EXISTS", "count:{reports}:holders").toInteger()).isZero();
        run(acquires(1_000, ids("c", 17)));
        assertThat(encodingOfHolders()).isEqualTo("skiplist");
    }

    @Test
    void queueBecomesASkipListWhenItGrows() throws Exception {
        run(acquires(1, "a"));
        run(requests(1, Duration.ofMinutes(1), ids("w", 17)));
        assertThat(redis.command("OBJECT", "ENCODING", "count:{reports}:queue")).hasToString("skiplist");
        assertThat(redis.command("ZCARD", "count:{reports}:queue").toInteger()).isEqualTo(17);
    }

    private static String encodingOfHolders() throws Exception {
        return redis.command("OBJECT", "ENCODING", "count:{reports}:holders").toString();
    }

    @Test
    void manyReleasesCostAsManyCommandsAsOne() throws Exception {
        Map<String, Integer> expected = commands("time exists hmget zmscore zrem hdel");
        run(acquires(1_000, ids("a", 101)));
        assertThat(commandsOf(releases("a100"))).isEqualTo(expected);
        assertThat(commandsOf(releases(ids("a", 100)))).isEqualTo(expected);
    }

    /** A heavy permit costs as many commands as one of weight 1. */
    @Test
    void weightCostsNoCommands() throws Exception {
        run(acquireForLong(1_000));
        run(acquires(1_000, ids("b", 16)));
        assertThat(commandsOf(acquires(1_000, "*300*a"))).isEqualTo(commands("time exists hmget zcard zcount zadd hset"));
        assertThat(redis.command("ZCARD", "count:{reports}:holders").toInteger()).isEqualTo(317);
        assertThat(commandsOf(releases("*300*a"))).isEqualTo(commands("time exists hmget zmscore zrem hdel"));
        assertThat(redis.command("ZCARD", "count:{reports}:holders").toInteger()).isEqualTo(17);
    }

    @Test
    void sizeOfACallIsItsWeight() {
        assertThat(acquires(1_000, "a", "*300*b")).extracting(call -> call.size).containsExactly(1, 300);
        assertThat(releases("a", "*300*b")).extracting(call -> call.size).containsExactly(1, 300);
    }

    /** Trap 24: unpack calls are bounded. */
    @Test
    void manyHeavyPermitsInOneCall() throws Exception {
        String[] all = ids("*1000*a", 100);
        run(acquires(100_000, all));
        assertThat(redis.command("ZCARD", "count:{reports}:holders").toInteger()).isEqualTo(100_000);
        run(releases(all));
        assertThat(redis.command("EXISTS", "count:{reports}:holders").toInteger()).isZero();
    }

    @Test
    void releasesAndAcquiresTogether() throws Exception {
        run(acquireForLong(1_000));
        run(acquires(1_000, ids("a", 100)));
        List<ScriptCall<?>> mixed = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            mixed.addAll(releases("a" + i));
            mixed.addAll(acquires(1_000, "b" + i));
        }
        assertThat(commandsOf(mixed)).isEqualTo(commands("time exists hmget zcard zcount zmscore zrem zadd hset hdel"));
    }

    @Test
    void permitGrantedAndReleasedInOneBatchIsNotWritten() throws Exception {
        run(acquireForLong(1_000));
        List<ScriptCall<?>> both = new ArrayList<>(acquires(1_000, "a"));
        both.addAll(releases("a"));
        assertThat(commandsOf(both)).isEqualTo(commands("time exists hmget zcard zcount zmscore zrem hdel hset"));
    }

    /** Only calls with min-hold pay for it. */
    @Test
    void releaseWithMinHold() throws Exception {
        run(acquires(1_000, ids("a", 101)));
        assertThat(commandsOf(List.of(new ScriptCall<>(1, false, null,
                List.of(bytes("release after"), bytes(20_000), bytes("a0")),
                (replies, index, repeated) -> replies.get(index)))))
                .isEqualTo(commands("time exists hmget zcard zcount zmscore zrem hdel zadd hset"));
    }

    @Test
    void rejectionsWriteNothing() throws Exception {
        run(acquires(10, ids("a", 10)));
        assertThat(commandsOf(acquires(10, ids("b", 100))))
                .isEqualTo(commands("time exists hmget zcard zcount zmscore zrange"));
    }

    /** Trap 37: a release hands over in one command, and reads no more waiters than it may serve, however many wait. */
    @Test
    void releaseWithAHandOver() throws Exception {
        run(acquireForLong(10));
        run(acquires(10, ids("a", 9)));
        run(requests(10, Duration.ofMinutes(1), "w"));
        Map<String, Integer> toOne = commandsOf(releases("a0"));
        // Otherwise the lease of its hand-over would expire before all others wait.
        run(releases("w"));
        for (int i = 0; i < 320; i++) {
            run(requests(10, Duration.ofMinutes(1), ids("w" + i + "-", 100)));
        }
        Map<String, Integer> toTheFirst = commandsOf(releases("a1"));
        assertThat(toTheFirst).as("with 32,000 waiters as with one").isEqualTo(toOne);
        assertThat(total(toOne)).isLessThanOrEqualTo(RELEASE_AND_HAND_OVER);
    }

    private static int total(Map<String, Integer> commands) {
        return commands.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Trap 38: the declared limits stay bounded, in Redis and in replies, if a resolver changes the limit with each call. */
    @Test
    void numberOfDeclaredLimitsIsBounded() throws Exception {
        for (int i = 0; i < 6_000; i++) {
            run(acquires(10 + i, "p" + i));
            run(releases("p" + i));
        }
        String declared = redis.command("HGET", "count:{reports}:state", "declared limits").toString();
        assertThat(declared.strip().split(" ")).hasSize(8);
        ScriptCall.Reply reply = ScriptCall.Reply.of(calls(acquires(9, "next")).toString());
        assertThat(reply.notices()).singleElement().satisfies(limits -> assertThat(limits.split(",")).hasSize(7));
        assertThat(redis.command("HLEN", "count:{reports}:state").toInteger()).isEqualTo(4);
    }
}
