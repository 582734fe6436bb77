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

/** What the stores in Redis have in common, beside the contract of all stores: keys, errors, and a real clock. */
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
    void aReleasedPermitIsFreeAndLeavesNothing() {
        acquire("a", 1);

        assertThat(get(store.release(BulkheadId.of("b"), "a"))).as("wrong bulkhead").isFalse();
        assertThat(get(store.release(BulkheadId.of("reports"), "a"))).isTrue();

        assertThat(keys()).containsExactly("test:{reports}:state");
        assertThat(records()).isEmpty();
        assertThat(acquire("b", 1)).isInstanceOf(Granted.class);
    }

    /**
     * Whose details are those of the dead is told by leases and places. Were they gone first, the details would stay for as
     * long as
     * the bulkhead is used.
     */
    @Test
    void detailsDoNotOutliveTheLeasesAndPlacesTheyBelongTo() {
        acquire("a", 1);
        get(store.acquire(
                new AcquireRequest(BulkheadId.of("reports"), "b", 1, Duration.ofSeconds(2), true, Duration.ofSeconds(2),
                        "app", "host:1", "Reports#render")));

        get(store.renew(BulkheadId.of("reports"), Map.of("a", Duration.ofMinutes(10))));

        for (String part : List.of("holders", "state", "queue")) {
            assertThat(redis.command("PTTL", "test:{reports}:" + part).toLong()).as(part).isGreaterThan(590_000);
        }
    }

    /** Trap 7: a late or repeated release removes nothing but its own id. */
    @Test
    void aReleaseRemovesItsOwnPermitOnly() {
        acquire("a", 2);
        acquire("b", 2);

        assertThat(get(store.release(BulkheadId.of("reports"), "a"))).isTrue();
        assertThat(get(store.release(BulkheadId.of("reports"), "a"))).as("released twice").isFalse();
        assertThat(get(store.release(BulkheadId.of("reports"), "never"))).isFalse();

        assertThat(holderIds()).containsExactly("b");
    }

    /** What is gone of a permit is as much as others may take; the next renewal brings it back. */
    @Test
    void aPartOfAPermitThatIsLostComesBackWithItsRenewal() {
        acquire("*3*a", 4);
        redis.command("ZREM", HOLDERS, "*3*a 2");
        assertThat(acquire("*3*b", 4)).isInstanceOf(Full.class);
        assertThat(acquire("c", 4)).isInstanceOf(Granted.class);

        assertThat(get(store.renew(BulkheadId.of("reports"), Map.of("*3*a", LONG)))).isEmpty();

        assertThat(inUse()).isEqualTo(4);
        assertThat(get(store.release(BulkheadId.of("reports"), "*3*a"))).isTrue();
        assertThat(inUse()).isEqualTo(1);
    }

    /** The permit is lost with its first entry. The others count for as long as its holder may not know that. */
    @Test
    void whatIsLeftOfALostPermitCountsUntilItIsGivenBack() {
        acquire("*3*a", 3);
        redis.command("ZREM", HOLDERS, "*3*a");

        assertThat(acquire("*2*b", 3)).isInstanceOf(Full.class);
        assertThat(acquire("c", 3)).isInstanceOf(Granted.class);
        assertThat(get(store.renew(BulkheadId.of("reports"), Map.of("*3*a", LONG)))).containsExactly("*3*a");
        assertThat(get(store.release(BulkheadId.of("reports"), "*3*a"))).isFalse();

        assertThat(inUse()).isEqualTo(1);
        assertThat(acquire("*2*b", 3)).isInstanceOf(Granted.class);
    }

    /** Whatever is lost with the records, weights are not. */
    @Test
    void aPermitKeepsItsWeightWhenItsRecordIsLost() {
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

    /** Trap 2: counting and adding are one step, however many race. */
    @Test
    void aRaceOfAThousandNeverExceedsTheLimit() {
        List<CompletableFuture<AcquireReply>> replies = new ArrayList<>();
        List<TestProcess> processes = IntStream.range(0, 4).mapToObj(i -> new TestProcess(redis, kind)).toList();
        for (int i = 0; i < 1_000; i++) {
            replies.add(processes.get(i % 4).store.acquire(request("p" + i, 5, LONG)).toCompletableFuture());
        }

        assertThat(replies.stream().map(RedisPermitStoreTest::get).filter(Granted.class::isInstance)).hasSize(5);
        assertThat(holderIds()).hasSize(5);
        processes.forEach(TestProcess::close);
    }

    /** Trap 4: a request whose answer was lost may be sent again. */
    @Test
    void askingAgainWithTheSameIdAnswersWithTheSamePermit() {
        AcquireReply first = acquire("a", 1);

        assertThat(acquire("a", 1)).isEqualTo(first);
        assertThat(holderIds()).containsExactly("a");
    }

    /** Trap 4: a request that was given up is not granted when it arrives late. */
    @Test
    void aCancelledRequestThatArrivesLateIsRefused() {
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

    /**
     * Trap 3, Trap 12: a permit whose holder is gone is free when its lease has ended, and the rejected are told when
     * that is.
     */
    @Test
    void anExpiredPermitIsFreeAndIsCleanedUp() {
        // Again where a pause of the machine lasts longer than the lease.
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

    /** Trap 8: one caller's short lease touches neither the keys' nor another's lease. */
    @Test
    void aShortLeaseDoesNotShortenAnybodyElses() {
        acquire("long", 5, Duration.ofMinutes(10));
        acquire("short", 5, Duration.ofMillis(50));

        assertThat(redis.command("PTTL", "test:{reports}:holders").toLong()).isGreaterThan(590_000);
        assertThat(redis.command("PTTL", "test:{reports}:state").toLong()).isGreaterThan(590_000);
        await().atMost(10, TimeUnit.SECONDS).untilAsserted(() -> assertThat(holderIds()).containsExactly("long"));
    }

    /** Trap 21: a bulkhead that was used once leaves nothing behind. */
    @Test
    void allKeysOfAnUnusedBulkheadExpire() {
        acquire("a", 1, Duration.ofMillis(100));

        await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(keys()).isEmpty());
    }

    /** Trap 9, Trap 21, guarantee 9: what waiters, limits and cancellations leave behind expires, too. */
    @Test
    void theKeysOfWaitersExpire() {
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

    /** Trap 6: a server whose memory is full takes back what it has, though it grants nothing new. */
    @Test
    void aFullServerTakesPermitsBack() {
        acquire("a", 1);
        whenMemoryIsFull(() -> {
            assertThatThrownBy(() -> acquire("b", 2)).isInstanceOfSatisfying(StoreException.class, refusal -> {
                assertThat(refusal).hasMessageContaining("OOM");
                assertThat(refusal.outcomeUnknown()).as("whether it may have been carried out").isFalse();
            });
            assertThat(get(store.release(BulkheadId.of("reports"), "a"))).isTrue();
        });
        assertThat(holderIds()).isEmpty();
    }

    /** Trap 6: a script that has begun to write may go on when the memory is full; a transaction is refused. */
    @Test
    void aFullServerRenewsWhereThereAreScripts() {
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

    /** The ids that have a record; whatever else is in the hash has a space in its name. */
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
    void aSmallerLimitDrains() {
        List.of("a", "b", "c", "d").forEach(id -> acquire(id, 4));

        assertThat(acquire("e", 2)).isInstanceOfSatisfying(Full.class, full -> assertThat(full.limit()).isEqualTo(2));
        List.of("a", "b").forEach(id -> get(store.release(BulkheadId.of("reports"), id)));
        assertThat(acquire("e", 2)).isInstanceOf(Full.class);
        get(store.release(BulkheadId.of("reports"), "c"));
        assertThat(acquire("e", 2)).isInstanceOf(Granted.class);
    }

    /** Trap 20: with all permits out, and again with none, the limit is the limit. */
    @Test
    void emptyIsNotUninitialised() {
        for (int round = 0; round < 3; round++) {
            assertThat(acquire("a" + round, 1)).isInstanceOf(Granted.class);
            assertThat(acquire("b" + round, 1)).isInstanceOf(Full.class);
            get(store.release(BulkheadId.of("reports"), "a" + round));
        }
    }

    /** Trap 24: limits and counts beyond what Lua's unpack and a 32-bit integer take. */
    @Test
    void bigLimitsAndManyExpiredPermits() {
        // The store with the lock takes no more, which a test of its own shows.
        int number = kind == TestStore.SCRIPT ? 9_000 : 1_000;
        List<CompletableFuture<AcquireReply>> replies = IntStream.range(0, number)
                .mapToObj(i -> store.acquire(request("p" + i, Integer.MAX_VALUE, LONG)).toCompletableFuture())
                .toList();
        assertThat(replies.stream().map(RedisPermitStoreTest::get)).allMatch(Granted.class::isInstance);
        assertThat(redis.command("ZCARD", "test:{reports}:holders").toInteger()).as("none has expired yet")
                .isEqualTo(number);

        // No lease is short enough for a test and long enough for all of these requests on a busy machine.
        redis.command("EVAL", "for _, entry in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do "
                + "redis.call('ZADD', KEYS[1], 1, entry) end", 1, HOLDERS);
        assertThat(inUse()).isZero();
        assertThat(acquire("next", 1)).isInstanceOf(Granted.class);
        if (kind == TestStore.SCRIPT) {
            assertThat(redis.command("ZCARD", "test:{reports}:holders").toInteger()).as("cleaned up in parts").isEqualTo(8_001);
        } else {
            // It may go on with that after its answer.
            await().atMost(30, TimeUnit.SECONDS)
                    .until(() -> redis.command("ZCARD", "test:{reports}:holders").toInteger() == 1);
        }
    }

    /** Guarantee 7: tickets grow, also when the keys have gone in between. */
    @Test
    void ticketsGrowAcrossFlushAll() {
        long first = ticket(acquire("a", 9));
        long second = ticket(acquire("b", 9));
        redis.command("FLUSHALL");
        long third = ticket(acquire("c", 9));

        assertThat(List.of(first, second, third)).isSorted().doesNotHaveDuplicates();
    }

    /** Guarantee 7: a server clock that was set back does not bring old tickets back while the counter is there. */
    @Test
    void ticketsGrowWhenTheClockIsBehindTheCounter() {
        redis.command("HSET", "test:{reports}:state", "last ticket", "4000000000000000");
        redis.command("PEXPIRE", "test:{reports}:state", 60_000);

        assertThat(ticket(acquire("a", 9))).isEqualTo(4_000_000_000_000_001L);
        assertThat(ticket(acquire("b", 9))).isEqualTo(4_000_000_000_000_002L);
        assertThat(redis.command("HGET", "test:{reports}:state", "last ticket")).hasToString("4000000000000002");
    }

    @ParameterizedTest
    @ValueSource(strings = { "holders", "state", "queue", "standby", "cancelled" })
    void aKeyOfAnotherApplicationGivesAClearErrorAndIsNotChanged(String part) {
        String key = "test:{reports}:" + part;
        redis.command("RPUSH", key, "theirs");

        assertThatThrownBy(() -> acquire("a", 5)).isInstanceOfSatisfying(StoreException.class, e -> {
            assertThat(e.getMessage()).contains("WRONGTYPE", "quarkus.redis-bulkhead.key-prefix");
            assertThat(e.outcomeUnknown()).isFalse();
        });
        if (!part.equals("cancelled")) {
            assertThatThrownBy(() -> get(store.occupancy(BulkheadId.of("reports"), 9))).as("a look")
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("WRONGTYPE");
        }

        assertThat(redis.command("LRANGE", key, 0, -1)).hasToString("[theirs]");
        assertThat(keys()).containsExactly(key);
        redis.command("DEL", key);
    }

    @ParameterizedTest
    @ValueSource(strings = { "theirs", "inf", "nan", "1e300", "-5", "1.5", "9007199254740992", "99999999999999999999" })
    void aTicketThatIsNoneGivesAClearErrorAndIsLeftAlone(String theirs) {
        redis.command("HSET", "test:{reports}:state", "last ticket", theirs);

        assertThatThrownBy(() -> acquire("a", 5)).isInstanceOf(StoreException.class)
                .hasMessageContaining("does not contain a ticket");

        assertThat(redis.command("HGET", "test:{reports}:state", "last ticket")).hasToString(theirs);
        assertThat(keys()).containsExactly("test:{reports}:state");
        redis.command("DEL", "test:{reports}:state");
    }

    /** A user who may not run one of the commands; a script stops in the middle then, and nothing stays for ever. */
    @ParameterizedTest
    @ValueSource(strings = { "pexpire", "hset", "zadd", "time", "hmget", "zcard" })
    void aMissingPermissionIsAClearErrorAndLeavesNoKeyForEver(String command) {
        // The store with the lock reads the whole state.
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
            // What was written before the refusal is what the reclaimer takes back.
            get(store.cancel(BulkheadId.of("reports"), List.of("a"), LONG));
        }
    }

    @Test
    void holdersTellWhatAnOperatorWantsToSee() {
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
    void holdersAreListedUpToABound() {
        IntStream.range(0, 20).forEach(i -> acquire("p" + i, 100));

        assertThat(get(store.occupancy(BulkheadId.of("reports"), 7))).satisfies(occupancy -> {
            assertThat(occupancy.inUse()).isEqualTo(20);
            assertThat(occupancy.holders()).hasSize(7);
        });
        assertThat(get(store.occupancy(BulkheadId.of("unknown"), 7)).inUse()).isZero();
    }

    /**
     * Trap 23: all keys of a bulkhead lie in one slot of a cluster, whatever the name, and no other bulkhead has any
     * of them.
     */
    @Test
    void allKeysOfABulkheadShareOneHashTagThatNoOtherHas() {
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

    /** Keys are the input of users: whatever they hold, none reaches the data of another key or bulkhead. */
    @Test
    void noKeyOfAUserReachesTheDataOfAnother() {
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

    /** What operators look at is legible where that does no harm. */
    @Test
    void keysOfUsersAreLegible() {
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

    /** Guarantee 9, after every test. */
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
