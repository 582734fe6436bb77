package io.quarkiverse.redisbulkhead.runtime.store;

import static io.quarkiverse.redisbulkhead.runtime.store.BulkheadUnderTest.LEASE;
import static io.quarkiverse.redisbulkhead.runtime.store.BulkheadUnderTest.PLACE;
import static io.quarkiverse.redisbulkhead.runtime.store.BulkheadUnderTest.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Cancelled;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Full;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Waiting;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadUnderTest.TestRequest;

/** The contract of all stores. */
public abstract class PermitStoreContract {

    private static final Duration TICK = Duration.ofMillis(1);
    private static final Duration SHORT = Duration.ofSeconds(3);
    private static final Duration FIRST_LEASE = PermitStore.FIRST_LEASE;
    private static final Duration LONG_AGO = Duration.ofHours(1);

    protected StoreFixture stores;

    BulkheadUnderTest bulkhead;

    /** Opens the store for one test. */
    protected abstract StoreFixture open();

    /** Permits that each thread of the race acquires in sequence. */
    protected int permitsPerRacer() {
        return 200;
    }

    /** More than one step of the store covers. */
    protected int permitsOverSeveralSteps() {
        return 2 * PermitStore.HOLDERS_PER_STEP + 1;
    }

    /** Whether the clock of the store can go back. */
    protected boolean clockCanBeSetBack() {
        return true;
    }

    @BeforeEach
    void openStore() {
        stores = open();
        bulkhead = new BulkheadUnderTest(stores, "reports-");
    }

    @AfterEach
    void closeStore() {
        stores.close();
    }

    // ---- weights

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void heavyPermitIsAcquiredAsAWhole(boolean fair) {
        assertThat(request("*3*a").limit(5).fair(fair).send()).isInstanceOf(Granted.class);
        assertThat(request("*3*b").limit(5).fair(fair).send()).isInstanceOf(Full.class);
        assertThat(bulkhead.occupancy().inUse()).isEqualTo(3);

        assertThat(request("*2*c").limit(5).fair(fair).send()).isInstanceOf(Granted.class);
        assertThat(request("d").limit(5).fair(fair).send()).isInstanceOf(Full.class);
        assertThat(bulkhead.occupancy().inUse()).isEqualTo(5);
        assertThat(bulkhead.holders()).containsExactlyInAnyOrder("*3*a", "*2*c");
    }

    @Test
    void releaseFreesTheWholeWeight() {
        request("*3*a").limit(3).send();

        assertThat(bulkhead.release("*3*a")).isTrue();
        assertThat(bulkhead.release("*3*a")).isFalse();

        assertThat(bulkhead.occupancy().inUse()).isZero();
        assertThat(request("*3*b").limit(3).send()).isInstanceOf(Granted.class);
    }

    @Test
    void repeatedRequestForAHeavyPermitReturnsTheSamePermit() {
        long ticket = request("*3*a").limit(4).ticket();

        assertThat(request("*3*a").limit(4).ticket()).isEqualTo(ticket);

        assertThat(bulkhead.occupancy().inUse()).isEqualTo(3);
    }

    @Test
    void renewalExtendsTheWholeWeight() {
        request("*3*a").limit(3).lease(SHORT).send();

        assertThat(bulkhead.renew(LEASE, "*3*a")).isEmpty();
        stores.advance(SHORT);

        assertThat(bulkhead.occupancy().inUse()).isEqualTo(3);
        assertThat(request("b").limit(3).send()).isInstanceOf(Full.class);
    }

    @Test
    void wholeWeightExpiresWithTheLease() {
        request("*3*a").limit(3).lease(SHORT).send();
        request("*3*w").limit(3).fair(true).waiting(LEASE).send();

        stores.advance(SHORT);

        assertThat(bulkhead.occupancy().inUse()).isZero();
        assertThat(bulkhead.poll(3, PLACE, "*3*w").handedOver()).containsOnlyKeys("*3*w");
        assertThat(bulkhead.occupancy().inUse()).isEqualTo(3);
    }

    @Test
    void cancelAndRevokeFreeTheWholeWeight() {
        request("*2*a").limit(4).send();
        request("*2*b").limit(4).send();

        bulkhead.cancel(LEASE, "*2*a");
        assertThat(bulkhead.occupancy().inUse()).isEqualTo(2);
        assertThat(request("*2*a").limit(4).send()).isInstanceOf(Cancelled.class);

        assertThat(bulkhead.revoke("*2*b")).isTrue();
        assertThat(bulkhead.occupancy().inUse()).isZero();
        assertThat(bulkhead.notifiedRevoked()).containsExactly("*2*b");
    }

    /** The entry for a part of the weight is not a permit. */
    @Test
    void partOfAPermitCannotBeRevoked() {
        String id = bulkhead.unique("*3*a");
        request("*3*a").limit(3).send();

        assertThat(get(stores.first().revoke(bulkhead.self, id + " 2"))).isFalse();

        assertThat(bulkhead.occupancy().inUse()).isEqualTo(3);
    }

    @Test
    void holdersAndWaitersShowTheirWeight() {
        request("*2*a").limit(3).send();
        request("b").limit(3).send();
        request("*3*w").limit(3).waiting().send();

        Occupancy occupancy = bulkhead.occupancy();

        assertThat(occupancy.holders()).extracting(Holder::weight).containsExactlyInAnyOrder(2, 1);
        assertThat(occupancy.waiters()).extracting(Waiter::weight).containsExactly(3);
        assertThat(occupancy.inUse()).isEqualTo(3);
        assertThat(occupancy.waiting()).as("each waiter counts once").isEqualTo(1);
    }

    @Test
    void heavyPermitIsListedOnce() {
        IntStream.range(0, 5).forEach(i -> request("*4*h" + i).limit(30).send());
        IntStream.range(0, 5).forEach(i -> request("l" + i).limit(30).send());

        assertThat(bulkhead.occupancy(8).holders()).extracting(Holder::permitId).hasSize(8).doesNotHaveDuplicates();
        assertThat(bulkhead.occupancy().holders()).hasSize(10);
        assertThat(bulkhead.occupancy(1).inUse()).isEqualTo(25);
    }

    /** Redisson #6687: lighter waiters do not overtake a heavy one. */
    @Test
    void heavyHeadOfTheQueueIsNotOvertaken() {
        Stream.of("a", "b", "c").forEach(id -> request(id).limit(3).fair(true).send());
        request("*2*w").limit(3).fair(true).waiting().send();
        request("v").limit(3).fair(true).waiting().send();

        bulkhead.release("a");
        assertThat(bulkhead.notifiedHandedOver()).as("one permit is not enough").isEmpty();
        assertThat(request("new").limit(3).fair(true).send()).isInstanceOf(Full.class);
        assertThat(request("open").limit(3).send()).isInstanceOf(Full.class);

        bulkhead.release("b");
        bulkhead.awaitHandedOver("*2*w");
        assertThat(bulkhead.notifiedHandedOver()).containsExactly("*2*w");
        bulkhead.release("c");
        bulkhead.awaitHandedOver("v");
        assertThat(bulkhead.occupancy().inUse()).isEqualTo(3);
    }

    /** Redisson #6664: permits released one by one add up for a heavy waiter. */
    @Test
    void heavyStandbyWaiterIsNotifiedWhenEnoughIsFree() {
        Stream.of("a", "b", "c").forEach(id -> request(id).limit(3).send());
        request("*3*w").limit(3).waiting().send();

        bulkhead.release("a");
        bulkhead.release("b");
        assertThat(bulkhead.notifiedFree()).isEmpty();

        bulkhead.release("c");
        bulkhead.awaitPermitFree("*3*w");
        assertThat(request("*3*w").limit(3).waiting().send()).isInstanceOf(Granted.class);
    }

    /** Redisson #6664: a heavy release serves several waiters, and skips those that do not fit. */
    @Test
    void heavyReleaseNotifiesAllWaitersThatFit() {
        request("*3*a").limit(4).send();
        request("b").limit(4).send();
        request("*4*heavy").limit(4).waiting().send();
        Stream.of("w0", "w1", "w2", "w3").forEach(id -> request(id).limit(4).waiting().send());

        bulkhead.release("*3*a");

        assertThat(bulkhead.notifiedFree()).containsExactly("w0", "w1", "w2");
        Stream.of("w0", "w1", "w2")
                .forEach(id -> assertThat(request(id).limit(4).waiting().send()).isInstanceOf(Granted.class));
        stores.forgetNotices();
        Stream.of("b", "w0", "w1", "w2").forEach(bulkhead::release);
        bulkhead.cancel(LEASE, "w3");
        bulkhead.awaitPermitFree("*4*heavy");
    }

    @Test
    void heavyReleaseIsHandedOverToSeveralWaiters() {
        request("*3*a").limit(3).fair(true).send();
        request("*2*w0").limit(3).fair(true).waiting().send();
        Stream.of("w1", "w2").forEach(id -> request(id).limit(3).fair(true).waiting().send());

        bulkhead.release("*3*a");

        assertThat(bulkhead.notifiedHandedOver()).containsExactly("*2*w0", "w1");
        assertThat(bulkhead.waiters()).containsExactly("w2");
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void requestHeavierThanTheLimitDoesNotWait(boolean fair) {
        assertThat(request("*3*a").limit(2).fair(fair).waiting().send()).isInstanceOfSatisfying(Full.class,
                full -> assertThat(full.limit()).isEqualTo(2));

        assertThat(bulkhead.waiters()).isEmpty();
        assertThat(request("b").limit(2).fair(fair).send()).isInstanceOf(Granted.class);
    }

    @Test
    void headHeavierThanTheNewLimitDoesNotBlockTheQueue() {
        request("*3*a").limit(3).fair(true).send();
        request("*3*w").limit(3).fair(true).waiting().send();
        request("v").limit(3).fair(true).waiting().send();

        bulkhead.resize(2);
        bulkhead.release("*3*a");

        assertThat(bulkhead.notifiedHandedOver()).containsExactly("v");
        bulkhead.awaitPermitFree("*3*w");
        assertThat(bulkhead.poll(3, PLACE, "*3*w").gone()).containsExactly("*3*w");
        assertThat(request("*3*w2").limit(3).fair(true).waiting().send()).isInstanceOfSatisfying(Full.class,
                full -> assertThat(full.limit()).isEqualTo(2));
    }

    @Test
    void pollRemovesStandbyWaiterHeavierThanTheNewLimit() {
        request("*3*a").limit(3).send();
        request("b").limit(4).send();
        request("*3*w").limit(4).waiting().send();

        bulkhead.resize(2);

        assertThat(bulkhead.poll(4, PLACE, "*3*w").gone()).containsExactly("*3*w");
        assertThat(bulkhead.waiters()).isEmpty();
        assertThat(request("*3*w").limit(4).waiting().send()).isInstanceOf(Full.class);
    }

    @Test
    void maximumWeightWorks() {
        int most = SemaphoreSpec.MAX_WEIGHT;
        String id = "*" + most + "*a";

        request(id).limit(most).lease(SHORT).send();
        assertThat(bulkhead.occupancy().inUse()).isEqualTo(most);
        assertThat(bulkhead.renew(LEASE, id)).isEmpty();
        stores.advance(SHORT);
        assertThat(bulkhead.occupancy().inUse()).isEqualTo(most);
        assertThat(bulkhead.holders()).containsExactly(id);
        assertThat(bulkhead.release(id)).isTrue();
        assertThat(bulkhead.occupancy().inUse()).isZero();
    }

    @Test
    void heavyPermitIsListedOnceForItsProcess() {
        assumeTrue(stores.mayLoseData(), "In this store, a process knows all its permits");
        request("*3*a").limit(3).send();

        assertThat(bulkhead.ownPermits(stores.first())).containsExactly("*3*a");
    }

    // ---- keys

    /** Keys are user input. */
    @Test
    void eachKeyHasItsOwnLimit() {
        List<String> keys = List.of("", " ", "a", "a%", "%3A", "}:holders", "a\n1", "\u0000", "\uD800", "\uD801", "🚀",
                "x".repeat(5_000),
                "x".repeat(5_001));
        List<BulkheadUnderTest> all = Stream.concat(Stream.of(new BulkheadUnderTest(stores, "keyed-", Optional.empty())),
                keys.stream().map(key -> new BulkheadUnderTest(stores, "keyed-", Optional.of(key)))).toList();

        all.forEach(each -> assertThat(each.request("p").send()).isInstanceOf(Granted.class));
        all.forEach(each -> assertThat(each.request("q").send()).isInstanceOf(Full.class));
        all.forEach(each -> assertThat(each.holders()).containsExactly("p"));

        BulkheadUnderTest first = all.get(1);
        assertThat(first.revoke("p")).isTrue();
        assertThat(all.stream().filter(each -> each.holders().isEmpty())).containsExactly(first);
        first.resize(2);
        all.stream().skip(2).forEach(each -> assertThat(each.request("r").send()).isInstanceOf(Full.class));
        all.forEach(each -> each.release("p"));
    }

    @Test
    void holdersAndWaitersShowTheirKey() {
        BulkheadUnderTest keyed = new BulkheadUnderTest(stores, "keyed-", Optional.of("Größe\n"));
        keyed.request("p").send();
        keyed.request("q").waiting().send();

        assertThat(keyed.occupancy().holders()).extracting(Holder::bulkhead, Holder::key)
                .containsExactly(tuple("keyed-", Optional.of("Größe\n")));
        assertThat(keyed.occupancy().waiters()).extracting(Waiter::bulkhead, Waiter::key)
                .containsExactly(tuple("keyed-", Optional.of("Größe\n")));
    }

    /** Waiters of other keys receive no message. */
    @Test
    void releaseServesOnlyWaitersOfItsKey() {
        BulkheadUnderTest one = new BulkheadUnderTest(stores, "keyed-", Optional.of("one"));
        BulkheadUnderTest other = new BulkheadUnderTest(stores, "keyed-", Optional.of("other"));
        for (BulkheadUnderTest each : List.of(one, other)) {
            each.request("p").fair(true).send();
            each.request("q").fair(true).waiting().send();
        }

        one.release("p");

        assertThat(one.holders()).containsExactly("q");
        assertThat(other.holders()).containsExactly("p");
    }

    // ---- what is in use

    /** Keys and names are user input, and are returned unchanged. */
    @Test
    void inUseListsBulkheadsAndKeys() {
        List<BulkheadUnderTest> held = Stream.of(Optional.<String> empty(), Optional.of(""), Optional.of("Größe\n}:holders"),
                Optional.of("%3A%#"), Optional.of("🚀")).flatMap(
                        key -> Stream.of("in use", "{in} %25 use%:").map(name -> new BulkheadUnderTest(stores, name, key)))
                .toList();
        held.forEach(each -> each.request("p").send());
        BulkheadUnderTest free = new BulkheadUnderTest(stores, "free", Optional.empty());
        free.request("p").send();
        free.release("p");

        BulkheadsInUse inUse = get(stores.second().inUse(1_000));

        assertThat(inUse.bulkheads()).contains(held.stream().map(each -> each.self).toArray(BulkheadId[]::new)).isSorted();
        assertThat(inUse.bulkheads()).doesNotContain(free.self);
        assertThat(inUse.incomplete()).isEmpty();
        BulkheadsInUse few = get(stores.first().inUse(3));
        assertThat(few.bulkheads()).hasSize(3);
        assertThat(few.incomplete()).hasValueSatisfying(reason -> assertThat(reason).startsWith("only the first 3 of "));
        held.forEach(each -> each.release("p"));
    }

    // ---- acquire

    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void grantsUpToTheLimitAndNoFurther(boolean fair) {
        assertThat(request("a").limit(2).fair(fair).send()).isInstanceOf(Granted.class);
        assertThat(request("b").limit(2).fair(fair).throughSecond().send()).isInstanceOf(Granted.class);

        assertThat(request("c").limit(2).fair(fair).send()).isInstanceOf(Full.class);
        assertThat(request("d").limit(2).fair(fair).throughSecond().send()).isInstanceOf(Full.class);
        assertThat(bulkhead.holders()).containsExactlyInAnyOrder("a", "b");
    }

    /** Trap 12: the reply contains the nearest lease end, because expiry is not published. */
    @Test
    void repliesContainTheLimitAndTheNearestLeaseEnd() {
        request("a").limit(2).lease(LEASE).send();
        request("b").limit(2).lease(SHORT).send();
        stores.advance(Duration.ofMillis(1_200));

        assertThat(request("c").limit(2).send()).isEqualTo(new Full(2, Duration.ofMillis(1_800), false));
        assertThat(request("c").limit(2).waiting().send())
                .isEqualTo(new Waiting(2, Duration.ofMillis(1_800), bulkhead.now(), 0, false));
        assertThat(bulkhead.poll(2, PLACE, "c").nearestLeaseEnd()).isEqualTo(Duration.ofMillis(1_800));
    }

    /** Trap 20: no initialization; "all permits in use" differs from "unknown bulkhead". */
    @Test
    void unknownBulkheadIsFreeAndExhaustedBulkheadIsNot() {
        assertThat(bulkhead.occupancy().inUse()).isZero();
        assertThat(bulkhead.poll(3, PLACE, "x").free()).isEqualTo(3);

        request("a").send();
        assertThat(request("b").send()).isInstanceOf(Full.class);
        assertThat(bulkhead.poll(1, PLACE, "x").free()).isZero();
        bulkhead.release("a");
        bulkhead.release("a");

        assertThat(request("b").send()).isInstanceOf(Granted.class);
        assertThat(request("c").send()).as("a second permit").isInstanceOf(Full.class);
    }

    /** Trap 24: a request that does not wait leaves no place in the queue. */
    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void requestWithoutPlaceIsOneAttempt(boolean fair) {
        request("a").fair(fair).send();

        assertThat(request("b").fair(fair).send()).isInstanceOf(Full.class);
        assertThat(bulkhead.waiters()).isEmpty();
        bulkhead.release("a");

        assertThat(bulkhead.holders()).isEmpty();
        assertThat(bulkhead.notifiedFree()).isEmpty();
        assertThat(bulkhead.notifiedHandedOver()).isEmpty();
    }

    /** Trap 24: no overflow. */
    @Test
    void maximumLimitWorks() {
        assertThat(request("a").limit(Integer.MAX_VALUE).send()).isInstanceOf(Granted.class);
        assertThat(bulkhead.poll(Integer.MAX_VALUE, PLACE, "x").free()).isEqualTo(Integer.MAX_VALUE - 1);

        bulkhead.resize(Integer.MAX_VALUE);
        assertThat(request("b").limit(1).send()).isInstanceOf(Granted.class);
        assertThat(bulkhead.poll(1, PLACE, "x").free()).isEqualTo(Integer.MAX_VALUE - 2);
        assertThat(bulkhead.occupancy().resizedTo()).hasValue(Integer.MAX_VALUE);
        assertThat(bulkhead.occupancy().declaredLimits()).containsExactly(1, Integer.MAX_VALUE);
    }

    /** Trap 4: a client may repeat a request whose reply was lost. Its lease starts at the repetition. */
    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void repeatedRequestReturnsTheSamePermitWithAFullLease(boolean fair) {
        TestRequest request = request("a").fair(fair).limit(2).lease(LEASE);
        long ticket = request.ticket();
        Holder before = bulkhead.holder("a");
        stores.advance(Duration.ofSeconds(1));

        assertThat(request.throughSecond().lease(SHORT).ticket()).as("never shortens a lease").isEqualTo(ticket);
        assertThat(bulkhead.occupancy().holders()).containsExactly(before);
        assertThat(request.throughSecond().lease(LEASE).waiting().ticket()).isEqualTo(ticket);
        assertThat(bulkhead.holder("a").until()).isEqualTo(Instant.ofEpochMilli(bulkhead.now()).plus(LEASE));
        assertThat(bulkhead.occupancy().holders()).hasSize(1);
    }

    /**
     * A waiter sends a last request when it times out, and its lease starts then, although a hand-over may have granted a
     * short first lease before.
     */
    @Test
    void lastRequestAfterAHandOverHasAFullLease() {
        request("a").fair(true).send();
        TestRequest last = request("b").fair(true).waiting().lease(SHORT);
        last.send();
        stores.advance(Duration.ofSeconds(9));
        bulkhead.release("a");
        stores.advance(Duration.ofSeconds(1));

        last.ticket();

        assertThat(bulkhead.holder("b").until()).isEqualTo(Instant.ofEpochMilli(bulkhead.now()).plus(SHORT));
    }

    /** Trap 3: the permits of a killed process are free when their leases end, to the millisecond. */
    @Test
    void permitExpiresWithItsLease() {
        request("a").lease(SHORT).send();
        stores.advance(SHORT.minus(TICK));
        assertThat(request("b").send()).isEqualTo(new Full(1, TICK, false));

        stores.advance(TICK);

        assertThat(bulkhead.holders()).isEmpty();
        assertThat(request("b").send()).isInstanceOf(Granted.class);
    }

    /** Trap 8: the lease of a caller does not affect permits of others. */
    @Test
    void eachPermitHasItsOwnLease() {
        request("long").limit(3).lease(LEASE).send();
        request("short").limit(3).lease(SHORT).send();
        request("medium").limit(3).lease(Duration.ofSeconds(20)).send();
        assertThat(bulkhead.holders()).containsExactly("short", "medium", "long");

        stores.advance(SHORT);
        assertThat(bulkhead.holders()).containsExactly("medium", "long");
        stores.advance(Duration.ofSeconds(17));
        assertThat(bulkhead.holders()).containsExactly("long");
        stores.advance(Duration.ofSeconds(40).minus(TICK));
        assertThat(bulkhead.holders()).containsExactly("long");
        stores.advance(TICK);
        assertThat(bulkhead.holders()).isEmpty();
    }

    @Test
    void ticketsIncreaseAlsoWhenNothingIsHeldInBetween() {
        List<Long> tickets = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            TestRequest request = request("p" + i).fair(i % 2 == 0);
            tickets.add((i % 3 == 0 ? request : request.throughSecond()).ticket());
            bulkhead.release("p" + i);
            stores.advance(i == 10 ? Duration.ofHours(2) : Duration.ZERO);
        }

        assertThat(tickets).isSorted().doesNotHaveDuplicates();
    }

    /** Tickets never fall behind the clock, so they also increase after the store loses its data. */
    @Test
    void ticketsKeepUpWithTheClockInMicroseconds() {
        long first = request("a").limit(2).ticket();
        assertThat(first).isGreaterThanOrEqualTo(bulkhead.now() * 1_000);

        stores.advance(Duration.ofDays(1));

        assertThat(request("b").limit(2).ticket()).isGreaterThanOrEqualTo(bulkhead.now() * 1_000);
    }

    // ---- min-hold

    private static final Duration MIN_HOLD = Duration.ofSeconds(10);

    /** So that a job runs once per tick although the clocks of instances differ. */
    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void earlyReleasedPermitStaysTakenForMinHold(boolean fair) {
        request("a").fair(fair).send();
        stores.advance(Duration.ofSeconds(2));

        assertThat(bulkhead.release("a", MIN_HOLD)).isTrue();

        assertThat(request("b").fair(fair).send()).isEqualTo(new Full(1, Duration.ofSeconds(8), false));
        stores.advance(Duration.ofSeconds(8).minus(TICK));
        assertThat(request("b").fair(fair).throughSecond().send()).isEqualTo(new Full(1, TICK, false));
        stores.advance(TICK);
        assertThat(request("b").fair(fair).send()).isInstanceOf(Granted.class);
    }

    @Test
    void permitReleasedAfterMinHoldIsFreeAtOnce() {
        request("a").send();
        stores.advance(MIN_HOLD);

        assertThat(bulkhead.release("a", MIN_HOLD)).isTrue();

        assertThat(request("b").send()).isInstanceOf(Granted.class);
        assertThat(bulkhead.holders()).containsExactly("b");
    }

    /** Trap 5: a release wins over a renewal in flight, also if the permit stays taken; releasing it again has no effect. */
    @Test
    void permitThatStaysTakenBelongsToNoProcess() {
        request("a").lease(LEASE).send();
        long token = bulkhead.holder("a").ticket();
        Instant start = bulkhead.holder("a").since();
        bulkhead.release("a", MIN_HOLD);

        assertThat(bulkhead.renew(LEASE, "a")).containsExactly("a");
        assertThat(bulkhead.release("a", MIN_HOLD)).isFalse();
        assertThat(bulkhead.release("a")).isFalse();
        bulkhead.cancel(LEASE, "a");

        Holder released = bulkhead.released("a");
        assertThat(released.state()).isEqualTo(Holder.State.RELEASED);
        assertThat(released.since()).isEqualTo(start);
        assertThat(released.until()).isEqualTo(start.plus(MIN_HOLD));
        assertThat(released.ticket()).isEqualTo(token);
        assertThat(released.method()).isEqualTo("Type#method");
        assertThat(bulkhead.occupancy().inUse()).isEqualTo(1);
        assertThat(bulkhead.ownPermits(stores.first())).as("not to be reconciled").isEmpty();
        assertThat(bulkhead.notifiedRevoked()).isEmpty();
    }

    @Test
    void operatorCanRevokeAPermitThatStaysTaken() {
        request("a").send();
        bulkhead.release("a", MIN_HOLD);
        request("b").fair(true).waiting().send();

        assertThat(bulkhead.revokeReleased("a")).isTrue();

        assertThat(bulkhead.awaitHandedOver("b")).isNotNull();
        assertThat(bulkhead.revokeReleased("a")).isFalse();
        assertThat(bulkhead.notifiedRevoked()).as("no process to notify").isEmpty();
    }

    /** Trap 12: waiters learn when min-hold ends, and a poll at that time serves the first of them. */
    @Test
    void nearestLeaseEndIncludesMinHold() {
        request("a").lease(LEASE).send();
        request("b").fair(true).waiting(LEASE).send();
        bulkhead.release("a", MIN_HOLD);

        assertThat(bulkhead.poll(1, LEASE, "b").nearestLeaseEnd()).isEqualTo(MIN_HOLD);
        stores.advance(MIN_HOLD);

        assertThat(bulkhead.poll(1, LEASE, "b").handedOver()).containsKey("b");
    }

    /** Trap 4: a copy of the request that arrives after the release gets its own permit, which ends separately. */
    @Test
    void lateCopyOfTheRequestDoesNotExtendMinHold() {
        request("a").limit(2).send();
        bulkhead.release("a", MIN_HOLD);
        stores.advance(Duration.ofSeconds(5));
        request("a").limit(2).send();

        assertThat(bulkhead.release("a", MIN_HOLD)).isTrue();

        assertThat(bulkhead.occupancy().inUse()).isEqualTo(1);
        assertThat(bulkhead.released("a").until()).isEqualTo(Instant.ofEpochMilli(bulkhead.now()).plusSeconds(5));
    }

    @Test
    void minHoldAppliesNeitherToWaitersNorBeyondTheLease() {
        request("a").lease(SHORT).send();
        request("b").fair(true).waiting(LEASE).send();

        assertThat(bulkhead.release("b", MIN_HOLD)).isFalse();
        bulkhead.release("a", MIN_HOLD);

        assertThat(bulkhead.waiters()).isEmpty();
        assertThat(bulkhead.released("a").until()).isEqualTo(Instant.ofEpochMilli(bulkhead.now()).plus(SHORT));
    }

    // ---- detach and attach

    @Test
    void detachedPermitIsAttachedByAnotherProcess() {
        long token = request("a").lease(SHORT).ticket();
        Instant start = bulkhead.holder("a").since();
        stores.advance(Duration.ofSeconds(2));

        assertThat(bulkhead.detach("a", SHORT, "secret")).isTrue();

        Holder detached = bulkhead.holder("a");
        assertThat(detached.state()).isEqualTo(Holder.State.DETACHED);
        assertThat(detached.until()).as("a full lease from now").isEqualTo(start.plusSeconds(2).plus(SHORT));
        assertThat(request("b").send()).isInstanceOf(Full.class);
        assertThat(bulkhead.ownPermits(stores.first())).as("not to be reconciled").isEmpty();
        stores.advance(Duration.ofSeconds(2));

        Attached attached = bulkhead.attach("a", "a2", "secret").orElseThrow();

        assertThat(attached.age()).isEqualTo(Duration.ofSeconds(4));
        assertThat(attached.ticket()).as("fences the process that detached it").isGreaterThan(token);
        Holder holder = bulkhead.holder("a2");
        assertThat(holder.state()).isEqualTo(Holder.State.HELD);
        assertThat(holder.ticket()).isEqualTo(attached.ticket());
        assertThat(holder.since()).isEqualTo(start);
        assertThat(holder.until()).isEqualTo(Instant.ofEpochMilli(bulkhead.now()).plus(LEASE));
        assertThat(holder.application()).isEqualTo("other");
        assertThat(bulkhead.holders()).containsExactly("a2");
        assertThat(bulkhead.ownPermits(stores.second())).containsExactlyElementsOf(
                stores.mayLoseData() ? Set.of("a2") : Set.of());
        assertThat(bulkhead.renew(LEASE, "a")).as("the old id is unknown").containsExactly("a");
        assertThat(bulkhead.release("a")).isFalse();
        assertThat(bulkhead.release("a2")).isTrue();
        assertThat(bulkhead.holders()).isEmpty();
    }

    /** One of two attaches succeeds, and may be repeated. */
    @Test
    void permitIsAttachedOnce() {
        request("a").send();
        bulkhead.detach("a", LEASE, "secret");
        Attached first = bulkhead.attach("a", "a2", "secret").orElseThrow();

        assertThat(bulkhead.attach(stores.first(), "a", "a3", "secret", Duration.ZERO)).isEmpty();
        assertThat(bulkhead.attach("a", "a2", "secret")).as("repeated after a lost reply").contains(first);
        assertThat(bulkhead.holders()).containsExactly("a2");
    }

    /** Trap 3: a message delivered twice contains a used token. */
    @Test
    void usedTokenDoesNotAttachAPermitDetachedAgain() {
        request("a").send();
        bulkhead.detach("a", LEASE, "secret");
        bulkhead.attach("a", "a2", "secret");
        bulkhead.detach("a2", LEASE, "second");

        assertThat(bulkhead.attach("a", "a2", "secret")).isEmpty();
        assertThat(bulkhead.attach(stores.first(), "a2", "a3", "second", Duration.ZERO)).isPresent();
        assertThat(bulkhead.holders()).containsExactly("a3");
    }

    @Test
    void attachRequiresTheSecret() {
        request("a").send();
        assertThat(bulkhead.attach("a", "a2", "secret")).as("not detached").isEmpty();
        bulkhead.detach("a", LEASE, "secret");
        assertThat(bulkhead.attach("a", "a2", "another")).isEmpty();
        assertThat(bulkhead.detach("a", LEASE, "second")).as("repeated after a lost reply").isTrue();
        assertThat(bulkhead.attach("a", "a2", "secret")).isEmpty();

        assertThat(bulkhead.holders()).containsExactly("a");
        assertThat(bulkhead.attach("a", "a2", "second")).isPresent();
    }

    /** Trap 3: the attaching process may die. */
    @Test
    void detachedPermitExpiresAfterOneLease() {
        request("a").lease(SHORT).send();
        bulkhead.detach("a", SHORT, "secret");
        request("b").fair(true).waiting(LEASE).send();
        stores.advance(SHORT);

        assertThat(bulkhead.attach("a", "a2", "secret")).isEmpty();
        assertThat(bulkhead.poll(1, LEASE, "b").handedOver()).containsKey("b");
        assertThat(bulkhead.detach("a", SHORT, "secret")).isFalse();
    }

    @Test
    void operatorCanRevokeADetachedPermit() {
        request("a").send();
        bulkhead.detach("a", LEASE, "secret");

        assertThat(bulkhead.revoke("a")).isTrue();

        assertThat(bulkhead.notifiedRevoked()).as("no process to notify").isEmpty();
        assertThat(bulkhead.attach("a", "a2", "secret")).isEmpty();
    }

    /** Trap 4: a copy of the first request arrives after another process attached or released the permit. */
    @Test
    void copyOfTheRequestForADetachedPermitIsRefused() {
        request("a").send();
        bulkhead.detach("a", LEASE, "secret", LONG_AGO);
        assertThat(request("a").send()).isInstanceOf(Cancelled.class);
        assertThat(bulkhead.holder("a").state()).isEqualTo(Holder.State.DETACHED);
        bulkhead.attach("a", "a2", "secret");
        bulkhead.release("a2");

        assertThat(request("a").send()).isInstanceOf(Cancelled.class);
        assertThat(bulkhead.holders()).isEmpty();
    }

    @Test
    void attachedPermitEndsWithMaxHold() {
        request("a").lease(SHORT).send();
        bulkhead.detach("a", SHORT, "secret");
        stores.advance(Duration.ofSeconds(2));

        bulkhead.attach(stores.second(), "a", "a2", "secret", Duration.ofSeconds(20));

        assertThat(bulkhead.holder("a2").until()).isEqualTo(Instant.ofEpochMilli(bulkhead.now()).plusSeconds(18));
    }

    @Test
    void minHoldOfAnAttachedPermitCountsFromItsFirstGrant() {
        request("a").send();
        bulkhead.detach("a", LEASE, "secret");
        stores.advance(Duration.ofSeconds(4));
        bulkhead.attach("a", "a2", "secret");

        bulkhead.release("a2", MIN_HOLD);

        assertThat(bulkhead.released("a2").until()).isEqualTo(Instant.ofEpochMilli(bulkhead.now()).plusSeconds(6));
    }

    // ---- clock going back

    private void setClockBack(Duration by) {
        assumeTrue(clockCanBeSetBack(), "The clock of this store cannot go back");
        stores.advance(by.negated());
    }

    /** Trap 3: the stored lease end is an hour ahead after the change. */
    @Test
    void deadPermitExpiresWithinOneLeaseAfterTheClockGoesBack() {
        request("dead").limit(2).lease(SHORT).send();
        long ticket = request("alive").limit(2).lease(LEASE).ticket();
        setClockBack(Duration.ofHours(1));

        assertThat(request("c").limit(2).send()).isEqualTo(new Full(2, SHORT, false));
        stores.advance(SHORT.minus(TICK));
        assertThat(bulkhead.holders()).containsExactly("dead", "alive");
        stores.advance(TICK);

        assertThat(bulkhead.holders()).containsExactly("alive");
        assertThat(request("c").limit(2).ticket()).isGreaterThan(ticket);
    }

    /** Trap 3: no ticket was issued for hours, because the holder renewed its permit until it died. */
    @Test
    void longHeldPermitExpiresWithinOneLeaseAfterTheClockGoesBack() {
        assumeTrue(clockCanBeSetBack(), "The clock of this store cannot go back");
        request("dead").lease(LONG_AGO.dividedBy(2)).send();
        for (int i = 0; i < 8; i++) {
            stores.advance(LONG_AGO.dividedBy(4));
            assertThat(bulkhead.renew(LONG_AGO.dividedBy(2), "dead")).isEmpty();
        }
        setClockBack(LONG_AGO);

        assertThat(request("next").send()).isEqualTo(new Full(1, LONG_AGO.dividedBy(2), false));
        stores.advance(LONG_AGO.dividedBy(2));

        assertThat(bulkhead.holders()).isEmpty();
        assertThat(request("next").send()).isInstanceOf(Granted.class);
    }

    /** Trap 10: no ticket was issued since the waiter queued. */
    @Test
    void longPolledPlaceExpiresAfterTheClockGoesBack() {
        assumeTrue(clockCanBeSetBack(), "The clock of this store cannot go back");
        request("a").lease(LONG_AGO).send();
        request("dead").waiting().send();
        for (int i = 0; i < 20; i++) {
            stores.advance(PLACE.minus(TICK));
            bulkhead.poll(1, PLACE, "dead");
        }
        setClockBack(PLACE.multipliedBy(10));

        bulkhead.poll(1, PLACE, "unknown");
        stores.advance(PLACE);

        assertThat(bulkhead.waiters()).isEmpty();
    }

    /** More permits than a step corrects. */
    @Test
    void manyPermitsExpireWithinOneLeaseAfterTheClockGoesBack() {
        int many = 250;
        for (int i = 0; i < many; i++) {
            request("dead-" + i).limit(many).lease(SHORT).send();
        }
        setClockBack(Duration.ofHours(1));

        for (int i = 0; i < 3; i++) {
            assertThat(request("next-" + i).limit(many).send()).isInstanceOf(Full.class);
        }
        stores.advance(SHORT);

        assertThat(bulkhead.holders()).isEmpty();
    }

    @Test
    void renewedPermitSurvivesTheClockGoingBack() {
        request("alive").lease(SHORT).send();
        setClockBack(Duration.ofHours(1));

        for (int i = 0; i < 5; i++) {
            assertThat(request("next").send()).isInstanceOf(Full.class);
            stores.advance(SHORT.minus(TICK));
            assertThat(bulkhead.renew(SHORT, "alive")).isEmpty();
        }

        assertThat(bulkhead.holders()).containsExactly("alive");
    }

    /** Trap 10: the stored end of the place is an hour ahead after the change. */
    @Test
    void placeOfADeadWaiterExpiresAfterTheClockGoesBack() {
        request("a").fair(true).lease(SHORT).send();
        request("dead").fair(true).waiting().send();
        setClockBack(Duration.ofHours(1));

        bulkhead.poll(1, PLACE, "unknown");
        stores.advance(PLACE);

        assertThat(bulkhead.waiters()).isEmpty();
    }

    // ---- waiting

    /**
     * Waiters get permits in order, each with its own lease (Trap 8), and are notified whichever process released the permit.
     */
    @Test
    void fairWaitersGetPermitsInOrder() {
        request("a").fair(true).send();
        request("b").fair(true).waiting().lease(SHORT).send();
        request("c").fair(true).waiting().lease(LEASE).throughSecond().send();
        List<Long> places = tickets(bulkhead.occupancy().waiters());
        assertThat(places).isSorted().doesNotHaveDuplicates();
        stores.advance(Duration.ofSeconds(2));

        bulkhead.release("a");
        assertThat(bulkhead.holders()).containsExactly("b");
        HandOver b = bulkhead.awaitHandedOver("b");
        assertThat(b.leaseEndMillis()).isEqualTo(bulkhead.now() + FIRST_LEASE.toMillis());
        assertThat(bulkhead.holder("b").since()).isEqualTo(Instant.ofEpochMilli(bulkhead.now()));

        bulkhead.release("b");
        assertThat(bulkhead.holders()).containsExactly("c");
        HandOver c = bulkhead.awaitHandedOver(stores.second(), "c");
        assertThat(c.leaseEndMillis()).isEqualTo(bulkhead.now() + FIRST_LEASE.toMillis());
        assertThat(bulkhead.waiters()).isEmpty();
        assertThat(bulkhead.notifiedFree()).isEmpty();
    }

    /** The fencing token is issued at the hand-over, so it is greater than all tokens issued during the wait. */
    @Test
    void fencingTokenIsIssuedAtTheHandOver() {
        request("a").limit(2).fair(true).send();
        request("b").limit(1).fair(true).waiting().send();
        request("c").limit(1).fair(true).waiting().send();
        long last = bulkhead.waiter("c").ticket();
        stores.advance(Duration.ofSeconds(1));

        bulkhead.release("a");
        long b = bulkhead.awaitHandedOver("b").ticket();
        assertThat(b).isGreaterThan(last).isGreaterThanOrEqualTo(bulkhead.now() * 1_000);
        assertThat(bulkhead.holder("b").ticket()).isEqualTo(b);
        assertThat(bulkhead.poll(1, PLACE, "b").handedOver().get("b").ticket()).isEqualTo(b);
        assertThat(request("b").fair(true).waiting().ticket()).as("repeated request").isEqualTo(b);

        bulkhead.release("b");
        assertThat(bulkhead.awaitHandedOver("c").ticket()).isGreaterThan(b);
        bulkhead.release("c");
        assertThat(request("d").ticket()).isGreaterThan(bulkhead.awaitHandedOver("c").ticket());
    }

    /** One step hands over several permits, with tokens in queue order. */
    @Test
    void tokensOfOneStepFollowTheQueueOrder() {
        bulkhead.resize(1);
        request("a").fair(true).send();
        Stream.of(ids("w", 4)).forEach(id -> request(id).fair(true).waiting().send());

        bulkhead.resize(5);

        assertThat(Stream.of(ids("w", 4)).map(id -> bulkhead.awaitHandedOver(id).ticket())).isSorted().doesNotHaveDuplicates();
    }

    /** Trap 10: the waiter may be dead, so its first lease is short. */
    @ParameterizedTest(name = "requested {0} ms, granted {1} ms")
    @CsvSource({ "60000, 2000", "2001, 2000", "2000, 2000", "1999, 1999", "1, 1" })
    void firstLeaseOfAHandOverIsShort(long lease, long given) {
        request("a").fair(true).send();
        request("b").fair(true).waiting().lease(Duration.ofMillis(lease)).send();
        stores.advance(Duration.ofSeconds(1));

        bulkhead.release("a");

        assertThat(bulkhead.holder("b").until()).isEqualTo(Instant.ofEpochMilli(bulkhead.now()).plusMillis(given));
        assertThat(bulkhead.awaitHandedOver("b").leaseEndMillis()).isEqualTo(bulkhead.holder("b").until().toEpochMilli());
    }

    @Test
    void firstLeaseOfAHandOverCanBeRenewed() {
        request("a").fair(true).send();
        request("b").fair(true).waiting().lease(LEASE).send();
        bulkhead.release("a");
        stores.advance(FIRST_LEASE.minus(TICK));

        assertThat(bulkhead.renew(LEASE, "b")).isEmpty();

        assertThat(bulkhead.holder("b").until()).isEqualTo(Instant.ofEpochMilli(bulkhead.now()).plus(LEASE));
    }

    /**
     * Trap 10: all waiters of a killed process together delay others by at most one place and one first lease, although some
     * may get a hand-over before they count as dead.
     */
    @Test
    void waitersOfAKilledProcessDelayOthersByFiveSecondsAtMost() {
        assumeOtherProcesses();
        request("a").fair(true).send();
        IntStream.range(0, 20).forEach(i -> request("dead" + i).fair(true).waiting(PermitStore.LONGEST_PLACE).send());
        request("alive").fair(true).waiting(LEASE).throughSecond().send();
        bulkhead.release("a");
        Duration passed = Duration.ZERO;
        while (!bulkhead.holders().contains("alive")) {
            Duration next = bulkhead.pollThroughSecond(1, PLACE, "alive").nearestLeaseEnd();
            stores.advance(next);
            passed = passed.plus(next);
            bulkhead.pollThroughSecond(1, PLACE, "alive");
        }

        assertThat(passed).isLessThanOrEqualTo(PermitStore.LONGEST_PLACE.plus(FIRST_LEASE));
    }

    @ParameterizedTest(name = "the newcomer is fair = {0}")
    @ValueSource(booleans = { false, true })
    void newcomerNeverOvertakesAFairWaiter(boolean fair) {
        request("a").fair(true).send();
        request("b").fair(true).waiting().send();

        assertThat(request("greedy").fair(fair).limit(5).send()).as("does not wait").isEqualTo(new Full(5, LEASE, false));
        assertThat(request("greedy").fair(fair).limit(5).waiting().send()).as("waits").isInstanceOf(Waiting.class);
        bulkhead.release("a");

        assertThat(bulkhead.holders()).contains("b");
        assertThat(bulkhead.awaitHandedOver("b").ticket()).isEqualTo(bulkhead.holder("b").ticket());
    }

    /** Trap 19: with mixed limits, the head of the queue blocks waiters whose higher limits would allow more. */
    @Test
    void headWithALowerLimitIsNotOvertaken() {
        request("a").limit(2).send();
        request("b").limit(2).send();
        request("low").fair(true).limit(1).waiting().send();
        request("high").fair(true).limit(5).waiting().send();

        bulkhead.release("a");
        assertThat(bulkhead.holders()).containsExactly("b");
        assertThat(bulkhead.waiters()).containsExactly("low", "high");

        bulkhead.release("b");
        assertThat(bulkhead.holders()).containsExactlyInAnyOrder("low", "high");
    }

    @Test
    void repeatedRequestKeepsThePlaceAndNeverShortensIt() {
        request("a").fair(true).send();
        request("b").fair(true).waiting(PLACE).send();
        Waiter before = bulkhead.waiter("b");
        request("c").fair(true).waiting().send();
        stores.advance(Duration.ofSeconds(1));

        assertThat(request("b").fair(true).waiting(SHORT).send()).isInstanceOf(Waiting.class);
        assertThat(bulkhead.waiter("b")).as("not shortened").isEqualTo(before);

        request("b").fair(true).waiting(PLACE).send();
        assertThat(bulkhead.waiter("b").ticket()).isEqualTo(before.ticket());
        assertThat(bulkhead.waiter("b").since()).isEqualTo(before.since());
        assertThat(bulkhead.waiter("b").until()).as("lengthened").isEqualTo(before.until().plusSeconds(1));
        assertThat(bulkhead.waiters()).containsExactly("b", "c");
    }

    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void waiterStaysQueuedAfterARequestWithoutPlace(boolean fair) {
        request("a").send();
        request("b").fair(fair).waiting().send();

        assertThat(request("b").fair(fair).send()).isInstanceOf(Full.class);
        assertThat(bulkhead.waiters()).containsExactly("b");
    }

    @Test
    void standbyWaiterIsNotifiedAndRequestsThePermit() {
        request("a").send();
        request("b").waiting().send();
        bulkhead.release("a");

        assertThat(bulkhead.holders()).as("not handed over").isEmpty();
        bulkhead.awaitPermitFree("b");
        assertThat(bulkhead.waiters()).containsExactly("b");

        assertThat(request("b").waiting().send()).isInstanceOf(Granted.class);
        assertThat(bulkhead.waiters()).isEmpty();
        assertThat(bulkhead.notifiedHandedOver()).isEmpty();
    }

    @Test
    void newcomerMayOvertakeAStandbyWaiter() {
        request("a").send();
        request("b").waiting().send();
        bulkhead.release("a");

        assertThat(request("fast").send()).isInstanceOf(Granted.class);
        assertThat(request("b").waiting().send()).isInstanceOf(Waiting.class);
        assertThat(bulkhead.waiters()).containsExactly("b");
    }

    /** Trap 26: one freed permit wakes one waiter. */
    @Test
    void releaseNotifiesOneWaiter() {
        request("a").limit(2).send();
        request("b").limit(2).send();
        IntStream.range(0, 10).forEach(i -> request("w" + i).limit(2).waiting().send());

        bulkhead.release("a");
        assertThat(bulkhead.notifiedFree()).hasSize(1);
    }

    /** Trap 26: permits that were already free wake no further waiters. */
    @Test
    void releaseNotifiesOneWaiterAlsoWhenMoreIsFree() {
        Stream.of("a", "b", "c").forEach(id -> request(id).limit(3).send());
        IntStream.range(0, 5).forEach(i -> request("w" + i).limit(3).waiting().send());
        bulkhead.release("a");
        assertThat(bulkhead.notifiedFree()).hasSize(1);
        stores.forgetNotices();

        bulkhead.release("b");

        assertThat(bulkhead.poll(3, PLACE, "w0").free()).isEqualTo(2);
        assertThat(bulkhead.notifiedFree()).hasSize(1);
    }

    /** Trap 26: consecutive releases wake different waiters. */
    @Test
    void notifiedWaiterIsNotifiedAgainLast() {
        Stream.of("a", "b", "c").forEach(id -> request(id).limit(3).send());
        Stream.of("w0", "w1", "w2").forEach(id -> request(id).limit(3).waiting().send());

        Stream.of("a", "b").forEach(bulkhead::release);
        assertThat(bulkhead.notifiedFree()).containsExactly("w0", "w1");
        stores.forgetNotices();
        bulkhead.release("c");

        assertThat(bulkhead.notifiedFree()).containsExactly("w2");
    }

    /** Trap 19: a waiter whose lower limit is reached does not block others. */
    @Test
    void waiterAtItsLimitIsSkipped() {
        Stream.of("a", "b", "c").forEach(id -> request(id).limit(5).send());
        bulkhead.resize(3);
        request("small").limit(1).waiting().send();
        request("large").limit(5).waiting().send();

        bulkhead.resetSize();

        assertThat(bulkhead.notifiedFree()).containsExactly("large");
    }

    /** Trap 26: one freed permit goes to one waiter. */
    @Test
    void releaseIsHandedOverToOneFairWaiter() {
        request("a").limit(2).fair(true).send();
        request("b").limit(2).fair(true).send();
        IntStream.range(0, 10).forEach(i -> request("w" + i).limit(2).fair(true).waiting().send());

        bulkhead.release("a");
        assertThat(bulkhead.notifiedHandedOver()).containsExactly("w0");
    }

    @Test
    void standbyWaitersAreNotNotifiedWhileFairOnesWait() {
        request("a").limit(2).send();
        request("b").limit(2).send();
        request("open").limit(2).waiting().send();
        request("low").limit(1).fair(true).waiting().send();

        bulkhead.release("a");
        assertThat(bulkhead.poll(2, PLACE, "open").free()).as("reserved for the queue").isZero();
        assertThat(request("open").limit(2).waiting().send()).isInstanceOf(Waiting.class);
        assertThat(bulkhead.notifiedFree()).isEmpty();
    }

    /** Trap 19: each waiter's own limit determines whether a permit is free. */
    @Test
    void onlyWaitersBelowTheirLimitAreNotified() {
        Stream.of("a", "b", "c").forEach(id -> request(id).limit(3).send());
        request("low").limit(2).waiting().send();
        request("high").limit(3).waiting().send();

        bulkhead.release("a");
        assertThat(bulkhead.notifiedFree()).doesNotContain("low");
        request("high").limit(3).waiting().ticket();
        bulkhead.release("b");
        assertThat(bulkhead.notifiedFree()).doesNotContain("low");
        bulkhead.release("c");
        bulkhead.awaitPermitFree("low");
    }

    /** Trap 10: dead waiters do not block newcomers either. */
    @Test
    void deadWaitersDoNotBlockOthers() {
        assumeOtherProcesses();
        IntStream.range(0, 5).forEach(i -> request("held" + i).limit(5).fair(true).lease(SHORT).send());
        IntStream.range(0, 39).forEach(i -> request("dead" + i).limit(5).fair(true).waiting(SHORT).send());
        request("alive").limit(5).fair(true).waiting(LEASE).throughSecond().send();
        stores.advance(SHORT);

        assertThat(request("new").limit(5).fair(true).send()).isInstanceOf(Granted.class);

        assertThat(bulkhead.holders()).containsExactlyInAnyOrder("alive", "new");
    }

    /** Many leases end at once: all waiters and a newcomer are served. */
    @Test
    void manyFreePermitsServeAllWaitersAndANewcomer() {
        IntStream.range(0, 100).forEach(i -> request("held" + i).limit(100).fair(true).lease(SHORT).send());
        IntStream.range(0, 40).forEach(i -> request("waiter" + i).limit(100).fair(true).waiting(LEASE).send());
        stores.advance(SHORT);

        assertThat(request("new").limit(100).fair(true).send()).isInstanceOf(Granted.class);

        assertThat(bulkhead.occupancy().inUse()).isEqualTo(41);
        assertThat(bulkhead.waiters()).isEmpty();
    }

    /** Trap 10: one release skips all dead waiters at the head of the queue. */
    @Test
    void deadWaitersAreSkippedTogether() {
        assumeOtherProcesses();
        request("a").fair(true).send();
        IntStream.range(0, 900).forEach(i -> request("dead" + i).fair(true).waiting(SHORT).send());
        request("alive").fair(true).waiting(LEASE).throughSecond().send();
        stores.advance(SHORT);

        bulkhead.release("a");

        assertThat(bulkhead.holders()).containsExactly("alive");
        assertThat(bulkhead.waiters()).isEmpty();
        assertThat(bulkhead.notifiedHandedOver()).containsExactly("alive");
    }

    /** Trap 10: a dead waiter gets no permit, wherever it is in the queue. */
    @Test
    void deadWaiterInTheMiddleOfTheQueueIsSkipped() {
        assumeOtherProcesses();
        request("a").fair(true).send();
        request("b").fair(true).waiting().send();
        request("dead").fair(true).waiting(SHORT).throughSecond().send();
        request("c").fair(true).waiting().send();
        stores.advance(SHORT);

        bulkhead.release("a");
        bulkhead.release("b");

        assertThat(bulkhead.holders()).containsExactly("c");
    }

    @Test
    void deadStandbyWaitersAreNotNotified() {
        assumeOtherProcesses();
        request("a").send();
        request("dead").waiting(SHORT).throughSecond().send();
        stores.advance(TICK);
        request("alive").waiting(LEASE).send();
        stores.advance(SHORT);

        bulkhead.release("a");

        bulkhead.awaitPermitFree("alive");
        assertThat(bulkhead.notifiedFree()).containsExactly("alive");
    }

    /** Trap 12: expiry is not published; the poll of any waiter advances the queue. */
    @Test
    void pollHandsOverAnExpiredPermit() {
        request("a").fair(true).lease(SHORT).send();
        request("b").fair(true).waiting().send();
        request("c").fair(true).waiting().send();
        stores.advance(SHORT);

        PollReply reply = bulkhead.poll(1, PLACE, "c");

        assertThat(reply.handedOver()).isEmpty();
        assertThat(bulkhead.holders()).containsExactly("b");
        assertThat(bulkhead.poll(1, PLACE, "b").handedOver()).containsExactly(Map.entry("b", bulkhead.awaitHandedOver("b")));
    }

    /** Trap 12: a newcomer's request also advances the queue, and queues behind it. */
    @Test
    void requestHandsOverAnExpiredPermit() {
        request("a").fair(true).lease(SHORT).send();
        request("b").fair(true).waiting().send();
        stores.advance(SHORT);

        assertThat(request("c").fair(true).send()).isEqualTo(new Full(1, FIRST_LEASE, false));
        bulkhead.awaitHandedOver("b");
    }

    @Test
    void repeatedRequestOfAWaiterGetsAnExpiredPermit() {
        request("a").fair(true).lease(SHORT).send();
        request("b").fair(true).waiting().send();
        long ticket = bulkhead.waiter("b").ticket();
        stores.advance(SHORT);

        assertThat(request("b").fair(true).waiting().ticket()).isGreaterThan(ticket);
        assertThat(bulkhead.waiters()).isEmpty();
    }

    /** Trap 9: waiters of a process without heartbeats lose their places, to the millisecond. */
    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void placeExpiresUnlessExtended(boolean fair) {
        assumeOtherProcesses();
        request("a").fair(fair).send();
        request("polls").fair(fair).waiting(SHORT).send();
        request("dies").fair(fair).waiting(SHORT).throughSecond().send();
        stores.advance(SHORT.minus(TICK));
        assertThat(bulkhead.waiters()).containsExactlyInAnyOrder("polls", "dies");
        assertThat(bulkhead.poll(1, SHORT, "polls").gone()).isEmpty();

        stores.advance(TICK);

        assertThat(bulkhead.waiters()).containsExactly("polls");
        assertThat(bulkhead.poll(1, SHORT, "polls").gone()).isEmpty();
        assertThat(bulkhead.occupancy().waiting()).isEqualTo(1);
    }

    @Test
    void pollNeverShortensAPlace() {
        request("a").send();
        request("b").waiting(PLACE).send();
        Waiter before = bulkhead.waiter("b");

        bulkhead.poll(1, SHORT, "b");

        assertThat(bulkhead.waiter("b")).isEqualTo(before);
    }

    /** A slow waiter keeps its place until another step removes it. */
    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void latePollKeepsAnExpiredPlaceThatWasNotRemoved(boolean fair) {
        request("a").fair(fair).send();
        request("b").fair(fair).waiting(SHORT).send();
        Waiter before = bulkhead.waiter("b");
        stores.advance(SHORT.plusSeconds(1));
        assertThat(bulkhead.waiters()).isEmpty();
        bulkhead.renew(LEASE, "a");

        assertThat(bulkhead.poll(1, PLACE, "b").gone()).isEmpty();

        assertThat(bulkhead.waiter("b").ticket()).isEqualTo(before.ticket());
        assertThat(bulkhead.waiter("b").until()).isEqualTo(Instant.ofEpochMilli(bulkhead.now()).plus(PLACE));
    }

    @Test
    void expiredPlaceIsRemovedByOtherRequests() {
        request("a").fair(true).send();
        request("b").fair(true).waiting(SHORT).send();
        stores.advance(SHORT);
        request("c").fair(true).waiting().send();

        assertThat(bulkhead.poll(1, PLACE, "b").gone()).containsExactly("b");
        request("b").fair(true).waiting().send();
        assertThat(bulkhead.waiters()).containsExactly("c", "b");
    }

    /** Trap 9, Trap 29: a waiter that leaves gets no permit; the next one gets it. */
    @Test
    void fairWaiterThatLeftIsSkipped() {
        request("a").fair(true).send();
        request("leaves").fair(true).waiting().send();
        request("next").fair(true).waiting().send();

        assertThat(bulkhead.release("leaves")).as("held nothing").isFalse();
        assertThat(bulkhead.waiters()).containsExactly("next");
        bulkhead.release("a");

        assertThat(bulkhead.holders()).containsExactly("next");
        assertThat(bulkhead.notifiedHandedOver()).containsExactly("next");
    }

    /** Trap 29: a hand-over races with the waiter leaving. */
    @Test
    void handOverToALeavingWaiterGoesToTheNext() {
        request("a").fair(true).send();
        request("leaves").fair(true).waiting().send();
        request("next").fair(true).waiting().send();
        bulkhead.release("a");
        bulkhead.awaitHandedOver("leaves");

        assertThat(bulkhead.release("leaves")).isTrue();

        bulkhead.awaitHandedOver("next");
        assertThat(bulkhead.holders()).containsExactly("next");
    }

    /** Trap 29: a notified waiter that does not take the permit passes the notification on. */
    @Test
    void notifiedWaiterThatLeavesWakesTheNext() {
        request("a").send();
        request("w1").waiting().send();
        request("w2").waiting().send();
        bulkhead.release("a");
        String notified = bulkhead.notifiedFree().iterator().next();
        String other = notified.equals("w1") ? "w2" : "w1";

        bulkhead.release(notified);

        bulkhead.awaitPermitFree(other);
    }

    /** Trap 29: the same for a cancelled waiter. */
    @Test
    void notifiedWaiterThatIsCancelledWakesTheNext() {
        request("a").send();
        request("w1").waiting().send();
        request("w2").waiting().send();
        bulkhead.release("a");
        String notified = bulkhead.notifiedFree().iterator().next();
        String other = notified.equals("w1") ? "w2" : "w1";

        bulkhead.cancel(LEASE, notified);

        bulkhead.awaitPermitFree(other);
    }

    /** Trap 26: no notification while all permits are held. */
    @Test
    void leavingWaiterWakesNoOtherWhileNothingIsFree() {
        request("a").send();
        request("w1").waiting().send();
        request("w2").waiting().send();

        bulkhead.release("w1");

        assertThat(bulkhead.notifiedFree()).isEmpty();
        assertThat(bulkhead.waiters()).containsExactly("w2");
    }

    @Test
    void leavingFairWaiterWakesNoOtherWhileNothingIsFree() {
        request("a").send();
        request("open").waiting().send();
        request("fair").fair(true).waiting().send();

        bulkhead.release("fair");

        assertThat(bulkhead.notifiedFree()).isEmpty();
        assertThat(bulkhead.waiters()).containsExactly("open");
    }

    @Test
    void nextFairWaiterIsServedWhenABlockedHeadLeaves() {
        request("a").limit(2).send();
        request("low").fair(true).limit(1).waiting().send();
        request("high").fair(true).limit(2).waiting().send();
        assertThat(bulkhead.holders()).containsExactly("a");

        bulkhead.release("low");

        bulkhead.awaitHandedOver("high");
        assertThat(bulkhead.holders()).containsExactlyInAnyOrder("a", "high");
    }

    // ---- lost places

    /** A ticket issued a minute ago: tickets are microseconds of the store's clock. */
    private long oldTicket() {
        return (bulkhead.now() - 60_000) * 1_000;
    }

    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void replyContainsTheTicketOfAWaiter(boolean fair) {
        request("a").fair(fair).send();

        long ticket = request("b").fair(fair).place(PLACE);

        assertThat(ticket).isEqualTo(bulkhead.waiter("b").ticket());
        assertThat(ticket > 0).isEqualTo(fair);
        assertThat(request("b").fair(fair).place(PLACE)).as("repeated request").isEqualTo(ticket);
    }

    /** Guarantee 5: the waiters of a process that was paused until they counted as dead queue again in their old order. */
    @Test
    void waitersReturningWithOldTicketsKeepTheirOrder() {
        request("a").fair(true).send();
        Map<String, Long> tickets = new TreeMap<>();
        Stream.of(ids("w", 4)).forEach(id -> tickets.put(id, request(id).fair(true).place(SHORT)));
        stores.advance(SHORT);
        request("new").fair(true).waiting().send();
        assertThat(bulkhead.poll(1, PLACE, ids("w", 4)).gone()).hasSize(4);

        Stream.of("w2", "w3", "w0", "w1").forEach(id -> {
            TestRequest again = request(id + "-again").again(tickets.get(id));
            assertThat((id.equals("w2") ? again.throughSecond() : again).place(PLACE)).isEqualTo(tickets.get(id));
        });

        assertThat(bulkhead.waiters()).containsExactly("w0-again", "w1-again", "w2-again", "w3-again", "new");
        List<Long> tokens = new ArrayList<>();
        for (String id : List.of("a", "w0-again", "w1-again", "w2-again", "w3-again", "new")) {
            assertThat(bulkhead.holders()).containsExactly(id);
            tokens.add(bulkhead.holder(id).ticket());
            bulkhead.release(id);
        }
        assertThat(tokens).as("fencing tokens").isSorted().doesNotHaveDuplicates();
    }

    /** Both waiters with the same ticket wait. */
    @Test
    void sameTicketTwiceIsTwoPlaces() {
        request("a").fair(true).send();
        long ticket = request("b").fair(true).place(PLACE);

        assertThat(request("c").again(ticket).place(PLACE)).isEqualTo(ticket);
        assertThat(request("d").again(ticket).send()).as("does not wait").isEqualTo(new Full(1, LEASE, false));

        assertThat(bulkhead.waiters()).containsExactly("b", "c");
        Stream.of("a", "b", "c").forEach(bulkhead::release);
        assertThat(bulkhead.occupancy().waiting()).isZero();
        assertThat(bulkhead.notifiedHandedOver()).containsExactlyInAnyOrder("b", "c");
    }

    /** Only smaller tickets overtake a head that waits for its own limit. */
    @Test
    void ticketOvertakesLargerButNotSmallerTickets() {
        request("a").limit(2).send();
        long ticket = request("low").limit(1).fair(true).place(PLACE);
        stores.advance(TICK);

        assertThat(request("later").limit(5).again(ticket + 1).place(PLACE)).isEqualTo(ticket + 1);
        assertThat(bulkhead.holders()).containsExactly("a");
        assertThat(request("earlier").limit(5).again(ticket - 1).waiting().send()).isInstanceOf(Granted.class);
        assertThat(request("open").limit(5).waiting().send()).as("without a ticket").isInstanceOf(Waiting.class);
        assertThat(bulkhead.waiters()).containsExactly("low", "later", "open");
    }

    /** Trap 24: an invalid ticket does not affect other tickets. */
    @ParameterizedTest
    @ValueSource(longs = { Long.MAX_VALUE, 1L << 53, (1L << 53) - 1, 4_000_000_000_000_000L })
    void ticketFromTheFutureCountsAsCurrent(long invalid) {
        long token = request("a").fair(true).ticket();
        stores.advance(TICK);

        long place = request("hostile").again(invalid).place(PLACE);
        long next = request("b").fair(true).place(PLACE);

        assertThat(place).isGreaterThan(token).isLessThanOrEqualTo(bulkhead.now() * 1_000);
        assertThat(next).isBetween(place + 1, bulkhead.now() * 1_000 + 1);
        assertThat(bulkhead.waiters()).containsExactly("hostile", "b");
    }

    /** Guarantee 7: an old ticket does not set back tickets and tokens. */
    @Test
    void ticketsAndTokensIncreaseAfterAnOldTicket() {
        long token = request("a").fair(true).ticket();
        long old = oldTicket();
        assertThat(request("b").again(old).place(PLACE)).isEqualTo(old);

        assertThat(request("c").fair(true).place(PLACE)).isGreaterThan(token);
        bulkhead.release("a");

        assertThat(bulkhead.awaitHandedOver("b").ticket()).isGreaterThan(token);
    }

    /** An existing place ignores the ticket of a request. */
    @Test
    void ticketDoesNotMoveAnExistingPlace() {
        request("a").fair(true).send();
        Stream.of(ids("w", 2)).forEach(id -> request(id).fair(true).waiting().send());

        request("w1").again(oldTicket()).place(PLACE);

        assertThat(bulkhead.waiters()).containsExactly("w0", "w1");
    }

    @Test
    void ticketIsIgnoredForStandbyWaiters() {
        AcquireRequest request = new AcquireRequest(bulkhead.self, bulkhead.unique("b"), 1, LEASE, false, PLACE,
                oldTicket(), "app", "host:1", "Type#method");

        assertThat(get(stores.first().acquire(request))).as("no grace period").isInstanceOf(Granted.class);
    }

    /**
     * Guarantee 5: after losing all data, the store waits for a grace period instead of serving the first waiter, because
     * waiters of other processes may have lower tickets.
     */
    @Test
    void oldOrderIsKeptAfterLosingAllData() {
        assumeTrue(stores.mayLoseData(), "This store loses no data");
        long before = oldTicket();

        assertThat(request("third").again(before + 3).waiting().send())
                .isEqualTo(new Waiting(1, PermitStore.GRACE_PERIOD, bulkhead.now(), before + 3, false));
        assertThat(request("new").fair(true).send()).as("does not wait")
                .isEqualTo(new Full(1, PermitStore.GRACE_PERIOD, false));
        assertThat(request("waits").fair(true).waiting().send()).isInstanceOf(Waiting.class);
        request("open").waiting().send();
        stores.advance(PermitStore.GRACE_PERIOD.minus(TICK));
        request("second").again(before + 2).throughSecond().place(PLACE);
        request("first").again(before + 1).place(PLACE);
        PollReply early = bulkhead.poll(1, PLACE, "first", "second", "third");
        assertThat(early.handedOver()).isEmpty();
        assertThat(early.free()).isZero();
        assertThat(early.nearestLeaseEnd()).isEqualTo(TICK);
        assertThat(bulkhead.occupancy().waiting()).as("the grace period is not a waiter").isEqualTo(5);
        assertThat(bulkhead.waiters()).containsExactly("first", "second", "third", "waits", "open");
        assertThat(bulkhead.occupancy(1).waiters()).extracting(Waiter::permitId).containsExactly(bulkhead.unique("first"));
        stores.advance(TICK);

        assertThat(bulkhead.poll(1, PLACE, "third").handedOver()).isEmpty();

        assertThat(bulkhead.holders()).containsExactly("first");
        for (String id : List.of("first", "second", "third", "waits")) {
            assertThat(bulkhead.holders()).containsExactly(id);
            bulkhead.release(id);
        }
        bulkhead.awaitPermitFree("open");
    }

    /** The only grace period ends also after the waiter that started it left. */
    @Test
    void gracePeriodEndsForNewcomers() {
        assumeTrue(stores.mayLoseData(), "This store loses no data");
        request("gone").again(oldTicket()).place(PLACE);
        bulkhead.release("gone");
        assertThat(bulkhead.occupancy().waiting()).isZero();
        assertThat(request("new").send()).isInstanceOf(Full.class);
        stores.advance(PermitStore.GRACE_PERIOD);

        assertThat(request("new").send()).isInstanceOf(Granted.class);
        bulkhead.release("new");
        assertThat(request("again").again(oldTicket()).waiting().send()).as("the last ticket is known")
                .isInstanceOf(Granted.class);
    }

    /** Trap 24, guarantee 5: a ticket below all issued ones does not bypass the grace period. */
    @ParameterizedTest
    @ValueSource(longs = { 1, 1_000, 1_000_000_000_000L })
    void invalidSmallTicketWaitsForTheGracePeriod(long invalid) {
        assumeTrue(stores.mayLoseData(), "This store loses no data");
        // More than a store reads from the queue at once, so that the end of the grace period is behind them.
        Stream.of(ids("hostile", 5)).forEach(id -> request(id).again(invalid).place(PLACE));

        assertThat(bulkhead.poll(1, PLACE, "hostile0").handedOver()).isEmpty();
        request("late").again(oldTicket()).place(PLACE);
        assertThat(bulkhead.holders()).isEmpty();
        stores.advance(PermitStore.GRACE_PERIOD);
        bulkhead.poll(1, PLACE, "late");

        assertThat(bulkhead.holders()).singleElement().asString().startsWith("hostile");
    }

    /** A known last ticket shows that no data was lost. */
    @Test
    void noGracePeriodIfTheLastTicketIsKnown() {
        request("a").send();
        bulkhead.release("a");

        assertThat(request("b").again(oldTicket()).waiting().send()).isInstanceOf(Granted.class);
    }

    @Test
    void noGracePeriodAfterTheClockGoesBack() {
        assumeTrue(stores.mayLoseData(), "This store loses no data");
        request("b").again(oldTicket()).place(PLACE);
        setClockBack(LONG_AGO);

        bulkhead.poll(1, PLACE, "b");

        assertThat(bulkhead.holders()).containsExactly("b");
    }

    // ---- release

    /** Trap 7. */
    @Test
    void releaseRemovesOnlyItsOwnPermit() {
        request("a").limit(2).send();
        request("b").limit(2).send();

        assertThat(bulkhead.release("a")).isTrue();
        assertThat(bulkhead.release("a")).as("released twice").isFalse();
        assertThat(bulkhead.release("never")).isFalse();
        assertThat(new BulkheadUnderTest(stores, "other-").release("b")).isFalse();

        assertThat(bulkhead.holders()).containsExactly("b");
    }

    /** Trap 7: a holder paused beyond its lease does not release the permit of its successor. */
    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void lateReleaseKeepsThePermitOfTheSuccessor(boolean fair) {
        request("late").fair(fair).lease(SHORT).send();
        stores.advance(SHORT);
        request("successor").fair(fair).send();

        assertThat(bulkhead.release("late")).isFalse();

        assertThat(bulkhead.holders()).containsExactly("successor");
        assertThat(request("third").fair(fair).send()).isInstanceOf(Full.class);
    }

    @Test
    void releaseAfterTheLeaseReturnsFalseWithoutASuccessor() {
        request("late").lease(SHORT).send();
        stores.advance(SHORT);

        assertThat(bulkhead.release("late")).isFalse();
    }

    @Test
    void anyProcessMayRelease() {
        request("a").send();

        assertThat(get(stores.second().release(BulkheadId.of(bulkhead.name), bulkhead.unique("a")))).isTrue();
        assertThat(bulkhead.holders()).isEmpty();
    }

    // ---- renew

    @Test
    void renewalExtendsALeaseAndNeverShortensIt() {
        request("a").lease(SHORT).send();
        stores.advance(SHORT.minus(TICK));

        assertThat(bulkhead.renew(SHORT, "a")).isEmpty();
        Instant until = Instant.ofEpochMilli(bulkhead.now()).plus(SHORT);
        assertThat(bulkhead.holder("a").until()).isEqualTo(until);

        bulkhead.renew(TICK, "a");
        assertThat(bulkhead.holder("a").until()).isEqualTo(until);
    }

    /** Trap 5, Trap 8: each permit in a batch has its own lease; other permits keep theirs. */
    @Test
    void batchedRenewalAffectsOnlyItsPermits() {
        Stream.of("a", "b", "c").forEach(id -> request(id).limit(3).lease(SHORT).send());
        request("w").limit(3).waiting().send();

        Set<String> lost = get(stores.first().renew(BulkheadId.of(bulkhead.name), Map.of(bulkhead.unique("a"), LEASE,
                bulkhead.unique("b"), PLACE, bulkhead.unique("w"), PLACE, bulkhead.unique("never"), PLACE)));

        assertThat(lost).containsExactlyInAnyOrder(bulkhead.unique("w"), bulkhead.unique("never"));
        assertThat(bulkhead.holders()).containsExactly("c", "b", "a");
        stores.advance(SHORT);
        assertThat(bulkhead.holders()).containsExactly("b", "a");
        stores.advance(PLACE.minus(SHORT));
        assertThat(bulkhead.holders()).containsExactly("a");
    }

    /** Trap 5. */
    @Test
    void renewalAfterTheReleaseDoesNotRestoreThePermit() {
        request("a").send();
        bulkhead.release("a");

        assertThat(bulkhead.renew(LEASE, "a")).containsExactly("a");

        assertThat(bulkhead.holders()).isEmpty();
        assertThat(request("b").send()).isInstanceOf(Granted.class);
    }

    /** Trap 5. */
    @Test
    void releaseAfterTheRenewalWins() {
        request("a").send();
        assertThat(bulkhead.renew(LEASE, "a")).isEmpty();

        assertThat(bulkhead.release("a")).isTrue();
        assertThat(bulkhead.holders()).isEmpty();
    }

    /** Trap 5: an expired lease stays expired, even if no step has removed it. */
    @Test
    void renewalAfterTheLeaseDoesNotRestoreThePermit() {
        request("a").lease(SHORT).send();
        stores.advance(SHORT);

        assertThat(bulkhead.renew(LEASE, "a")).containsExactly("a");
        assertThat(bulkhead.renew(LEASE, "a")).containsExactly("a");

        assertThat(bulkhead.holders()).isEmpty();
        assertThat(request("b").send()).isInstanceOf(Granted.class);
    }

    @Test
    void renewsManyAtOnce() {
        String[] ids = ids("p", PermitStore.MAX_RENEWED_AT_ONCE);
        Stream.of(ids).forEach(id -> request(id).limit(1_000).lease(SHORT).send());

        assertThat(bulkhead.renew(LEASE, ids)).isEmpty();
        stores.advance(SHORT);

        assertThat(bulkhead.renew(LEASE, ids)).isEmpty();
        assertThat(bulkhead.occupancy().inUse()).isEqualTo(ids.length);
    }

    // ---- cancel

    /** Trap 4: cancels a request with unknown outcome, whether granted, waiting or in flight. */
    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void cancelledRequestHoldsNothingAndIsRefusedOnArrival(boolean fair) {
        request("granted").fair(fair).send();
        request("waits").fair(fair).waiting().send();

        bulkhead.cancel(SHORT, "granted", "waits", "on-its-way");

        assertThat(bulkhead.holders()).isEmpty();
        assertThat(bulkhead.waiters()).isEmpty();
        assertThat(request("on-its-way").fair(fair).send()).isEqualTo(new Cancelled());
        assertThat(request("granted").fair(fair).throughSecond().send()).isEqualTo(new Cancelled());
        assertThat(request("waits").fair(fair).waiting().send()).isEqualTo(new Cancelled());
        assertThat(request("other").fair(fair).send()).isInstanceOf(Granted.class);
    }

    @Test
    void cancellationExpires() {
        bulkhead.cancel(SHORT, "a");
        stores.advance(SHORT.minus(TICK));
        assertThat(request("a").send()).isInstanceOf(Cancelled.class);

        stores.advance(TICK);
        assertThat(request("a").send()).isInstanceOf(Granted.class);
    }

    @Test
    void repeatedCancellationNeverShortensTheFirst() {
        bulkhead.cancel(LEASE, "a");
        bulkhead.cancel(SHORT, "a");
        stores.advance(SHORT);

        assertThat(request("a").send()).isInstanceOf(Cancelled.class);
    }

    @Test
    void cancelledPermitsGoToTheNextFairWaiters() {
        Stream.of("a", "b").forEach(id -> request(id).limit(2).fair(true).send());
        Stream.of("c", "d", "e").forEach(id -> request(id).limit(2).fair(true).waiting().send());

        bulkhead.cancel(LEASE, "a", "b", "c");

        assertThat(bulkhead.holders()).containsExactlyInAnyOrder("d", "e");
        assertThat(bulkhead.notifiedHandedOver()).containsExactlyInAnyOrder("d", "e");
    }

    /** Trap 26. */
    @Test
    void cancellationWakesAsManyWaitersAsPermitsAreFreed() {
        Stream.of("a", "b", "c").forEach(id -> request(id).limit(3).send());
        Stream.of(ids("w", 5)).forEach(id -> request(id).limit(3).waiting().send());

        bulkhead.cancel(LEASE, "a", "b", "w0", "never");

        assertThat(bulkhead.notifiedFree()).hasSize(2).doesNotContain("w0");
    }

    @Test
    void cancelsAHundredAtOnce() {
        String[] ids = ids("p", PermitStore.MAX_CANCELLED_AT_ONCE);
        Stream.of(ids).forEach(id -> request(id).limit(200).send());
        request("stays").limit(200).send();

        bulkhead.cancel(LEASE, ids);

        assertThat(bulkhead.holders()).containsExactly("stays");
        assertThat(request("p99").limit(200).send()).isInstanceOf(Cancelled.class);
    }

    // ---- poll

    @Test
    void pollReturnsTheStateOfEachWaiter() {
        request("a").fair(true).send();
        request("b").fair(true).waiting().lease(SHORT).send();
        request("c").fair(true).waiting().send();
        request("d").fair(true).waiting().send();
        bulkhead.release("a");
        bulkhead.release("d");

        PollReply reply = bulkhead.poll(1, PLACE, "b", "c", "d", "never");

        assertThat(reply.handedOver()).containsExactly(Map.entry("b", bulkhead.awaitHandedOver("b")));
        assertThat(reply.gone()).containsExactlyInAnyOrder("d", "never");
        assertThat(reply.free()).isZero();
        assertThat(reply.nearestLeaseEnd()).isEqualTo(FIRST_LEASE);
        assertThat(reply.storeMillis()).isEqualTo(bulkhead.now());
    }

    @Test
    void pollReturnsTheNumberOfFreePermits() {
        Stream.of("a", "b", "c").forEach(id -> request(id).limit(3).send());
        request("w").limit(3).waiting().send();

        assertThat(bulkhead.poll(5, PLACE, "w").free()).isEqualTo(2);
        assertThat(bulkhead.poll(2, PLACE, "w").free()).as("above the limit").isZero();
        bulkhead.resize(4);
        assertThat(bulkhead.poll(9, PLACE, "w").free()).isEqualTo(1);
    }

    @Test
    void nearestLeaseEndIsZeroWhenNothingIsHeld() {
        request("a").lease(SHORT).send();
        stores.advance(SHORT);

        assertThat(bulkhead.poll(1, PLACE, "x").nearestLeaseEnd()).isZero();
    }

    @Test
    void pollsManyAtOnce() {
        String[] ids = ids("w", PermitStore.MAX_POLLED_AT_ONCE);
        request("a").fair(true).send();
        Stream.of(ids).forEach(id -> request(id).fair(true).waiting(SHORT).send());
        stores.advance(SHORT.minus(TICK));

        assertThat(bulkhead.poll(1, PLACE, ids).gone()).isEmpty();
        stores.advance(SHORT);

        assertThat(bulkhead.occupancy().waiting()).isEqualTo(ids.length);
        assertThat(bulkhead.waiters()).containsExactly(ids);
    }

    // ---- own permits

    /** Trap 47: all permits granted and not released, whether the process knows them or not. */
    @Test
    void ownPermitsListsThePermitsOfAProcess() {
        assumeTrue(stores.mayLoseData(), "In this store, a process knows all its permits");
        Stream.of("a", "b", "c").forEach(id -> request(id).limit(6).fair(true).send());
        Stream.of("d", "e").forEach(id -> request(id).limit(6).throughSecond().send());
        request("ended").limit(6).lease(SHORT).send();
        request("waits").limit(6).fair(true).waiting().send();
        request("beside").limit(6).waiting().send();
        stores.advance(SHORT.minus(TICK));
        bulkhead.poll(6, PLACE, "waits");
        assertThat(bulkhead.ownPermits(stores.first())).containsExactlyInAnyOrder("a", "b", "c", "ended");
        assertThat(bulkhead.ownPermits(stores.second())).containsExactlyInAnyOrder("d", "e");

        stores.advance(TICK);
        assertThat(bulkhead.ownPermits(stores.first())).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(bulkhead.waiters()).as("read only").contains("waits");
        bulkhead.release("b");
        assertThat(bulkhead.ownPermits(stores.first())).containsExactlyInAnyOrder("a", "c", "waits");
        assertThat(new BulkheadUnderTest(stores, "other-").ownPermits(stores.first())).isEmpty();
    }

    /** Trap 24: several bounded steps. */
    @Test
    void ownPermitsListsManyPermits() {
        assumeTrue(stores.mayLoseData(), "In this store, a process knows all its permits");
        int many = permitsOverSeveralSteps();
        Set<String> own = new HashSet<>();
        for (int i = 0; i < many; i++) {
            TestRequest request = request("p" + i).limit(many);
            (i % 3 == 0 ? request.throughSecond() : request).send();
            if (i % 3 != 0) {
                own.add("p" + i);
            }
        }

        assertThat(bulkhead.ownPermits(stores.first())).isEqualTo(own);
    }

    // ---- revoke and resize

    @Test
    void revokedPermitIsGoneAndItsHolderIsNotified() {
        request("a").fair(true).send();
        request("b").fair(true).waiting().send();

        assertThat(bulkhead.revoke("a")).isTrue();

        bulkhead.awaitRevoked("a");
        assertThat(bulkhead.holders()).containsExactly("b");
        assertThat(bulkhead.renew(LEASE, "a")).containsExactly("a");
        assertThat(bulkhead.release("a")).isFalse();
        assertThat(bulkhead.revoke("a")).as("twice").isFalse();
    }

    @Test
    void revokedPermitWakesOneWaiter() {
        request("a").limit(2).send();
        request("b").limit(2).send();
        Stream.of(ids("w", 3)).forEach(id -> request(id).limit(2).waiting().send());

        bulkhead.revoke("b");

        assertThat(bulkhead.notifiedFree()).hasSize(1);
    }

    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void onlyHeldPermitsAreRevoked(boolean fair) {
        request("a").fair(fair).lease(SHORT).send();
        request("w").fair(fair).waiting().send();

        assertThat(bulkhead.revoke("w")).as("waits").isFalse();
        assertThat(bulkhead.revoke("never")).isFalse();
        assertThat(bulkhead.waiters()).containsExactly("w");
        stores.advance(SHORT);
        assertThat(bulkhead.revoke("a")).as("ended").isFalse();
        assertThat(bulkhead.notifiedRevoked()).isEmpty();
    }

    /** The state before the call decides: a waiter that gets the permit in this call is not a holder. */
    @Test
    void waiterServedByTheSameCallIsNotRevoked() {
        request("a").fair(true).lease(SHORT).send();
        request("w").fair(true).waiting().send();
        stores.advance(SHORT);

        assertThat(bulkhead.revoke("w")).isFalse();
        bulkhead.awaitHandedOver("w");
    }

    @Test
    void resizedLimitOverridesDeclaredLimits() {
        bulkhead.resize(2);

        assertThat(request("a").limit(1).send()).isInstanceOf(Granted.class);
        assertThat(request("b").limit(1).throughSecond().send()).isInstanceOf(Granted.class);
        assertThat(request("c").limit(9).throughSecond().send()).isEqualTo(new Full(2, LEASE, false));
        assertThat(bulkhead.occupancy().resizedTo()).hasValue(2);
    }

    @Test
    void resizedLimitOutlivesTheLastPermit() {
        bulkhead.resize(2);
        request("a").send();
        bulkhead.release("a");
        stores.advance(Duration.ofMinutes(10));

        assertThat(bulkhead.occupancy().resizedTo()).hasValue(2);
        request("b").send();
        assertThat(request("c").send()).isInstanceOf(Granted.class);
    }

    @Test
    void raisedLimitHandsNewPermitsToWaiters() {
        request("a").fair(true).send();
        Stream.of(ids("w", 4)).forEach(id -> request(id).fair(true).waiting().send());

        bulkhead.resize(3);

        assertThat(bulkhead.notifiedHandedOver()).containsExactly("w0", "w1");
        assertThat(bulkhead.waiters()).containsExactly("w2", "w3");
    }

    @Test
    void raisedLimitNotifiesAsManyWaitersAsNewPermits() {
        request("a").send();
        Stream.of(ids("w", 4)).forEach(id -> request(id).waiting().send());

        bulkhead.resize(3);

        assertThat(bulkhead.notifiedFree()).hasSize(2);
    }

    /** Trap 24: every loop is bounded. */
    @Test
    void raisedLimitNotifiesAHundredWaitersAtMost() {
        request("a").send();
        Stream.of(ids("w", 120)).forEach(id -> request(id).waiting().send());

        bulkhead.resize(1_000);

        assertThat(bulkhead.notifiedFree()).hasSize(100);
    }

    /** Trap 19: running executions continue, and no call enters until the use is below the new limit. */
    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void limitBelowTheUseDrains(boolean fair) {
        Stream.of("a", "b", "c").forEach(id -> request(id).limit(3).fair(fair).send());
        bulkhead.resize(1);

        assertThat(bulkhead.holders()).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(bulkhead.renew(LEASE, "a", "b", "c")).isEmpty();
        assertThat(bulkhead.poll(3, PLACE, "x").free()).isZero();
        for (String id : List.of("a", "b")) {
            bulkhead.release(id);
            assertThat(request("new").limit(3).fair(fair).send()).isInstanceOf(Full.class);
        }
        bulkhead.release("c");
        assertThat(request("new").limit(3).fair(fair).send()).isInstanceOf(Granted.class);
    }

    /** Trap 19: the same for queued waiters. */
    @Test
    void limitBelowTheUseBlocksTheQueue() {
        Stream.of("a", "b").forEach(id -> request(id).limit(2).fair(true).send());
        Stream.of("c", "d").forEach(id -> request(id).limit(2).fair(true).waiting().send());
        bulkhead.resize(1);

        bulkhead.release("a");
        assertThat(bulkhead.holders()).containsExactly("b");
        bulkhead.release("b");
        assertThat(bulkhead.holders()).containsExactly("c");
    }

    /** Trap 19, Trap 26: no waiter wakes while the use is at or above the limit. */
    @Test
    void releaseAboveTheNewLimitWakesNoWaiter() {
        Stream.of("a", "b").forEach(id -> request(id).limit(2).send());
        request("w").limit(2).waiting().send();
        bulkhead.resize(1);

        bulkhead.release("a");
        assertThat(bulkhead.notifiedFree()).isEmpty();
        bulkhead.release("b");
        bulkhead.awaitPermitFree("w");
    }

    @Test
    void resetSizeRestoresTheDeclaredLimits() {
        bulkhead.resize(1);
        request("a").limit(2).send();
        request("fair").limit(2).fair(true).waiting().send();

        assertThat(bulkhead.resetSize()).isTrue();

        bulkhead.awaitHandedOver("fair");
        assertThat(bulkhead.occupancy().resizedTo()).isEmpty();
        assertThat(bulkhead.resetSize()).as("twice").isFalse();
        assertThat(request("b").limit(2).send()).isInstanceOf(Full.class);
    }

    @Test
    void resetSizeNotifiesWaiters() {
        bulkhead.resize(1);
        request("a").limit(3).send();
        Stream.of(ids("w", 4)).forEach(id -> request(id).limit(3).waiting().send());

        bulkhead.resetSize();

        assertThat(bulkhead.notifiedFree()).hasSize(2);
    }

    // ---- different limits

    /** Trap 19: with mixed limits during a rollout, each process applies its declared limit. */
    @Test
    void mixedLimitsDrainToTheLowerOne() {
        Stream.of("a", "b", "c").forEach(id -> request(id).limit(3).send());

        bulkhead.release("a");
        assertThat(request("new").limit(2).send()).isEqualTo(new Full(2, LEASE, false));
        bulkhead.release("b");
        assertThat(request("new").limit(2).send()).isInstanceOf(Granted.class);
        assertThat(request("other").limit(2).send()).isInstanceOf(Full.class);
        assertThat(request("old").limit(3).send()).isInstanceOf(Granted.class);
    }

    /** Trap 19: detects a rollout that changes the limit. */
    @Test
    void differingLimitsAreReported() {
        request("a").limit(3).send();
        assertThat(bulkhead.limitMismatches()).as("no other limit").isEmpty();

        request("b").limit(4).send();

        assertThat(bulkhead.awaitLimitMismatch(4))
                .isEqualTo(new LimitMismatch(BulkheadId.of(bulkhead.name), 4, Set.of(3)));
        assertThat(bulkhead.occupancy().declaredLimits()).containsExactly(3, 4);
        request("c").limit(5).send();
        assertThat(bulkhead.awaitLimitMismatch(5).others()).containsExactlyInAnyOrder(3, 4);
    }

    @Test
    void differingLimitsAreReportedAgainOnlyAfterSomeSeconds() {
        request("a").limit(3).lease(LEASE).send();
        request("b").limit(4).lease(LEASE).send();
        bulkhead.awaitLimitMismatch(4);
        stores.advance(Duration.ofSeconds(4));
        request("c").limit(4).send();
        assertThat(new HashSet<>(bulkhead.limitMismatches())).hasSize(1);

        stores.advance(Duration.ofSeconds(1));
        request("d").limit(3).send();
        assertThat(bulkhead.awaitLimitMismatch(3).others()).containsExactly(4);
    }

    @Test
    void unusedDeclaredLimitIsForgotten() {
        request("a").limit(3).lease(Duration.ofHours(1)).send();
        stores.advance(Duration.ofSeconds(55));
        assertThat(bulkhead.occupancy().declaredLimits()).containsExactly(3);
        stores.advance(Duration.ofSeconds(6));
        assertThat(bulkhead.occupancy().declaredLimits()).isEmpty();

        request("b").limit(4).send();

        assertThat(bulkhead.limitMismatches()).isEmpty();
        assertThat(bulkhead.occupancy().declaredLimits()).containsExactly(4);
    }

    @Test
    void repeatedDeclaredLimitIsKept() {
        request("a").limit(3).lease(Duration.ofHours(1)).send();
        stores.advance(Duration.ofSeconds(50));
        request("b").limit(3).send();
        stores.advance(Duration.ofSeconds(50));

        assertThat(bulkhead.occupancy().declaredLimits()).containsExactly(3);
    }

    // ---- occupancy

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = { "报表服务", "🚦-rapports-été", "sp ace", "a:b", "{a}b", "a}b{", "quote'\"\\", "new\nline", "*?[]" })
    void namesMayBeInAnyScript(String text) {
        BulkheadUnderTest other = new BulkheadUnderTest(stores, text);
        String id = "许可-🎫-" + bulkhead.name;
        AcquireRequest request = new AcquireRequest(BulkheadId.of(other.name), id, 1, SHORT, true, PLACE, text + " app",
                text + ":1",
                text + "#run");
        AcquireRequest second = new AcquireRequest(BulkheadId.of(other.name), id + "2", 1, SHORT, true, PLACE, text + " app2",
                text + ":2",
                text + "#walk");
        long ticket = ((Granted) get(stores.first().acquire(request))).ticket();
        get(stores.first().acquire(second));
        Instant now = Instant.ofEpochMilli(bulkhead.now());

        Occupancy occupancy = other.occupancy();
        assertThat(occupancy.holders())
                .containsExactly(new Holder(id, other.name, Optional.empty(), ticket, 1, text + " app", text + ":1",
                        text + "#run", now, now.plus(SHORT), Holder.State.HELD));
        assertThat(occupancy.waiters()).containsExactly(new Waiter(id + "2", other.name, Optional.empty(),
                occupancy.waiters().get(0).ticket(), 1, text + " app2", text + ":2", text + "#walk", now, now.plus(PLACE)));
        assertThat(occupancy.waiters().get(0).ticket()).isGreaterThan(ticket);
        assertThat(bulkhead.occupancy().inUse()).as("another bulkhead").isZero();
    }

    @Test
    void sinceAndUntilUseTheStoresClock() {
        request("a").lease(LEASE).send();
        Instant first = Instant.ofEpochMilli(bulkhead.now());
        stores.advance(Duration.ofSeconds(5));
        request("w").waiting(SHORT).send();
        stores.advance(Duration.ofSeconds(2));
        bulkhead.renew(LEASE, "a");

        assertThat(bulkhead.holder("a").since()).isEqualTo(first);
        assertThat(bulkhead.holder("a").until()).isEqualTo(first.plusSeconds(7).plus(LEASE));
        assertThat(bulkhead.waiter("w").since()).isEqualTo(first.plusSeconds(5));
        assertThat(bulkhead.waiter("w").until()).isEqualTo(first.plusSeconds(5).plus(SHORT));
        assertThat(bulkhead.waiter("w").ticket()).isZero();
    }

    @Test
    void holdersAreListedByLeaseEndAndWaitersByTheirOrder() {
        Stream.of(Map.entry("h3", 30), Map.entry("h1", 10), Map.entry("h2", 20))
                .forEach(entry -> request(entry.getKey()).limit(3).lease(Duration.ofSeconds(entry.getValue())).send());
        List<String> order = List.of("open1", "fair1", "open2", "fair2");
        for (String id : order) {
            request(id).limit(3).fair(id.startsWith("fair")).waiting().send();
            stores.advance(TICK);
        }

        assertThat(bulkhead.holders()).containsExactly("h1", "h2", "h3");
        assertThat(bulkhead.waiters()).containsExactly("fair1", "fair2", "open1", "open2");
        Occupancy three = bulkhead.occupancy(3);
        assertThat(three.waiters()).isEqualTo(bulkhead.occupancy().waiters().subList(0, 3));
        Occupancy one = bulkhead.occupancy(1);
        assertThat(one.holders()).isEqualTo(bulkhead.occupancy().holders().subList(0, 1));
        assertThat(one.inUse()).isEqualTo(3);
        assertThat(one.waiting()).isEqualTo(4);
        assertThat(bulkhead.occupancy(0).holders()).isEmpty();
        assertThat(bulkhead.occupancy(0).waiters()).isEmpty();
    }

    /** Neither reading nor renewing hands over permits. */
    @Test
    void neitherReadingNorRenewingAdvancesTheQueue() {
        request("a").limit(2).fair(true).lease(SHORT).send();
        request("b").limit(2).fair(true).send();
        request("w").limit(2).fair(true).waiting().send();
        stores.advance(SHORT);

        bulkhead.renew(LEASE, "b");

        assertThat(bulkhead.occupancy().inUse()).isEqualTo(1);
        assertThat(bulkhead.waiters()).containsExactly("w");
        assertThat(bulkhead.notifiedHandedOver()).isEmpty();
    }

    // ---- races

    /** Trap 2: counting and adding are atomic. */
    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void burstOfRequestsNeverExceedsTheLimit(boolean fair) throws Exception {
        List<Callable<AcquireReply>> requests = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            TestRequest request = request("p" + i).limit(5).fair(fair);
            requests.add(i % 2 == 0 ? request::send : request.throughSecond()::send);
        }

        List<AcquireReply> replies = inParallel(requests);

        assertThat(replies.stream().filter(Granted.class::isInstance)).hasSize(5);
        assertThat(replies.stream().filter(Full.class::isInstance)).hasSize(395);
        assertThat(bulkhead.holders()).hasSize(5);
    }

    /**
     * Trap 2, Trap 9, Trap 29: threads acquire, wait, renew, release and cancel at random; the limit holds, and no data
     * remains.
     */
    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void longRaceNeverExceedsTheLimitAndLeavesNothing(boolean fair) throws Exception {
        Race race = new Race(fair, 3);
        List<Callable<List<Long>>> racers = IntStream.range(0, 8)
                .<Callable<List<Long>>> mapToObj(number -> () -> race.run("r" + number, number % 2 == 0)).toList();

        List<Long> tickets = inParallel(racers).stream().flatMap(List::stream).toList();

        assertThat(race.mostInside).hasValueBetween(1, 3);
        assertThat(tickets).doesNotHaveDuplicates().isNotEmpty();
        Occupancy end = bulkhead.occupancy();
        assertThat(end.inUse()).isZero();
        assertThat(end.waiting()).isZero();
    }

    /** Each racer acquires permits through one of the stores, and sometimes releases or cancels while waiting. */
    private final class Race {

        final AtomicInteger inside = new AtomicInteger();
        final AtomicInteger mostInside = new AtomicInteger();
        final boolean fair;
        final int limit;

        Race(boolean fair, int limit) {
            this.fair = fair;
            this.limit = limit;
        }

        List<Long> run(String racer, boolean throughFirst) {
            List<Long> tickets = new ArrayList<>();
            for (int i = 0; i < permitsPerRacer(); i++) {
                TestRequest request = request(racer + "-" + i).limit(limit).fair(fair).waiting(LEASE);
                acquireAndRelease(throughFirst ? request : request.throughSecond(), i, tickets);
            }
            return tickets;
        }

        private void acquireAndRelease(TestRequest request, int round, List<Long> tickets) {
            AcquireReply reply = request.send();
            if (reply instanceof Waiting && round % 7 == 3) {
                bulkhead.release(request.id());
                return;
            }
            if (reply instanceof Waiting && round % 7 == 5) {
                bulkhead.cancel(LEASE, request.id());
                return;
            }
            tickets.add(reply instanceof Granted granted ? granted.ticket() : awaitTurn(request));
            mostInside.accumulateAndGet(inside.incrementAndGet(), Math::max);
            assertThat(bulkhead.renew(LEASE, request.id())).isEmpty();
            inside.decrementAndGet();
            assertThat(bulkhead.release(request.id())).isTrue();
        }

        private long awaitTurn(TestRequest request) {
            while (true) {
                PollReply reply = bulkhead.poll(limit, LEASE, request.id());
                assertThat(reply.gone()).isEmpty();
                if (!reply.handedOver().isEmpty()) {
                    return reply.handedOver().get(request.id()).ticket();
                }
                if (reply.free() > 0 && request.send() instanceof Granted granted) {
                    return granted.ticket();
                }
                Thread.yield();
            }
        }
    }

    private static <T> List<T> inParallel(List<Callable<T>> calls) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<T> results = new ArrayList<>();
            for (Future<T> future : threads.invokeAll(calls, 2, TimeUnit.MINUTES)) {
                results.add(future.get());
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    /** Waiters live as long as their process, so only another process can see dead ones. */
    private void assumeOtherProcesses() {
        assumeTrue(stores.hasOtherProcesses(), "This store has one process, and all waiters die with it");
    }

    private TestRequest request(String id) {
        return bulkhead.request(id);
    }

    private static String[] ids(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toArray(String[]::new);
    }

    private static List<Long> tickets(List<Waiter> waiters) {
        return waiters.stream().map(Waiter::ticket).toList();
    }
}
