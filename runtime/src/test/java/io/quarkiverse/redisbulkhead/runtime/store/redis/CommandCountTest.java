package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Need;

/**
 * The cost of statements in Redis: one command from the network each, and the commands of the script. The numbers are exact on
 * any machine; do not increase them without a reason.
 */
class CommandCountTest {

    private static final BulkheadId REPORTS = BulkheadId.of("reports");
    private static final List<Need> ONE = List.of(new Need(0, 0, 1, 1));

    /** Of a statement after which the instance has more permits, or more calls that wait. */
    private static final String ASKS = "time hmget zrange hset hset";

    /** Of a statement that Redis carries out also when its memory is full. */
    private static final String RENEWS_OR_RETURNS = "time hmget zrange hdel hset";

    private static TestRedis redis;

    private Instance first;
    private Instance second;

    @BeforeAll
    static void start() {
        redis = new TestRedis();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    /** An instance that states its position by hand. */
    private static final class Instance implements AutoCloseable {

        private final RedisShareStore store = TestStore.SCRIPT.open(redis, redis.options(), Duration.ofSeconds(20));
        private long number;
        private long returned;
        private Position last;

        private Position state(int limit, boolean givesBack, List<Need> needs, List<Need> immediate) throws Exception {
            if (last != null && givesBack) {
                returned = last.granted();
            }
            Statement statement = new Statement(REPORTS, ++number, last == null ? 0 : last.epoch(),
                    last == null ? 0 : last.granted(), returned, 0, 60_000, limit, false, false, needs, immediate, 0, 0,
                    last == null ? "" : last.server(), -1, List.of(), List.of());
            last = store.sync(statement).toCompletableFuture().get(30, TimeUnit.SECONDS);
            return last;
        }

        @Override
        public void close() {
            store.close();
        }
    }

    @BeforeEach
    void everyScriptIsKnown() throws Exception {
        redis.command("FLUSHALL");
        first = new Instance();
        second = new Instance();
        first.state(10, false, List.of(), ONE);
        second.state(10, false, List.of(), ONE);
    }

    @AfterEach
    void close() {
        first.close();
        second.close();
    }

    /** A step that may fail. */
    private interface Step {

        void run() throws Exception;
    }

    private static Map<String, Integer> commandsOf(Step step) throws Exception {
        redis.command("CONFIG", "RESETSTAT");
        step.run();
        Map<String, Integer> counts = new TreeMap<>();
        Matcher line = Pattern.compile("cmdstat_(\\w+):calls=(\\d+)").matcher(redis.command("INFO", "commandstats").toString());
        while (line.find()) {
            counts.put(line.group(1), Integer.valueOf(line.group(2)));
        }
        // Times to live are extended about once a second. An instance subscribes beside its first statements, and now and then
        // sends itself a message.
        List.of("config", "info", "hello", "pexpire", "publish", "subscribe").forEach(counts::remove);
        assertThat(counts.remove("evalsha")).as("commands from the network").isEqualTo(1);
        return counts;
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
    void acquire() throws Exception {
        assertThat(commandsOf(() -> first.state(10, false, List.of(), ONE))).isEqualTo(commands(ASKS));
    }

    @Test
    void returnOfOneAndTheNextAcquireInOneStatement() throws Exception {
        assertThat(commandsOf(() -> first.state(10, true, List.of(), ONE))).isEqualTo(commands(ASKS));
    }

    @Test
    void renewal() throws Exception {
        assertThat(commandsOf(() -> first.state(10, false, List.of(), List.of()))).isEqualTo(commands(RENEWS_OR_RETURNS));
    }

    @Test
    void rejection() throws Exception {
        assertThat(commandsOf(() -> first.state(2, false, List.of(), ONE))).isEqualTo(commands(ASKS));
    }

    @Test
    void permitsOfManyCallsCostAsMuchAsOne() throws Exception {
        Map<String, Integer> one = commandsOf(() -> first.state(1_000, false, List.of(), ONE));

        assertThat(commandsOf(() -> first.state(1_000, false, List.of(), List.of(new Need(0, 0, 1, 100))))).isEqualTo(one);
        assertThat(commandsOf(() -> first.state(1_000, false, List.of(), List.of(new Need(0, 0, 300, 1))))).isEqualTo(one);
        assertThat(commandsOf(() -> first.state(1_000, true, List.of(), List.of()))).isEqualTo(commands(RENEWS_OR_RETURNS));
    }

    /** Trap 37: a hand-over reads no more waiters than it serves. */
    @Test
    void returnWithAHandOver() throws Exception {
        second.state(2, false, List.of(new Need(0, 1, 1, 1)), List.of());
        assertThat(commandsOf(() -> first.state(2, true, List.of(), List.of())))
                .isEqualTo(commands(RENEWS_OR_RETURNS + " hget zrange zrem"));
    }
}
