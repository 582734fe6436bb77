package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadsInUse;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;

/** The scan beyond the store contract, because it is specific to Redis. */
class BulkheadScanTest {

    private static final int MORE_THAN_A_SCAN_COVERS = 150_000;

    private final TestRedis redis = new TestRedis();

    @AfterEach
    void stop() {
        redis.close();
    }

    private Topology topology(RedisOptions options, String prefix) {
        return new Topology(redis.vertx(), options, "quarkus.redis", prefix, Duration.ofSeconds(20), 1, false);
    }

    private BulkheadsInUse inUse(RedisOptions options, String prefix, BulkheadId... known) throws Exception {
        try (Topology topology = topology(options, prefix)) {
            return new BulkheadScan(topology).inUse(100, Set.of(known)).toCompletableFuture().get(30, TimeUnit.SECONDS);
        }
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
        BulkheadsInUse inUse = inUse(redis.options(), "test");
        assertThat(inUse.bulkheads()).isEmpty();
        assertThat(inUse.keysWithoutText()).containsOnly(Map.entry("pages", 2), Map.entry("{other}", 1));

        BulkheadId known = pages.forKey("b".repeat(500));
        BulkheadsInUse withKnown = inUse(redis.options(), "test", known, pages.forKey("c".repeat(500)));
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
            redis.command("HSET", foreign, "field", "value");
        }
        assertThat(inUse(redis.options(), "te*t").bulkheads()).containsExactly(reports.forKey("of te*t"));
    }

    /** A scan of many keys may exceed the command timeout; its steps do not, and other calls run in between. */
    @Test
    void scanStopsAtTooManyKeysAndLetsOtherCallsPass() throws Exception {
        redis.command("EVAL", "for i = 1, ARGV[1] do redis.call('SET', 'key:' .. i, '') end", 0, MORE_THAN_A_SCAN_COVERS);
        try (Topology topology = topology(redis.options(), "test")) {
            CompletionStage<BulkheadsInUse> scan = new BulkheadScan(topology).inUse(100, Set.of());
            AtomicInteger before = new AtomicInteger();
            for (int i = 0; i < 3; i++) {
                topology.send("PING", null, connection -> connection.send(Request.cmd(Command.PING)))
                        .thenRun(() -> before.addAndGet(scan.toCompletableFuture().isDone() ? 0 : 1)).toCompletableFuture()
                        .get(30, TimeUnit.SECONDS);
            }
            assertThat(scan.toCompletableFuture().get(30, TimeUnit.SECONDS).incomplete())
                    .hasValueSatisfying(reason -> assertThat(reason).contains("too many keys"));
            assertThat(before).as("calls that were answered before the end of the scan").hasValue(3);
        }
    }

    @Test
    void missingScanPermissionIsReported() throws Exception {
        redis.command("ACL", "SETUSER", "blind", "on", ">secret", "~*", "+@all", "-scan");
        BulkheadsInUse inUse = inUse(redis.optionsOf("blind"), "test");
        assertThat(inUse.bulkheads()).isEmpty();
        assertThat(inUse.incomplete()).hasValueSatisfying(reason -> assertThat(reason).contains("+scan"));
    }
}
