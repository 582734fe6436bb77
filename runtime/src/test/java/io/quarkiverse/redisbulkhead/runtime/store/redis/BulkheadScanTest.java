package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadsInUse;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** The scan beyond the store contract, because it is specific to Redis. */
class BulkheadScanTest {

    static final int MORE_THAN_A_SCAN_COVERS = 150_000;

    private TestRedis redis;
    private Redis client;
    private Topology connections;

    @BeforeEach
    void start() {
        redis = new TestRedis();
        client = redis.newClient();
        connections = connections(redis.options(), true);
    }

    @AfterEach
    void stop() {
        connections.close();
        client.close();
        redis.close();
    }

    private Topology connections(RedisOptions options, boolean pipelined) {
        return new Topology(redis.vertx(), options, "quarkus.redis", "test", Duration.ofSeconds(20), 1, pipelined);
    }

    private BulkheadsInUse inUse(String prefix, Topology over, BulkheadId... known) throws Exception {
        return new BulkheadScan(prefix, false, command -> send(over, command))
                .inUse(100, Set.of(known)).toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    private static CompletionStage<Response> send(Topology over, Request command) {
        return over.send(new ServerCall<>("SCAN", null, connection -> connection.send(command)));
    }

    private void held(String prefix, BulkheadId bulkhead) {
        redis.command("HSET", new BulkheadKeys(prefix, bulkhead) + "shares", "field", "value");
    }

    @Test
    void longKeysAreCounted() throws Exception {
        BulkheadId pages = BulkheadId.of("pages");
        held("test", pages.forKey("a".repeat(500)));
        held("test", pages.forKey("b".repeat(500)));
        held("test", BulkheadId.of("{other}").forKey("\uD800"));

        BulkheadsInUse inUse = inUse("test", connections);

        assertThat(inUse.bulkheads()).isEmpty();
        assertThat(inUse.keysWithoutText()).containsOnly(Map.entry("pages", 2), Map.entry("{other}", 1));

        BulkheadId known = pages.forKey("b".repeat(500));
        BulkheadsInUse withKnown = inUse("test", connections, known, pages.forKey("c".repeat(500)));
        assertThat(withKnown.bulkheads()).containsExactly(known);
        assertThat(withKnown.keysWithoutText()).as("the others").containsOnly(Map.entry("pages", 1), Map.entry("{other}", 1));
    }

    @Test
    void foreignKeysAndPrefixesAreIgnored() throws Exception {
        BulkheadId reports = BulkheadId.of("reports");
        for (String prefix : new String[] { "te*t", "test", "a:te*t", "te*t:b" }) {
            held(prefix, reports.forKey("of " + prefix));
        }
        for (String foreign : new String[] { "te*t:{}:shares", "te*t:{a%:%ZZ}:shares", "te*t:{a%:%4}:shares",
                "te*t:{a%:\u00e4}:shares", "te*t:{a%:%FF}:shares", "te*t:shares", "te*t:{reports}:tickets" }) {
            redis.command("SET", foreign, "x");
        }

        assertThat(inUse("te*t", connections).bulkheads()).containsExactly(reports.forKey("of te*t"));
    }

    private void populate() {
        redis.command("EVAL", "for i = 1, ARGV[1] do redis.call('SET', 'key:' .. i, '') end", 0, MORE_THAN_A_SCAN_COVERS);
    }

    @Test
    void scanStopsAtTooManyKeys() throws Exception {
        populate();

        assertThat(inUse("test", connections).incomplete())
                .hasValueSatisfying(reason -> assertThat(reason).contains("too many keys"));
    }

    /** A scan of many keys may exceed the command timeout; its steps do not, and other calls run in between. */
    @Test
    void otherCallsRunBetweenTheSteps() throws Exception {
        populate();
        Topology oneAtATime = connections(redis.options(), false);
        List<String> steps = new CopyOnWriteArrayList<>();
        CompletionStage<BulkheadsInUse> scan = new BulkheadScan("test", false, step -> {
            steps.add("step");
            if (steps.size() == 2) {
                oneAtATime.send(new ServerCall<>("ping", null, connection -> connection.send(Request.cmd(Command.PING))))
                        .thenRun(() -> steps.add("other"));
            }
            return send(oneAtATime, step);
        }).inUse(100, Set.of());
        scan.toCompletableFuture().get(30, TimeUnit.SECONDS);

        assertThat(steps.indexOf("other")).isBetween(1, 5);
        assertThat(steps).hasSize(101);
        oneAtATime.close();
    }

    @Test
    void missingScanPermissionIsReported() throws Exception {
        redis.command("ACL", "SETUSER", "blind", "on", ">secret", "~*", "+@all", "-scan");
        Topology blind = connections(redis.optionsOf("blind"), true);

        BulkheadsInUse inUse = inUse("test", blind);

        assertThat(inUse.bulkheads()).isEmpty();
        assertThat(inUse.incomplete()).hasValueSatisfying(reason -> assertThat(reason).contains("+scan"));
        blind.close();
    }
}
