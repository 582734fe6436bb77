package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Cancelled;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Full;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Response;

/** What the Redis stores have in common beyond the store contract: keys, errors and a real clock. */
@ParameterizedClass
@EnumSource(TestStore.class)
class RedisPermitStoreTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final String HOLDERS = "test:{reports}:holders";

    static TestRedis redis;

    @Parameter
    TestStore kind;

    TestProcess process;
    PermitStore store;

    @BeforeAll
    static void start() {
        redis = new TestRedis();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @BeforeEach
    void connect() {
        redis.command("FLUSHALL");
        process = new TestProcess(redis, kind);
        store = process.store;
    }

    @AfterEach
    void disconnect() {
        assertEveryKeyExpires();
        process.close();
    }

    @Test
    void grantsUpToTheLimitAndNoFurther() {
        assertThat(acquire("a", 2)).isInstanceOf(Granted.class);
        assertThat(acquire("b", 2)).isInstanceOf(Granted.class);

        assertThat(acquire("c", 2)).isInstanceOfSatisfying(Full.class, full -> {
            assertThat(full.limit()).isEqualTo(2);
            assertThat(full.nearestLeaseEnd()).isPositive().isLessThanOrEqualTo(LONG);
        });
        assertThat(holderIds()).containsExactly("a", "b");
    }

    @Test
    void releasedPermitIsFreeAndLeavesNothing() {
        acquire("a", 1);

        assertThat(get(store.release(BulkheadId.of("b"), "a"))).as("wrong bulkhead").isFalse();
        assertThat(get(store.release(BulkheadId.of("reports"), "a"))).isTrue();

        assertThat(keys()).containsExactly("test:{reports}:state");
        assertThat(records()).isEmpty();
        assertThat(acquire("b", 1)).isInstanceOf(Granted.class);
    }

    /**
     * Leases and places show which details are obsolete. If these expired first, the details would stay as long as the
     * bulkhead is used.
     */
    @Test
    void detailsDoNotOutliveTheirLeasesAndPlaces() {
        acquire("a", 1);
        get(store.acquire(
                new AcquireRequest(BulkheadId.of("reports"), "b", 1, Duration.ofSeconds(2), true, Duration.ofSeconds(2),
                        "app", "host:1", "Reports#render")));

        get(store.renew(BulkheadId.of("reports"), Map.of("a", Duration.ofMinutes(10))));

        for (String part : List.of("holders", "state", "queue")) {
            assertThat(redis.command("PTTL", "test:{reports}:" + part).toLong()).as(part).isGreaterThan(590_000);
        }
    }

    /** Trap 7: a late or repeated release removes only its own id. */
    @Test
    void releaseRemovesOnlyItsOwnPermit() {
        acquire("a", 2);
        acquire("b", 2);

        assertThat(get(store.release(BulkheadId.of("reports"), "a"))).isTrue();
        assertThat(get(store.release(BulkheadId.of("reports"), "a"))).as("released twice").isFalse();
        assertThat(get(store.release(BulkheadId.of("reports"), "never"))).isFalse();

        assertThat(holderIds()).containsExactly("b");
    }

    /** Others may use the lost part of a permit; the next renewal restores it. */
    @Test
    void renewalRestoresALostPartOfAPermit() {
        acquire("*3*a", 4);
        redis.command("ZREM", HOLDERS, "*3*a 2");
        assertThat(acquire("*3*b", 4)).isInstanceOf(Full.class);
        assertThat(acquire("c", 4)).isInstanceOf(Granted.class);

        assertThat(get(store.renew(BulkheadId.of("reports"), Map.of("*3*a", LONG)))).isEmpty();

        assertThat(inUse()).isEqualTo(4);
        assertThat(get(store.release(BulkheadId.of("reports"), "*3*a"))).isTrue();
        assertThat(inUse()).isEqualTo(1);
    }

    /** A permit is lost with its first entry. The other entries count until the holder notices. */
    @Test
    void remainderOfALostPermitCountsUntilItsRelease() {
        acquire("*3*a", 3);
        redis.command("ZREM", HOLDERS, "*3*a");

        assertThat(acquire("*2*b", 3)).isInstanceOf(Full.class);
        assertThat(acquire("c", 3)).isInstanceOf(Granted.class);
        assertThat(get(store.renew(BulkheadId.of("reports"), Map.of("*3*a", LONG)))).containsExactly("*3*a");
        assertThat(get(store.release(BulkheadId.of("reports"), "*3*a"))).isFalse();

        assertThat(inUse()).isEqualTo(1);
        assertThat(acquire("*2*b", 3)).isInstanceOf(Granted.class);
    }

    /** Weights do not depend on the records. */
    @Test
    void permitKeepsItsWeightWithoutItsRecord() {
        acquire("*3*a", 4, Duration.ofSeconds(20));
        redis.command("DEL", "test:{reports}:state");

        assertThat(get(store.renew(BulkheadId.of("reports"), Map.of("*3*a", LONG)))).isEmpty();
        assertThat(redis.command("ZCOUNT", HOLDERS, Long.toString(System.currentTimeMillis() + 40_000), "+inf").toInteger())
                .isEqualTo(3);
        assertThat(acquire("*2*b", 4)).isInstanceOf(Full.class);
        assertThat(get(store.release(BulkheadId.of("reports"), "*3*a"))).isTrue();
        assertThat(inUse()).isZero();
    }

    private int inUse() {
        return get(store.occupancy(BulkheadId.of("reports"), 0)).inUse();
    }

    /** Trap 2: counting and adding are atomic. */
    @Test
    void raceOfAThousandNeverExceedsTheLimit() {
        List<CompletableFuture<AcquireReply>> replies = new ArrayList<>();
        List<TestProcess> processes = IntStream.range(0, 4).mapToObj(i -> new TestProcess(redis, kind)).toList();
        for (int i = 0; i < 1_000; i++) {
            replies.add(processes.get(i % 4).store.acquire(request("p" + i, 5, LONG)).toCompletableFuture());
        }

        assertThat(replies.stream().map(RedisPermitStoreTest::get).filter(Granted.class::isInstance)).hasSize(5);
        assertThat(holderIds()).hasSize(5);
        processes.forEach(TestProcess::close);
    }

    /** Trap 4: a client may repeat a request whose reply was lost. */
    @Test
    void repeatedRequestReturnsTheSamePermit() {
        AcquireReply first = acquire("a", 1);

        assertThat(acquire("a", 1)).isEqualTo(first);
        assertThat(holderIds()).containsExactly("a");
    }

    /** Trap 4: a late copy of a cancelled request gets no permit. */
    @Test
    void lateCancelledRequestIsRefused() {
        acquire("held", 5);
        get(store.cancel(BulkheadId.of("reports"), List.of("held", "late"), LONG));

        assertThat(acquire("late", 5)).isInstanceOf(Cancelled.class);
        assertThat(holderIds()).isEmpty();
        assertThat(acquire("other", 5)).isInstanceOf(Granted.class);
    }

    @Test
    void cancelsAHundredAtOnce() {
        List<String> ids = IntStream.range(0, 100).mapToObj(i -> "p" + i).toList();
        ids.forEach(id -> acquire(id, 200));
        acquire("stays", 200);

        get(store.cancel(BulkheadId.of("reports"), ids, LONG));

        assertThat(holderIds()).containsExactly("stays");
    }

    /** Trap 3, Trap 12: the permit of a dead holder is free after its lease, and rejected callers learn when. */
    @Test
    void expiredPermitIsFreeAndIsCleanedUp() {
        // Repeats if the machine pauses for longer than the lease.
        await().pollDelay(Duration.ZERO).atMost(30, TimeUnit.SECONDS).untilAsserted(() -> {
            get(store.release(BulkheadId.of("reports"), "b"));
            acquire("short", 1, Duration.ofMillis(300));
            assertThat(acquire("b", 1)).isInstanceOfSatisfying(Full.class,
                    full -> assertThat(full.nearestLeaseEnd()).isLessThanOrEqualTo(Duration.ofMillis(300)));
        });

        await().atMost(10, TimeUnit.SECONDS).until(() -> acquire("b", 1) instanceof Granted);

        assertThat(holderIds()).containsExactly("b");
        assertThat(records()).containsExactly("b");
        assertThat(get(store.release(BulkheadId.of("reports"), "short"))).as("a late release").isFalse();
        assertThat(holderIds()).containsExactly("b");
    }

    /** Trap 8: a short lease affects neither the keys nor other leases. */
    @Test
    void shortLeaseDoesNotShortenOtherLeases() {
        acquire("long", 5, Duration.ofMinutes(10));
        acquire("short", 5, Duration.ofMillis(50));

        assertThat(redis.command("PTTL", "test:{reports}:holders").toLong()).isGreaterThan(590_000);
        assertThat(redis.command("PTTL", "test:{reports}:state").toLong()).isGreaterThan(590_000);
        await().atMost(10, TimeUnit.SECONDS).untilAsserted(() -> assertThat(holderIds()).containsExactly("long"));
    }

    /** Trap 21: a bulkhead used once leaves nothing. */
    @Test
    void allKeysOfAnUnusedBulkheadExpire() {
        acquire("a", 1, Duration.ofMillis(100));

        await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(keys()).isEmpty());
    }

    /** Trap 9, Trap 21, guarantee 9: the data of waiters, limits and cancellations expires, too. */
    @Test
    void keysOfWaitersExpire() {
        Duration place = Duration.ofSeconds(10);
        acquire("a", 1);
        get(store.acquire(new AcquireRequest(BulkheadId.of("reports"), "fair", 1, LONG, true, place, "app", "host:1", "A#a")));
        get(store.acquire(
                new AcquireRequest(BulkheadId.of("reports"), "unfair", 1, LONG, false, place, "app", "host:1", "A#a")));
        get(store.cancel(BulkheadId.of("reports"), List.of("never"), LONG));
        get(store.resize(BulkheadId.of("reports"), 1));

        assertThat(keys()).containsExactlyInAnyOrderElementsOf(
                new BulkheadKeys("test", BulkheadId.of("reports")).data().stream().map(String::new).toList());
        assertEveryKeyExpires();
        get(store.release(BulkheadId.of("reports"), "fair"));
        get(store.release(BulkheadId.of("reports"), "unfair"));
        assertThat(keys()).doesNotContain("test:{reports}:queue", "test:{reports}:standby");
    }

    /** Trap 6: a server without free memory still accepts releases, and refuses acquires. */
    @Test
    void releaseWorksWhenMemoryIsFull() {
        acquire("a", 1);
        whenMemoryIsFull(() -> {
            assertThatThrownBy(() -> acquire("b", 2)).isInstanceOfSatisfying(StoreException.class, refusal -> {
                assertThat(refusal).hasMessageContaining("OOM");
                assertThat(refusal.outcomeUnknown()).as("outcome is known").isFalse();
            });
            assertThat(get(store.release(BulkheadId.of("reports"), "a"))).isTrue();
        });
        assertThat(holderIds()).isEmpty();
    }

    /** Trap 6: a script that has started to write may continue when the memory is full; a transaction is refused. */
    @Test
    void scriptRenewsWhenMemoryIsFull() {
        acquire("a", 1);
        whenMemoryIsFull(() -> {
            if (kind == TestStore.SCRIPT) {
                assertThat(get(store.renew(BulkheadId.of("reports"), Map.of("a", Duration.ofSeconds(1))))).isEmpty();
                assertThat(get(store.renew(BulkheadId.of("reports"), Map.of("a", Duration.ofMinutes(5))))).isEmpty();
                assertThat(get(store.occupancy(BulkheadId.of("reports"), 1)).holders().get(0).until())
                        .isAfter(serverTime().plus(Duration.ofMinutes(4)));
            } else {
                assertThatThrownBy(() -> get(store.renew(BulkheadId.of("reports"), Map.of("a", Duration.ofMinutes(5)))))
                        .isInstanceOf(StoreException.class).hasMessageContaining("OOM");
            }
        });
    }

    /** The permit ids with a record; all other fields contain a space. */
    private static List<String> records() {
        return StreamSupport.stream(redis.command("HKEYS", "test:{reports}:state").spliterator(), false).map(Response::toString)
                .filter(field -> !field.contains(" ")).toList();
    }

    private static void whenMemoryIsFull(Runnable test) {
        redis.command("CONFIG", "SET", "maxmemory", 1);
        try {
            test.run();
        } finally {
            redis.command("CONFIG", "SET", "maxmemory", 0);
        }
    }

    /** Trap 19: running executions finish, and no call enters until the use is below the new limit. */
    @Test
    void lowerLimitDrains() {
        List.of("a", "b", "c", "d").forEach(id -> acquire(id, 4));

        assertThat(acquire("e", 2)).isInstanceOfSatisfying(Full.class, full -> assertThat(full.limit()).isEqualTo(2));
        List.of("a", "b").forEach(id -> get(store.release(BulkheadId.of("reports"), id)));
        assertThat(acquire("e", 2)).isInstanceOf(Full.class);
        get(store.release(BulkheadId.of("reports"), "c"));
        assertThat(acquire("e", 2)).isInstanceOf(Granted.class);
    }

    /** Trap 20: the limit applies with all permits in use, and with none. */
    @Test
    void emptyDiffersFromUninitialized() {
        for (int round = 0; round < 3; round++) {
            assertThat(acquire("a" + round, 1)).isInstanceOf(Granted.class);
            assertThat(acquire("b" + round, 1)).isInstanceOf(Full.class);
            get(store.release(BulkheadId.of("reports"), "a" + round));
        }
    }

    /** Trap 24: limits and counts beyond Lua's unpack and 32-bit integers. */
    @Test
    void largeLimitsAndManyExpiredPermits() {
        // The maximum of the lock store, see LockPermitStoreTest.
        int number = kind == TestStore.SCRIPT ? 9_000 : 1_000;
        List<CompletableFuture<AcquireReply>> replies = IntStream.range(0, number)
                .mapToObj(i -> store.acquire(request("p" + i, Integer.MAX_VALUE, LONG)).toCompletableFuture())
                .toList();
        assertThat(replies.stream().map(RedisPermitStoreTest::get)).allMatch(Granted.class::isInstance);
        assertThat(redis.command("ZCARD", "test:{reports}:holders").toInteger()).as("not expired yet")
                .isEqualTo(number);

        // Sets the lease ends directly: no lease is short enough for a test and long enough for all requests on a busy
        // machine.
        redis.command("EVAL", "for _, entry in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do "
                + "redis.call('ZADD', KEYS[1], 1, entry) end", 1, HOLDERS);
        assertThat(inUse()).isZero();
        assertThat(acquire("next", 1)).isInstanceOf(Granted.class);
        if (kind == TestStore.SCRIPT) {
            assertThat(redis.command("ZCARD", "test:{reports}:holders").toInteger()).as("cleaned up in batches")
                    .isEqualTo(8_001);
        } else {
            // The cleanup may continue after the reply.
            await().atMost(30, TimeUnit.SECONDS)
                    .until(() -> redis.command("ZCARD", "test:{reports}:holders").toInteger() == 1);
        }
    }

    /** Guarantee 7: tickets increase, also after the keys were deleted. */
    @Test
    void ticketsIncreaseAcrossFlushAll() {
        long first = ticket(acquire("a", 9));
        long second = ticket(acquire("b", 9));
        redis.command("FLUSHALL");
        long third = ticket(acquire("c", 9));

        assertThat(List.of(first, second, third)).isSorted().doesNotHaveDuplicates();
    }

    /** Guarantee 7: while the counter exists, a clock going back does not repeat tickets. */
    @Test
    void ticketsIncreaseWhenTheClockIsBehindTheCounter() {
        redis.command("HSET", "test:{reports}:state", "last ticket", "4000000000000000");
        redis.command("PEXPIRE", "test:{reports}:state", 60_000);

        assertThat(ticket(acquire("a", 9))).isEqualTo(4_000_000_000_000_001L);
        assertThat(ticket(acquire("b", 9))).isEqualTo(4_000_000_000_000_002L);
        assertThat(redis.command("HGET", "test:{reports}:state", "last ticket")).hasToString("4000000000000002");
    }

    @ParameterizedTest
    @ValueSource(strings = { "holders", "state", "queue", "standby", "cancelled" })
    void foreignKeyIsAClearErrorAndIsNotChanged(String part) {
        String key = "test:{reports}:" + part;
        redis.command("RPUSH", key, "theirs");

        assertThatThrownBy(() -> acquire("a", 5)).isInstanceOfSatisfying(StoreException.class, e -> {
            assertThat(e.getMessage()).contains("WRONGTYPE", "quarkus.redis-bulkhead.key-prefix");
            assertThat(e.outcomeUnknown()).isFalse();
        });
        if (!part.equals("cancelled")) {
            assertThatThrownBy(() -> get(store.occupancy(BulkheadId.of("reports"), 9))).as("a read")
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("WRONGTYPE");
        }

        assertThat(redis.command("LRANGE", key, 0, -1)).hasToString("[theirs]");
        assertThat(keys()).containsExactly(key);
        redis.command("DEL", key);
    }

    @ParameterizedTest
    @ValueSource(strings = { "theirs", "inf", "nan", "1e300", "-5", "1.5", "9007199254740992", "99999999999999999999" })
    void invalidTicketIsAClearErrorAndIsNotChanged(String theirs) {
        redis.command("HSET", "test:{reports}:state", "last ticket", theirs);

        assertThatThrownBy(() -> acquire("a", 5)).isInstanceOf(StoreException.class)
                .hasMessageContaining("does not contain a ticket");

        assertThat(redis.command("HGET", "test:{reports}:state", "last ticket")).hasToString(theirs);
        assertThat(keys()).containsExactly("test:{reports}:state");
        redis.command("DEL", "test:{reports}:state");
    }

    /** Without permission for a command, a script stops in the middle, and every key still expires. */
    @ParameterizedTest
    @ValueSource(strings = { "pexpire", "hset", "zadd", "time", "hmget", "zcard" })
    void missingPermissionIsAClearErrorAndAllKeysExpire(String command) {
        // The lock store reads the whole state.
        String denied = command.equals("hmget") && kind == TestStore.LOCK ? "hvals" : command;
        redis.command("ACL", "SETUSER", "poor", "on", ">secret", "~*", "+@all", "-" + denied);
        RedisOptions poor = redis.optionsOf("poor");
        try (TestProcess restricted = new TestProcess(redis, kind, poor, poor)) {
            assertThatThrownBy(() -> get(restricted.store.acquire(request("a", 5, LONG))))
                    .isInstanceOf(StoreException.class).hasMessageContaining("The Redis user lacks");
        } finally {
            redis.command("ACL", "DELUSER", "poor");
        }
        if (command.equals("pexpire")) {
            // The background cancellation removes what was written before the refusal.
            get(store.cancel(BulkheadId.of("reports"), List.of("a"), LONG));
        }
    }

    @Test
    void holdersContainDetailsForOperators() {
        Instant before = serverTime();
        long ticket = ticket(get(store.acquire(
                new AcquireRequest(BulkheadId.of("部署 🚀"), "a", 5, LONG, false, Duration.ZERO, "shop\nfake", "host:1",
                        "Größe#wählen"))));

        List<Holder> holders = get(store.occupancy(BulkheadId.of("部署 🚀"), 10)).holders();

        assertThat(holders).singleElement().satisfies(holder -> {
            assertThat(holder.permitId()).isEqualTo("a");
            assertThat(holder.bulkhead()).isEqualTo("部署 🚀");
            assertThat(holder.ticket()).isEqualTo(ticket);
            assertThat(holder.application()).isEqualTo("shop\nfake");
            assertThat(holder.instance()).isEqualTo("host:1");
            assertThat(holder.method()).isEqualTo("Größe#wählen");
            assertThat(holder.since()).isBetween(before, serverTime());
            assertThat(holder.until()).isBetween(holder.since().plus(LONG), holder.since().plus(LONG).plusMillis(1));
        });
    }

    @Test
    void numberOfListedHoldersIsBounded() {
        IntStream.range(0, 20).forEach(i -> acquire("p" + i, 100));

        assertThat(get(store.occupancy(BulkheadId.of("reports"), 7))).satisfies(occupancy -> {
            assertThat(occupancy.inUse()).isEqualTo(20);
            assertThat(occupancy.holders()).hasSize(7);
        });
        assertThat(get(store.occupancy(BulkheadId.of("unknown"), 7)).inUse()).isZero();
    }

    /** Trap 23: all keys of a bulkhead are in one cluster slot, for any name, and belong to no other bulkhead. */
    @Test
    void keysOfABulkheadShareAUniqueHashTag() {
        List<String> names = List.of("reports", "a}b", "a%7Db", "}", "%7D", "%257D", "{}", "{x}:holders", "x}:holders",
                "a:b c\n", "🚀");
        List<String> tags = new ArrayList<>();
        for (String name : names) {
            List<String> keys = new BulkheadKeys("p", BulkheadId.of(name)).data().stream().map(String::new).toList();
            tags.add(hashTag(keys.get(0)));
            assertThat(keys).allSatisfy(key -> assertThat(hashTag(key)).isNotEmpty().isEqualTo(hashTag(keys.get(0))));
        }
        assertThat(tags).doesNotHaveDuplicates();
    }

    /** Keys are user input: no key gives access to the data of another key or bulkhead. */
    @Test
    void keysDoNotCollide() {
        String bigText = "x".repeat(1_000_000);
        List<String> texts = List.of("", " ", "a", "A", "a%", "%:a", "%#a", "%3Aa", "%20", "a}b", "{a}", "}:holders",
                "a:holders",
                "a\n", "a\r\n",
                "a\u0000", "\u0000", "a b", "a\tb", "*", "?", "[a]", "\uD800", "\uD801", "?\uD800", "\uDC00\uD800", "🚀", "é",
                "e\u0301", bigText,
                bigText + "x", "ä".repeat(20), "ä".repeat(21), "ä".repeat(120), "x".repeat(120), "x".repeat(121),
                "y".repeat(121),
                new BulkheadKeys("p", BulkheadId.of("a").forKey(bigText)).toString());
        List<BulkheadId> ids = new ArrayList<>();
        for (String name : List.of("a", "a%", "a%:b", "a%#b", "%", "a:b")) {
            ids.add(BulkheadId.of(name));
            texts.forEach(text -> ids.add(BulkheadId.of(name).forKey(text)));
        }
        List<String> tags = new ArrayList<>();
        for (BulkheadId id : ids) {
            List<String> keys = new BulkheadKeys("p", id).data().stream().map(String::new).toList();
            tags.add(hashTag(keys.get(0)));
            assertThat(keys).allSatisfy(key -> assertThat(hashTag(key)).isNotEmpty().isEqualTo(hashTag(keys.get(0))));
            assertThat(keys).allSatisfy(key -> assertThat(key).hasSizeLessThan(150).matches("[!-~]+"));
        }
        assertThat(tags).doesNotHaveDuplicates();
    }

    /** Readable for operators where this is safe. */
    @Test
    void keysAreReadable() {
        BulkheadId pages = BulkheadId.of("pages");
        assertThat(new BulkheadKeys("p", pages.forKey("www.example.org:8080/a~b"))).hasToString(
                "p:{pages%:www.example.org:8080/a~b}:");
        assertThat(new BulkheadKeys("p", pages.forKey("a b"))).hasToString("p:{pages%:a%20b}:");
        assertThat(new BulkheadKeys("p", pages.forKey("x".repeat(1_000)))).asString().matches("p:\\{pages%#[0-9a-f]{64}}:");
    }

    private static String hashTag(String key) {
        int open = key.indexOf('{');
        return key.substring(open + 1, key.indexOf('}', open));
    }

    private AcquireReply acquire(String id, int limit) {
        return acquire(id, limit, LONG);
    }

    private AcquireReply acquire(String id, int limit, Duration lease) {
        return get(store.acquire(request(id, limit, lease)));
    }

    private static AcquireRequest request(String id, int limit, Duration lease) {
        return new AcquireRequest(BulkheadId.of("reports"), id, limit, lease, false, Duration.ZERO, "app", "host:1",
                "Reports#render");
    }

    private static long ticket(AcquireReply reply) {
        return ((Granted) reply).ticket();
    }

    private List<String> holderIds() {
        return get(store.occupancy(BulkheadId.of("reports"), 1_000)).holders().stream().map(Holder::permitId).toList();
    }

    private static Instant serverTime() {
        Response time = redis.command("TIME");
        return Instant.ofEpochMilli(time.get(0).toLong() * 1000 + time.get(1).toLong() / 1000);
    }

    private static List<String> keys() {
        return StreamSupport.stream(redis.command("KEYS", "*").spliterator(), false).map(Response::toString).toList();
    }

    /** Guarantee 9, checked after each test. */
    private static void assertEveryKeyExpires() {
        assertThat(keys()).allSatisfy(key -> assertThat(redis.command("PTTL", key).toLong()).as(key).isNotEqualTo(-1));
    }

    private static <T> T get(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new AssertionError(e);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
