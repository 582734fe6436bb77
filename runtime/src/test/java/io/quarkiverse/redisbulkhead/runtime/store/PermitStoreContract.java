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
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadUnderTest.Ask;

/** What every store must do. */
public abstract class PermitStoreContract {

    private static final Duration TICK = Duration.ofMillis(1);
    private static final Duration SHORT = Duration.ofSeconds(3);
    private static final Duration FIRST_LEASE = PermitStore.FIRST_LEASE;
    private static final Duration LONG_AGO = Duration.ofHours(1);

    protected StoreFixture stores;

    BulkheadUnderTest bulkhead;

    /** Opens the store for one test. */
    protected abstract StoreFixture open();

    /** How many permits each thread of the race takes, one after the other. */
    protected int permitsPerRacer() {
        return 200;
    }

    /** More than one step is about. */
    protected int permitsToBeLookedAt() {
        return 2 * PermitStore.HOLDERS_PER_STEP + 1;
    }

    /** Whether the store goes by a clock that can be set. */
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
    void aHeavyPermitTakesAllOfItsWeightOrNothing(boolean fair) {
        assertThat(ask("*3*a").limit(5).fair(fair).send()).isInstanceOf(Granted.class);
        assertThat(ask("*3*b").limit(5).fair(fair).send()).isInstanceOf(Full.class);
        assertThat(bulkhead.occupancy().inUse()).isEqualTo(3);

        assertThat(ask("*2*c").limit(5).fair(fair).send()).isInstanceOf(Granted.class);
        assertThat(ask("d").limit(5).fair(fair).send()).isInstanceOf(Full.class);
        assertThat(bulkhead.occupancy().inUse()).isEqualTo(5);
        assertThat(bulkhead.holders()).containsExactlyInAnyOrder("*3*a", "*2*c");
    }

    @Test
    void aReleaseGivesAllOfTheWeightBack() {
        ask("*3*a").limit(3).send();

        assertThat(bulkhead.release("*3*a")).isTrue();
        assertThat(bulkhead.release("*3*a")).isFalse();

        assertThat(bulkhead.occupancy().inUse()).isZero();
        assertThat(ask("*3*b").limit(3).send()).isInstanceOf(Granted.class);
    }

    @Test
    void askingAgainForAHeavyPermitAnswersWithTheSame() {
        long ticket = ask("*3*a").limit(4).ticket();

        assertThat(ask("*3*a").limit(4).ticket()).isEqualTo(ticket);

        assertThat(bulkhead.occupancy().inUse()).isEqualTo(3);
    }

    @Test
    void aRenewalLengthensAllOfTheWeight() {
        ask("*3*a").limit(3).lease(SHORT).send();

        assertThat(bulkhead.renew(LEASE, "*3*a")).isEmpty();
        stores.advance(SHORT);

        assertThat(bulkhead.occupancy().inUse()).isEqualTo(3);
        assertThat(ask("b").limit(3).send()).isInstanceOf(Full.class);
    }

    @Test
    void allOfTheWeightEndsWithTheLease() {
        ask("*3*a").limit(3).lease(SHORT).send();
        ask("*3*w").limit(3).fair(true).waiting(LEASE).send();

        stores.advance(SHORT);

        assertThat(bulkhead.occupancy().inUse()).isZero();
        assertThat(bulkhead.poll(3, PLACE, "*3*w").handedOver()).containsOnlyKeys("*3*w");
        assertThat(bulkhead.occupancy().inUse()).isEqualTo(3);
    }

    @Test
    void whatIsCancelledOrRevokedGivesAllOfItsWeightBack() {
        ask("*2*a").limit(4).send();
        ask("*2*b").limit(4).send();

        bulkhead.cancel(LEASE, "*2*a");
        assertThat(bulkhead.occupancy().inUse()).isEqualTo(2);
        assertThat(ask("*2*a").limit(4).send()).isInstanceOf(Cancelled.class);

        assertThat(bulkhead.revoke("*2*b")).isTrue();
        assertThat(bulkhead.occupancy().inUse()).isZero();
        assertThat(bulkhead.toldRevoked()).containsExactly("*2*b");
    }

    /** What stands for a part of the weight is no permit. */
    @Test
    void noPartOfAPermitIsRevoked() {
        String id = bulkhead.unique("*3*a");
        ask("*3*a").limit(3).send();

        assertThat(get(stores.first().revoke(bulkhead.self, id + " 2"))).isFalse();

        assertThat(bulkhead.occupancy().inUse()).isEqualTo(3);
    }

    @Test
    void holdersAndWaitersShowTheirWeight() {
        ask("*2*a").limit(3).send();
        ask("b").limit(3).send();
        ask("*3*w").limit(3).waiting().send();

        Occupancy occupancy = bulkhead.occupancy();

        assertThat(occupancy.holders()).extracting(Holder::weight).containsExactlyInAnyOrder(2, 1);
        assertThat(occupancy.waiters()).extracting(Waiter::weight).containsExactly(3);
        assertThat(occupancy.inUse()).isEqualTo(3);
        assertThat(occupancy.waiting()).as("waiters are counted by their number").isEqualTo(1);
    }

    @Test
    void aHeavyPermitIsListedOnce() {
        IntStream.range(0, 5).forEach(i -> ask("*4*h" + i).limit(30).send());
        IntStream.range(0, 5).forEach(i -> ask("l" + i).limit(30).send());

        assertThat(bulkhead.occupancy(8).holders()).extracting(Holder::permitId).hasSize(8).doesNotHaveDuplicates();
        assertThat(bulkhead.occupancy().holders()).hasSize(10);
        assertThat(bulkhead.occupancy(1).inUse()).isEqualTo(25);
    }

    /** Redisson #6687: one that waits for several permits is not passed over by those that need fewer. */
    @Test
    void theHeavyHeadOfTheQueueWaitsUntilItFitsAndIsNotOvertaken() {
        Stream.of("a", "b", "c").forEach(id -> ask(id).limit(3).fair(true).send());
        ask("*2*w").limit(3).fair(true).waiting().send();
        ask("v").limit(3).fair(true).waiting().send();

        bulkhead.release("a");
        assertThat(bulkhead.toldHandedOver()).as("one permit is not enough").isEmpty();
        assertThat(ask("new").limit(3).fair(true).send()).isInstanceOf(Full.class);
        assertThat(ask("open").limit(3).send()).isInstanceOf(Full.class);

        bulkhead.release("b");
        bulkhead.awaitHandedOver("*2*w");
        assertThat(bulkhead.toldHandedOver()).containsExactly("*2*w");
        bulkhead.release("c");
        bulkhead.awaitHandedOver("v");
        assertThat(bulkhead.occupancy().inUse()).isEqualTo(3);
    }

    /** Redisson #6664: permits that are given back one by one add up for the one that waits for several. */
    @Test
    void aHeavyWaiterOutsideOfTheQueueIsToldWhenEnoughIsFree() {
        Stream.of("a", "b", "c").forEach(id -> ask(id).limit(3).send());
        ask("*3*w").limit(3).waiting().send();

        bulkhead.release("a");
        bulkhead.release("b");
        assertThat(bulkhead.toldFree()).isEmpty();

        bulkhead.release("c");
        bulkhead.awaitPermitFree("*3*w");
        assertThat(ask("*3*w").limit(3).waiting().send()).isInstanceOf(Granted.class);
    }

    /** Redisson #6664: a release of several permits serves several waiters, and one that does not fit hides none that does. */
    @Test
    void aHeavyReleaseTellsAllThatFit() {
        ask("*3*a").limit(4).send();
        ask("b").limit(4).send();
        ask("*4*heavy").limit(4).waiting().send();
        Stream.of("w0", "w1", "w2", "w3").forEach(id -> ask(id).limit(4).waiting().send());

        bulkhead.release("*3*a");

        assertThat(bulkhead.toldFree()).containsExactly("w0", "w1", "w2");
        Stream.of("w0", "w1", "w2").forEach(id -> assertThat(ask(id).limit(4).waiting().send()).isInstanceOf(Granted.class));
        stores.forgetNotices();
        Stream.of("b", "w0", "w1", "w2").forEach(bulkhead::release);
        bulkhead.cancel(LEASE, "w3");
        bulkhead.awaitPermitFree("*4*heavy");
    }

    @Test
    void aHeavyReleaseIsHandedToSeveralOfTheQueue() {
        ask("*3*a").limit(3).fair(true).send();
        ask("*2*w0").limit(3).fair(true).waiting().send();
        Stream.of("w1", "w2").forEach(id -> ask(id).limit(3).fair(true).waiting().send());

        bulkhead.release("*3*a");

        assertThat(bulkhead.toldHandedOver()).containsExactly("*2*w0", "w1");
        assertThat(bulkhead.waiters()).containsExactly("w2");
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void aRequestAboveTheLimitDoesNotWait(boolean fair) {
        assertThat(ask("*3*a").limit(2).fair(fair).waiting().send()).isInstanceOfSatisfying(Full.class,
                full -> assertThat(full.limit()).isEqualTo(2));

        assertThat(bulkhead.waiters()).isEmpty();
        assertThat(ask("b").limit(2).fair(fair).send()).isInstanceOf(Granted.class);
    }

    @Test
    void aHeadThatIsHeavierThanTheNewLimitDoesNotHoldUpTheQueue() {
        ask("*3*a").limit(3).fair(true).send();
        ask("*3*w").limit(3).fair(true).waiting().send();
        ask("v").limit(3).fair(true).waiting().send();

        bulkhead.resize(2);
        bulkhead.release("*3*a");

        assertThat(bulkhead.toldHandedOver()).containsExactly("v");
        bulkhead.awaitPermitFree("*3*w");
        assertThat(bulkhead.poll(3, PLACE, "*3*w").gone()).containsExactly("*3*w");
        assertThat(ask("*3*w2").limit(3).fair(true).waiting().send()).isInstanceOfSatisfying(Full.class,
                full -> assertThat(full.limit()).isEqualTo(2));
    }

    @Test
    void aWaiterOutsideOfTheQueueThatIsHeavierThanTheNewLimitLearnsItByItsPoll() {
        ask("*3*a").limit(3).send();
        ask("b").limit(4).send();
        ask("*3*w").limit(4).waiting().send();

        bulkhead.resize(2);

        assertThat(bulkhead.poll(4, PLACE, "*3*w").gone()).containsExactly("*3*w");
        assertThat(bulkhead.waiters()).isEmpty();
        assertThat(ask("*3*w").limit(4).waiting().send()).isInstanceOf(Full.class);
    }

    @Test
    void theGreatestWeightWorks() {
        int most = SemaphoreSpec.MAX_WEIGHT;
        String id = "*" + most + "*a";

        ask(id).limit(most).lease(SHORT).send();
        assertThat(bulkhead.occupancy().inUse()).isEqualTo(most);
        assertThat(bulkhead.renew(LEASE, id)).isEmpty();
        stores.advance(SHORT);
        assertThat(bulkhead.occupancy().inUse()).isEqualTo(most);
        assertThat(bulkhead.holders()).containsExactly(id);
        assertThat(bulkhead.release(id)).isTrue();
        assertThat(bulkhead.occupancy().inUse()).isZero();
    }

    @Test
    void aHeavyPermitStandsOnceInTheNameOfItsProcess() {
        assumeTrue(stores.mayLoseData(), "In this store nothing is held that the process does not know of");
        ask("*3*a").limit(3).send();

        assertThat(bulkhead.ownPermits(stores.first())).containsExactly("*3*a");
    }

    // ---- keys

    /** Keys are the input of users. */
    @Test
    void eachKeyHasALimitOfItsOwn() {
        List<String> keys = List.of("", " ", "a", "a%", "%3A", "}:holders", "a\n1", "\u0000", "\uD800", "\uD801", "🚀",
                "x".repeat(5_000),
                "x".repeat(5_001));
        List<BulkheadUnderTest> all = Stream.concat(Stream.of(new BulkheadUnderTest(stores, "keyed-", Optional.empty())),
                keys.stream().map(key -> new BulkheadUnderTest(stores, "keyed-", Optional.of(key)))).toList();

        all.forEach(each -> assertThat(each.ask("p").send()).isInstanceOf(Granted.class));
        all.forEach(each -> assertThat(each.ask("q").send()).isInstanceOf(Full.class));
        all.forEach(each -> assertThat(each.holders()).containsExactly("p"));

        BulkheadUnderTest first = all.get(1);
        assertThat(first.revoke("p")).isTrue();
        assertThat(all.stream().filter(each -> each.holders().isEmpty())).containsExactly(first);
        first.resize(2);
        all.stream().skip(2).forEach(each -> assertThat(each.ask("r").send()).isInstanceOf(Full.class));
        all.forEach(each -> each.release("p"));
    }

    @Test
    void holdersAndWaitersShowTheirKey() {
        BulkheadUnderTest keyed = new BulkheadUnderTest(stores, "keyed-", Optional.of("Größe\n"));
        keyed.ask("p").send();
        keyed.ask("q").waiting().send();

        assertThat(keyed.occupancy().holders()).extracting(Holder::bulkhead, Holder::key)
                .containsExactly(tuple("keyed-", Optional.of("Größe\n")));
        assertThat(keyed.occupancy().waiters()).extracting(Waiter::bulkhead, Waiter::key)
                .containsExactly(tuple("keyed-", Optional.of("Größe\n")));
    }

    /** A waiter of one key gets no message about a permit of another. */
    @Test
    void aReleaseServesTheWaitersOfItsKeyOnly() {
        BulkheadUnderTest one = new BulkheadUnderTest(stores, "keyed-", Optional.of("one"));
        BulkheadUnderTest other = new BulkheadUnderTest(stores, "keyed-", Optional.of("other"));
        for (BulkheadUnderTest each : List.of(one, other)) {
            each.ask("p").fair(true).send();
            each.ask("q").fair(true).waiting().send();
        }

        one.release("p");

        assertThat(one.holders()).containsExactly("q");
        assertThat(other.holders()).containsExactly("p");
    }

    // ---- what is in use

    /** Keys and names are the input of users, and come back as they were. */
    @Test
    void bulkheadsAndKeysInUseAreTold() {
        List<BulkheadUnderTest> held = Stream.of(Optional.<String> empty(), Optional.of(""), Optional.of("Größe\n}:holders"),
                Optional.of("%3A%#"), Optional.of("🚀")).flatMap(
                        key -> Stream.of("in use", "{in} %25 use%:").map(name -> new BulkheadUnderTest(stores, name, key)))
                .toList();
        held.forEach(each -> each.ask("p").send());
        BulkheadUnderTest free = new BulkheadUnderTest(stores, "free", Optional.empty());
        free.ask("p").send();
        free.release("p");

        BulkheadsInUse told = get(stores.second().inUse(1_000));

        assertThat(told.bulkheads()).contains(held.stream().map(each -> each.self).toArray(BulkheadId[]::new)).isSorted();
        assertThat(told.bulkheads()).doesNotContain(free.self);
        assertThat(told.incomplete()).isEmpty();
        BulkheadsInUse few = get(stores.first().inUse(3));
        assertThat(few.bulkheads()).hasSize(3);
        assertThat(few.incomplete()).hasValueSatisfying(reason -> assertThat(reason).startsWith("only the first 3 of "));
        held.forEach(each -> each.release("p"));
    }

    // ---- taking

    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void grantsUpToTheLimitAndNoFurther(boolean fair) {
        assertThat(ask("a").limit(2).fair(fair).send()).isInstanceOf(Granted.class);
        assertThat(ask("b").limit(2).fair(fair).throughSecond().send()).isInstanceOf(Granted.class);

        assertThat(ask("c").limit(2).fair(fair).send()).isInstanceOf(Full.class);
        assertThat(ask("d").limit(2).fair(fair).throughSecond().send()).isInstanceOf(Full.class);
        assertThat(bulkhead.holders()).containsExactlyInAnyOrder("a", "b");
    }

    /** Trap 12: a rejected caller learns when the first lease ends, because expiry is not published. */
    @Test
    void aRefusalTellsTheLimitAndTheNearestLeaseEnd() {
        ask("a").limit(2).lease(LEASE).send();
        ask("b").limit(2).lease(SHORT).send();
        stores.advance(Duration.ofMillis(1_200));

        assertThat(ask("c").limit(2).send()).isEqualTo(new Full(2, Duration.ofMillis(1_800), false));
        assertThat(ask("c").limit(2).waiting().send())
                .isEqualTo(new Waiting(2, Duration.ofMillis(1_800), bulkhead.now(), 0, false));
        assertThat(bulkhead.poll(2, PLACE, "c").nearestLeaseEnd()).isEqualTo(Duration.ofMillis(1_800));
    }

    /** Trap 20: there is nothing to initialise, and "all permits out" is never taken for "not initialised". */
    @Test
    void anUnknownBulkheadIsFreeAndAnExhaustedOneIsNot() {
        assertThat(bulkhead.occupancy().inUse()).isZero();
        assertThat(bulkhead.poll(3, PLACE, "x").free()).isEqualTo(3);

        ask("a").send();
        assertThat(ask("b").send()).isInstanceOf(Full.class);
        assertThat(bulkhead.poll(1, PLACE, "x").free()).isZero();
        bulkhead.release("a");
        bulkhead.release("a");

        assertThat(ask("b").send()).isInstanceOf(Granted.class);
        assertThat(ask("c").send()).as("a second permit").isInstanceOf(Full.class);
    }

    /** Trap 24: a request that does not wait is one attempt, and leaves no place behind. */
    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void placeZeroIsOneAttempt(boolean fair) {
        ask("a").fair(fair).send();

        assertThat(ask("b").fair(fair).send()).isInstanceOf(Full.class);
        assertThat(bulkhead.waiters()).isEmpty();
        bulkhead.release("a");

        assertThat(bulkhead.holders()).isEmpty();
        assertThat(bulkhead.toldFree()).isEmpty();
        assertThat(bulkhead.toldHandedOver()).isEmpty();
    }

    /** Trap 24: the greatest limit overflows nothing. */
    @Test
    void theGreatestLimitWorks() {
        assertThat(ask("a").limit(Integer.MAX_VALUE).send()).isInstanceOf(Granted.class);
        assertThat(bulkhead.poll(Integer.MAX_VALUE, PLACE, "x").free()).isEqualTo(Integer.MAX_VALUE - 1);

        bulkhead.resize(Integer.MAX_VALUE);
        assertThat(ask("b").limit(1).send()).isInstanceOf(Granted.class);
        assertThat(bulkhead.poll(1, PLACE, "x").free()).isEqualTo(Integer.MAX_VALUE - 2);
        assertThat(bulkhead.occupancy().resizedTo()).hasValue(Integer.MAX_VALUE);
        assertThat(bulkhead.occupancy().declaredLimits()).containsExactly(1, Integer.MAX_VALUE);
    }

    /** Trap 4: a request whose reply was lost may be sent again. The caller counts the lease from then. */
    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void askingAgainAnswersWithTheSamePermitAndAFullLease(boolean fair) {
        Ask ask = ask("a").fair(fair).limit(2).lease(LEASE);
        long ticket = ask.ticket();
        Holder before = bulkhead.holder("a");
        stores.advance(Duration.ofSeconds(1));

        assertThat(ask.throughSecond().lease(SHORT).ticket()).as("never shortens a lease").isEqualTo(ticket);
        assertThat(bulkhead.occupancy().holders()).containsExactly(before);
        assertThat(ask.throughSecond().lease(LEASE).waiting().ticket()).isEqualTo(ticket);
        assertThat(bulkhead.holder("a").until()).isEqualTo(Instant.ofEpochMilli(bulkhead.now()).plus(LEASE));
        assertThat(bulkhead.occupancy().holders()).hasSize(1);
    }

    /**
     * A waiter whose wait is over asks a last time, and counts its lease from then, though the permit may have been handed over
     * before, for a short first lease.
     */
    @Test
    void whoIsHandedAPermitWhileItLooksALastTimeHasAFullLease() {
        ask("a").fair(true).send();
        Ask last = ask("b").fair(true).waiting().lease(SHORT);
        last.send();
        stores.advance(Duration.ofSeconds(9));
        bulkhead.release("a");
        stores.advance(Duration.ofSeconds(1));

        last.ticket();

        assertThat(bulkhead.holder("b").until()).isEqualTo(Instant.ofEpochMilli(bulkhead.now()).plus(SHORT));
    }

    /** Trap 3: the permits of a killed process are free again when their leases end, to the millisecond. */
    @Test
    void aPermitEndsWithItsLease() {
        ask("a").lease(SHORT).send();
        stores.advance(SHORT.minus(TICK));
        assertThat(ask("b").send()).isEqualTo(new Full(1, TICK, false));

        stores.advance(TICK);

        assertThat(bulkhead.holders()).isEmpty();
        assertThat(ask("b").send()).isInstanceOf(Granted.class);
    }

    /** Trap 8: one caller's lease never touches another's permit. */
    @Test
    void eachPermitHasItsOwnLease() {
        ask("long").limit(3).lease(LEASE).send();
        ask("short").limit(3).lease(SHORT).send();
        ask("medium").limit(3).lease(Duration.ofSeconds(20)).send();
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
    void ticketsStrictlyGrowEvenWhenNothingIsHeldInBetween() {
        List<Long> tickets = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Ask ask = ask("p" + i).fair(i % 2 == 0);
            tickets.add((i % 3 == 0 ? ask : ask.throughSecond()).ticket());
            bulkhead.release("p" + i);
            stores.advance(i == 10 ? Duration.ofHours(2) : Duration.ZERO);
        }

        assertThat(tickets).isSorted().doesNotHaveDuplicates();
    }

    /** So that tickets also grow when the store forgot everything: they never fall behind its clock. */
    @Test
    void ticketsKeepUpWithTheClockInMicroseconds() {
        long first = ask("a").limit(2).ticket();
        assertThat(first).isGreaterThanOrEqualTo(bulkhead.now() * 1_000);

        stores.advance(Duration.ofDays(1));

        assertThat(ask("b").limit(2).ticket()).isGreaterThanOrEqualTo(bulkhead.now() * 1_000);
    }

    // ---- a minimum hold

    private static final Duration MIN_HOLD = Duration.ofSeconds(10);

    /** So that a job runs once per tick although clocks differ. */
    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void aPermitThatIsReleasedEarlyStaysTakenUntilItsMinimumHoldIsOver(boolean fair) {
        ask("a").fair(fair).send();
        stores.advance(Duration.ofSeconds(2));

        assertThat(bulkhead.release("a", MIN_HOLD)).isTrue();

        assertThat(ask("b").fair(fair).send()).isEqualTo(new Full(1, Duration.ofSeconds(8), false));
        stores.advance(Duration.ofSeconds(8).minus(TICK));
        assertThat(ask("b").fair(fair).throughSecond().send()).isEqualTo(new Full(1, TICK, false));
        stores.advance(TICK);
        assertThat(ask("b").fair(fair).send()).isInstanceOf(Granted.class);
    }

    @Test
    void aPermitThatIsReleasedAfterItsMinimumHoldIsFreeAtOnce() {
        ask("a").send();
        stores.advance(MIN_HOLD);

        assertThat(bulkhead.release("a", MIN_HOLD)).isTrue();

        assertThat(ask("b").send()).isInstanceOf(Granted.class);
        assertThat(bulkhead.holders()).containsExactly("b");
    }

    /** Trap 5: a release beats a renewal in flight, also where the permit stays taken; releasing again changes nothing. */
    @Test
    void aPermitThatStaysTakenBelongsToNoProcess() {
        ask("a").lease(LEASE).send();
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
        assertThat(bulkhead.toldRevoked()).isEmpty();
    }

    @Test
    void anOperatorFreesAPermitThatStaysTaken() {
        ask("a").send();
        bulkhead.release("a", MIN_HOLD);
        ask("b").fair(true).waiting().send();

        assertThat(bulkhead.revokeReleased("a")).isTrue();

        assertThat(bulkhead.awaitHandedOver("b")).isNotNull();
        assertThat(bulkhead.revokeReleased("a")).isFalse();
        assertThat(bulkhead.toldRevoked()).as("there is no process to tell").isEmpty();
    }

    /** Trap 12: waiters are told the instant, and a poll at that instant serves the first of them. */
    @Test
    void waitersKnowWhenAMinimumHoldIsOver() {
        ask("a").lease(LEASE).send();
        ask("b").fair(true).waiting(LEASE).send();
        bulkhead.release("a", MIN_HOLD);

        assertThat(bulkhead.poll(1, LEASE, "b").nearestLeaseEnd()).isEqualTo(MIN_HOLD);
        stores.advance(MIN_HOLD);

        assertThat(bulkhead.poll(1, LEASE, "b").handedOver()).containsKey("b");
    }

    /** Trap 4: a copy of the request that comes after the release is a permit of its own, and ends as one. */
    @Test
    void aLateCopyOfTheRequestDoesNotLengthenAMinimumHold() {
        ask("a").limit(2).send();
        bulkhead.release("a", MIN_HOLD);
        stores.advance(Duration.ofSeconds(5));
        ask("a").limit(2).send();

        assertThat(bulkhead.release("a", MIN_HOLD)).isTrue();

        assertThat(bulkhead.occupancy().inUse()).isEqualTo(1);
        assertThat(bulkhead.released("a").until()).isEqualTo(Instant.ofEpochMilli(bulkhead.now()).plusSeconds(5));
    }

    @Test
    void aMinimumHoldMattersNeitherToWaitersNorBeyondTheLease() {
        ask("a").lease(SHORT).send();
        ask("b").fair(true).waiting(LEASE).send();

        assertThat(bulkhead.release("b", MIN_HOLD)).isFalse();
        bulkhead.release("a", MIN_HOLD);

        assertThat(bulkhead.waiters()).isEmpty();
        assertThat(bulkhead.released("a").until()).isEqualTo(Instant.ofEpochMilli(bulkhead.now()).plus(SHORT));
    }

    // ---- detached and attached

    @Test
    void aDetachedPermitBecomesThatOfAnotherProcess() {
        long token = ask("a").lease(SHORT).ticket();
        Instant start = bulkhead.holder("a").since();
        stores.advance(Duration.ofSeconds(2));

        assertThat(bulkhead.detach("a", SHORT, "secret")).isTrue();

        Holder detached = bulkhead.holder("a");
        assertThat(detached.state()).isEqualTo(Holder.State.DETACHED);
        assertThat(detached.until()).as("a whole lease from now").isEqualTo(start.plusSeconds(2).plus(SHORT));
        assertThat(ask("b").send()).isInstanceOf(Full.class);
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
        assertThat(bulkhead.renew(LEASE, "a")).as("its old id is gone").containsExactly("a");
        assertThat(bulkhead.release("a")).isFalse();
        assertThat(bulkhead.release("a2")).isTrue();
        assertThat(bulkhead.holders()).isEmpty();
    }

    /** Of two that attach one permit, one gets it; that one may ask again. */
    @Test
    void aPermitIsAttachedOnce() {
        ask("a").send();
        bulkhead.detach("a", LEASE, "secret");
        Attached first = bulkhead.attach("a", "a2", "secret").orElseThrow();

        assertThat(bulkhead.attach(stores.first(), "a", "a3", "secret", Duration.ZERO)).isEmpty();
        assertThat(bulkhead.attach("a", "a2", "secret")).as("its answer was lost").contains(first);
        assertThat(bulkhead.holders()).containsExactly("a2");
    }

    /** Trap 3: a message that is delivered twice brings a token that was used. */
    @Test
    void aUsedTokenDoesNotAttachAPermitThatWasDetachedAgain() {
        ask("a").send();
        bulkhead.detach("a", LEASE, "secret");
        bulkhead.attach("a", "a2", "secret");
        bulkhead.detach("a2", LEASE, "second");

        assertThat(bulkhead.attach("a", "a2", "secret")).isEmpty();
        assertThat(bulkhead.attach(stores.first(), "a2", "a3", "second", Duration.ZERO)).isPresent();
        assertThat(bulkhead.holders()).containsExactly("a3");
    }

    @Test
    void onlyTheSecretAttaches() {
        ask("a").send();
        assertThat(bulkhead.attach("a", "a2", "secret")).as("it was not detached").isEmpty();
        bulkhead.detach("a", LEASE, "secret");
        assertThat(bulkhead.attach("a", "a2", "another")).isEmpty();
        assertThat(bulkhead.detach("a", LEASE, "second")).as("its answer was lost").isTrue();
        assertThat(bulkhead.attach("a", "a2", "secret")).isEmpty();

        assertThat(bulkhead.holders()).containsExactly("a");
        assertThat(bulkhead.attach("a", "a2", "second")).isPresent();
    }

    /** Trap 3: the process that was to attach it may die. */
    @Test
    void aDetachedPermitIsFreeAfterOneLease() {
        ask("a").lease(SHORT).send();
        bulkhead.detach("a", SHORT, "secret");
        ask("b").fair(true).waiting(LEASE).send();
        stores.advance(SHORT);

        assertThat(bulkhead.attach("a", "a2", "secret")).isEmpty();
        assertThat(bulkhead.poll(1, LEASE, "b").handedOver()).containsKey("b");
        assertThat(bulkhead.detach("a", SHORT, "secret")).isFalse();
    }

    @Test
    void anOperatorRevokesADetachedPermit() {
        ask("a").send();
        bulkhead.detach("a", LEASE, "secret");

        assertThat(bulkhead.revoke("a")).isTrue();

        assertThat(bulkhead.toldRevoked()).as("there is no process to tell").isEmpty();
        assertThat(bulkhead.attach("a", "a2", "secret")).isEmpty();
    }

    /** Trap 4: a copy of the first request comes when the permit is that of another process, or gone. */
    @Test
    void copiesOfTheRequestForADetachedPermitAreRefused() {
        ask("a").send();
        bulkhead.detach("a", LEASE, "secret", LONG_AGO);
        assertThat(ask("a").send()).isInstanceOf(Cancelled.class);
        assertThat(bulkhead.holder("a").state()).isEqualTo(Holder.State.DETACHED);
        bulkhead.attach("a", "a2", "secret");
        bulkhead.release("a2");

        assertThat(ask("a").send()).isInstanceOf(Cancelled.class);
        assertThat(bulkhead.holders()).isEmpty();
    }

    @Test
    void anAttachedPermitLastsNoLongerThanItsMaximumHold() {
        ask("a").lease(SHORT).send();
        bulkhead.detach("a", SHORT, "secret");
        stores.advance(Duration.ofSeconds(2));

        bulkhead.attach(stores.second(), "a", "a2", "secret", Duration.ofSeconds(20));

        assertThat(bulkhead.holder("a2").until()).isEqualTo(Instant.ofEpochMilli(bulkhead.now()).plusSeconds(18));
    }

    @Test
    void aMinimumHoldCountsFromTheStartOfAnAttachedPermit() {
        ask("a").send();
        bulkhead.detach("a", LEASE, "secret");
        stores.advance(Duration.ofSeconds(4));
        bulkhead.attach("a", "a2", "secret");

        bulkhead.release("a2", MIN_HOLD);

        assertThat(bulkhead.released("a2").until()).isEqualTo(Instant.ofEpochMilli(bulkhead.now()).plusSeconds(6));
    }

    // ---- a clock that is set back

    private void setClockBack(Duration by) {
        assumeTrue(clockCanBeSetBack(), "The clock of this store never goes back");
        stores.advance(by.negated());
    }

    /** Trap 3, though the lease was to end at a time that is an hour away now. */
    @Test
    void afterTheClockWasSetBackPermitsOfTheDeadEndWithinOneLease() {
        ask("dead").limit(2).lease(SHORT).send();
        long ticket = ask("alive").limit(2).lease(LEASE).ticket();
        setClockBack(Duration.ofHours(1));

        assertThat(ask("c").limit(2).send()).isEqualTo(new Full(2, SHORT, false));
        stores.advance(SHORT.minus(TICK));
        assertThat(bulkhead.holders()).containsExactly("dead", "alive");
        stores.advance(TICK);

        assertThat(bulkhead.holders()).containsExactly("alive");
        assertThat(ask("c").limit(2).ticket()).isGreaterThan(ticket);
    }

    /** Trap 3, though no ticket was given for hours, because the holder kept its permit, and renewed it, until it died. */
    @Test
    void afterTheClockWasSetBackAPermitThatWasHeldForLongEndsWithinOneLease() {
        assumeTrue(clockCanBeSetBack(), "The clock of this store never goes back");
        ask("dead").lease(LONG_AGO.dividedBy(2)).send();
        for (int i = 0; i < 8; i++) {
            stores.advance(LONG_AGO.dividedBy(4));
            assertThat(bulkhead.renew(LONG_AGO.dividedBy(2), "dead")).isEmpty();
        }
        setClockBack(LONG_AGO);

        assertThat(ask("next").send()).isEqualTo(new Full(1, LONG_AGO.dividedBy(2), false));
        stores.advance(LONG_AGO.dividedBy(2));

        assertThat(bulkhead.holders()).isEmpty();
        assertThat(ask("next").send()).isInstanceOf(Granted.class);
    }

    /** Trap 10, though no ticket was given since the waiter came. */
    @Test
    void afterTheClockWasSetBackPlacesThatWerePolledForLongEnd() {
        assumeTrue(clockCanBeSetBack(), "The clock of this store never goes back");
        ask("a").lease(LONG_AGO).send();
        ask("dead").waiting().send();
        for (int i = 0; i < 20; i++) {
            stores.advance(PLACE.minus(TICK));
            bulkhead.poll(1, PLACE, "dead");
        }
        setClockBack(PLACE.multipliedBy(10));

        bulkhead.poll(1, PLACE, "unknown");
        stores.advance(PLACE);

        assertThat(bulkhead.waiters()).isEmpty();
    }

    /** The others too, when many died at once. */
    @Test
    void afterTheClockWasSetBackManyPermitsEndWithinOneLease() {
        int many = 250;
        for (int i = 0; i < many; i++) {
            ask("dead-" + i).limit(many).lease(SHORT).send();
        }
        setClockBack(Duration.ofHours(1));

        for (int i = 0; i < 3; i++) {
            assertThat(ask("next-" + i).limit(many).send()).isInstanceOf(Full.class);
        }
        stores.advance(SHORT);

        assertThat(bulkhead.holders()).isEmpty();
    }

    /** Nothing is taken from those who renew. */
    @Test
    void afterTheClockWasSetBackWhoRenewsKeepsItsPermit() {
        ask("alive").lease(SHORT).send();
        setClockBack(Duration.ofHours(1));

        for (int i = 0; i < 5; i++) {
            assertThat(ask("next").send()).isInstanceOf(Full.class);
            stores.advance(SHORT.minus(TICK));
            assertThat(bulkhead.renew(SHORT, "alive")).isEmpty();
        }

        assertThat(bulkhead.holders()).containsExactly("alive");
    }

    /** Trap 10, though the place was to end at a time that is an hour away now. */
    @Test
    void afterTheClockWasSetBackPlacesOfTheDeadEnd() {
        ask("a").fair(true).lease(SHORT).send();
        ask("dead").fair(true).waiting().send();
        setClockBack(Duration.ofHours(1));

        bulkhead.poll(1, PLACE, "unknown");
        stores.advance(PLACE);

        assertThat(bulkhead.waiters()).isEmpty();
    }

    // ---- waiting

    /**
     * A waiter gets its permit in its turn, with its own lease (Trap 8), and is notified, whichever process released the
     * permit.
     */
    @Test
    void fairWaitersAreHandedPermitsInTheirOrder() {
        ask("a").fair(true).send();
        ask("b").fair(true).waiting().lease(SHORT).send();
        ask("c").fair(true).waiting().lease(LEASE).throughSecond().send();
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
        assertThat(bulkhead.toldFree()).isEmpty();
    }

    /** A fencing token is drawn when the permit is given, so it is greater than all that were drawn while the waiter waited. */
    @Test
    void theTokenOfAHandOverIsDrawnAtTheHandOver() {
        ask("a").limit(2).fair(true).send();
        ask("b").limit(1).fair(true).waiting().send();
        ask("c").limit(1).fair(true).waiting().send();
        long last = bulkhead.waiter("c").ticket();
        stores.advance(Duration.ofSeconds(1));

        bulkhead.release("a");
        long b = bulkhead.awaitHandedOver("b").ticket();
        assertThat(b).isGreaterThan(last).isGreaterThanOrEqualTo(bulkhead.now() * 1_000);
        assertThat(bulkhead.holder("b").ticket()).isEqualTo(b);
        assertThat(bulkhead.poll(1, PLACE, "b").handedOver().get("b").ticket()).isEqualTo(b);
        assertThat(ask("b").fair(true).waiting().ticket()).as("asked again").isEqualTo(b);

        bulkhead.release("b");
        assertThat(bulkhead.awaitHandedOver("c").ticket()).isGreaterThan(b);
        bulkhead.release("c");
        assertThat(ask("d").ticket()).isGreaterThan(bulkhead.awaitHandedOver("c").ticket());
    }

    /** Several that are handed over in one step have tokens in the order of the queue. */
    @Test
    void tokensOfOneStepFollowTheQueue() {
        bulkhead.resize(1);
        ask("a").fair(true).send();
        Stream.of(ids("w", 4)).forEach(id -> ask(id).fair(true).waiting().send());

        bulkhead.resize(5);

        assertThat(Stream.of(ids("w", 4)).map(id -> bulkhead.awaitHandedOver(id).ticket())).isSorted().doesNotHaveDuplicates();
    }

    /** Trap 10: a waiter may be dead when its turn comes, so its first lease is short, whatever it asked for. */
    @ParameterizedTest(name = "asked for {0} ms, given {1} ms")
    @CsvSource({ "60000, 2000", "2001, 2000", "2000, 2000", "1999, 1999", "1, 1" })
    void theFirstLeaseOfAHandOverIsShort(long lease, long given) {
        ask("a").fair(true).send();
        ask("b").fair(true).waiting().lease(Duration.ofMillis(lease)).send();
        stores.advance(Duration.ofSeconds(1));

        bulkhead.release("a");

        assertThat(bulkhead.holder("b").until()).isEqualTo(Instant.ofEpochMilli(bulkhead.now()).plusMillis(given));
        assertThat(bulkhead.awaitHandedOver("b").leaseEndMillis()).isEqualTo(bulkhead.holder("b").until().toEpochMilli());
    }

    /** It is renewed as any other lease. */
    @Test
    void theFirstLeaseOfAHandOverIsRenewed() {
        ask("a").fair(true).send();
        ask("b").fair(true).waiting().lease(LEASE).send();
        bulkhead.release("a");
        stores.advance(FIRST_LEASE.minus(TICK));

        assertThat(bulkhead.renew(LEASE, "b")).isEmpty();

        assertThat(bulkhead.holder("b").until()).isEqualTo(Instant.ofEpochMilli(bulkhead.now()).plus(LEASE));
    }

    /**
     * Trap 10: the waiters of a process that was killed cost one place and one first lease, all of them together, though a
     * permit may be handed to some of them before they count as dead.
     */
    @Test
    void theWaitersOfAKilledProcessCostFiveSecondsInAll() {
        assumeThatAProcessCanDie();
        ask("a").fair(true).send();
        IntStream.range(0, 20).forEach(i -> ask("dead" + i).fair(true).waiting(PermitStore.LONGEST_PLACE).send());
        ask("alive").fair(true).waiting(LEASE).throughSecond().send();
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
    void aNewcomerNeverOvertakesAFairWaiter(boolean fair) {
        ask("a").fair(true).send();
        ask("b").fair(true).waiting().send();

        assertThat(ask("greedy").fair(fair).limit(5).send()).as("does not wait").isEqualTo(new Full(5, LEASE, false));
        assertThat(ask("greedy").fair(fair).limit(5).waiting().send()).as("waits").isInstanceOf(Waiting.class);
        bulkhead.release("a");

        assertThat(bulkhead.holders()).contains("b");
        assertThat(bulkhead.awaitHandedOver("b").ticket()).isEqualTo(bulkhead.holder("b").ticket());
    }

    /** Trap 19: with mixed limits, the first of the queue holds up those behind it whose limits would allow more. */
    @Test
    void theHeadOfTheQueueIsNotOvertakenWhenItsOwnLimitIsLower() {
        ask("a").limit(2).send();
        ask("b").limit(2).send();
        ask("low").fair(true).limit(1).waiting().send();
        ask("high").fair(true).limit(5).waiting().send();

        bulkhead.release("a");
        assertThat(bulkhead.holders()).containsExactly("b");
        assertThat(bulkhead.waiters()).containsExactly("low", "high");

        bulkhead.release("b");
        assertThat(bulkhead.holders()).containsExactlyInAnyOrder("low", "high");
    }

    @Test
    void askingAgainKeepsThePlaceAndOnlyEverLengthensIt() {
        ask("a").fair(true).send();
        ask("b").fair(true).waiting(PLACE).send();
        Waiter before = bulkhead.waiter("b");
        ask("c").fair(true).waiting().send();
        stores.advance(Duration.ofSeconds(1));

        assertThat(ask("b").fair(true).waiting(SHORT).send()).isInstanceOf(Waiting.class);
        assertThat(bulkhead.waiter("b")).as("not shortened").isEqualTo(before);

        ask("b").fair(true).waiting(PLACE).send();
        assertThat(bulkhead.waiter("b").ticket()).isEqualTo(before.ticket());
        assertThat(bulkhead.waiter("b").since()).isEqualTo(before.since());
        assertThat(bulkhead.waiter("b").until()).as("lengthened").isEqualTo(before.until().plusSeconds(1));
        assertThat(bulkhead.waiters()).containsExactly("b", "c");
    }

    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void aWaiterThatAsksWithoutWaitingIsStillAWaiter(boolean fair) {
        ask("a").send();
        ask("b").fair(fair).waiting().send();

        assertThat(ask("b").fair(fair).send()).isInstanceOf(Full.class);
        assertThat(bulkhead.waiters()).containsExactly("b");
    }

    @Test
    void aWaiterThatIsNotFairIsToldAndAsksAgain() {
        ask("a").send();
        ask("b").waiting().send();
        bulkhead.release("a");

        assertThat(bulkhead.holders()).as("not handed over").isEmpty();
        bulkhead.awaitPermitFree("b");
        assertThat(bulkhead.waiters()).containsExactly("b");

        assertThat(ask("b").waiting().send()).isInstanceOf(Granted.class);
        assertThat(bulkhead.waiters()).isEmpty();
        assertThat(bulkhead.toldHandedOver()).isEmpty();
    }

    @Test
    void aNewcomerMayBeFasterThanAWaiterThatIsNotFair() {
        ask("a").send();
        ask("b").waiting().send();
        bulkhead.release("a");

        assertThat(ask("fast").send()).isInstanceOf(Granted.class);
        assertThat(ask("b").waiting().send()).isInstanceOf(Waiting.class);
        assertThat(bulkhead.waiters()).containsExactly("b");
    }

    /** Trap 26: one freed permit wakes one waiter. */
    @Test
    void oneReleaseTellsExactlyOneWaiter() {
        ask("a").limit(2).send();
        ask("b").limit(2).send();
        IntStream.range(0, 10).forEach(i -> ask("w" + i).limit(2).waiting().send());

        bulkhead.release("a");
        assertThat(bulkhead.toldFree()).hasSize(1);
    }

    /** Trap 26: permits that were free before wake no waiter again. */
    @Test
    void oneReleaseTellsOneWaiterEvenWhenMoreIsFree() {
        Stream.of("a", "b", "c").forEach(id -> ask(id).limit(3).send());
        IntStream.range(0, 5).forEach(i -> ask("w" + i).limit(3).waiting().send());
        bulkhead.release("a");
        assertThat(bulkhead.toldFree()).hasSize(1);
        stores.forgetNotices();

        bulkhead.release("b");

        assertThat(bulkhead.poll(3, PLACE, "w0").free()).isEqualTo(2);
        assertThat(bulkhead.toldFree()).hasSize(1);
    }

    /** Trap 26: permits that are given back one right after the other wake as many waiters, not one of them twice. */
    @Test
    void whoWasToldLetsOthersBeToldFirst() {
        Stream.of("a", "b", "c").forEach(id -> ask(id).limit(3).send());
        Stream.of("w0", "w1", "w2").forEach(id -> ask(id).limit(3).waiting().send());

        Stream.of("a", "b").forEach(bulkhead::release);
        assertThat(bulkhead.toldFree()).containsExactly("w0", "w1");
        stores.forgetNotices();
        bulkhead.release("c");

        assertThat(bulkhead.toldFree()).containsExactly("w2");
    }

    /** Trap 19: a waiter with a small limit, who cannot have the permit, is no obstacle to those who can. */
    @Test
    void whoMayNotHaveThePermitIsPassedOver() {
        Stream.of("a", "b", "c").forEach(id -> ask(id).limit(5).send());
        bulkhead.resize(3);
        ask("small").limit(1).waiting().send();
        ask("large").limit(5).waiting().send();

        bulkhead.resetSize();

        assertThat(bulkhead.toldFree()).containsExactly("large");
    }

    /** Trap 26: one freed permit goes to one waiter. */
    @Test
    void oneReleaseIsHandedToExactlyOneFairWaiter() {
        ask("a").limit(2).fair(true).send();
        ask("b").limit(2).fair(true).send();
        IntStream.range(0, 10).forEach(i -> ask("w" + i).limit(2).fair(true).waiting().send());

        bulkhead.release("a");
        assertThat(bulkhead.toldHandedOver()).containsExactly("w0");
    }

    @Test
    void waitersThatAreNotFairAreNotToldWhileFairOnesWait() {
        ask("a").limit(2).send();
        ask("b").limit(2).send();
        ask("open").limit(2).waiting().send();
        ask("low").limit(1).fair(true).waiting().send();

        bulkhead.release("a");
        assertThat(bulkhead.poll(2, PLACE, "open").free()).as("promised to the queue").isZero();
        assertThat(ask("open").limit(2).waiting().send()).isInstanceOf(Waiting.class);
        assertThat(bulkhead.toldFree()).isEmpty();
    }

    /** Trap 19: what is free for a waiter is judged by its own limit. */
    @Test
    void onlyWaitersWhoseLimitAllowsItAreTold() {
        Stream.of("a", "b", "c").forEach(id -> ask(id).limit(3).send());
        ask("low").limit(2).waiting().send();
        ask("high").limit(3).waiting().send();

        bulkhead.release("a");
        assertThat(bulkhead.toldFree()).doesNotContain("low");
        ask("high").limit(3).waiting().ticket();
        bulkhead.release("b");
        assertThat(bulkhead.toldFree()).doesNotContain("low");
        bulkhead.release("c");
        bulkhead.awaitPermitFree("low");
    }

    /** Trap 10: nor do the dead, however many, keep a newcomer out. */
    @Test
    void deadWaitersDoNotBlockOthers() {
        assumeThatAProcessCanDie();
        IntStream.range(0, 5).forEach(i -> ask("held" + i).limit(5).fair(true).lease(SHORT).send());
        IntStream.range(0, 39).forEach(i -> ask("dead" + i).limit(5).fair(true).waiting(SHORT).send());
        ask("alive").limit(5).fair(true).waiting(LEASE).throughSecond().send();
        stores.advance(SHORT);

        assertThat(ask("new").limit(5).fair(true).send()).isInstanceOf(Granted.class);

        assertThat(bulkhead.holders()).containsExactlyInAnyOrder("alive", "new");
    }

    /** Many permits end at once: all who wait are served, and a newcomer as well. */
    @Test
    void manyFreePermitsServeAllWhoWaitAndTheNewcomer() {
        IntStream.range(0, 100).forEach(i -> ask("held" + i).limit(100).fair(true).lease(SHORT).send());
        IntStream.range(0, 40).forEach(i -> ask("waiter" + i).limit(100).fair(true).waiting(LEASE).send());
        stores.advance(SHORT);

        assertThat(ask("new").limit(100).fair(true).send()).isInstanceOf(Granted.class);

        assertThat(bulkhead.occupancy().inUse()).isEqualTo(41);
        assertThat(bulkhead.waiters()).isEmpty();
    }

    /** Trap 10: the dead at the head of the queue, however many, are skipped together, when a permit is given back. */
    @Test
    void deadWaitersAreSkippedTogether() {
        assumeThatAProcessCanDie();
        ask("a").fair(true).send();
        IntStream.range(0, 900).forEach(i -> ask("dead" + i).fair(true).waiting(SHORT).send());
        ask("alive").fair(true).waiting(LEASE).throughSecond().send();
        stores.advance(SHORT);

        bulkhead.release("a");

        assertThat(bulkhead.holders()).containsExactly("alive");
        assertThat(bulkhead.waiters()).isEmpty();
        assertThat(bulkhead.toldHandedOver()).containsExactly("alive");
    }

    /** Trap 10: a dead waiter anywhere in the queue takes no permit. */
    @Test
    void aDeadWaiterInTheMiddleOfTheQueueIsSkipped() {
        assumeThatAProcessCanDie();
        ask("a").fair(true).send();
        ask("b").fair(true).waiting().send();
        ask("dead").fair(true).waiting(SHORT).throughSecond().send();
        ask("c").fair(true).waiting().send();
        stores.advance(SHORT);

        bulkhead.release("a");
        bulkhead.release("b");

        assertThat(bulkhead.holders()).containsExactly("c");
    }

    @Test
    void deadWaitersThatAreNotFairAreNotTold() {
        assumeThatAProcessCanDie();
        ask("a").send();
        ask("dead").waiting(SHORT).throughSecond().send();
        stores.advance(TICK);
        ask("alive").waiting(LEASE).send();
        stores.advance(SHORT);

        bulkhead.release("a");

        bulkhead.awaitPermitFree("alive");
        assertThat(bulkhead.toldFree()).containsExactly("alive");
    }

    /** Trap 12: when a lease ends unannounced, the poll of any waiter moves the queue on. */
    @Test
    void aPollHandsOverWhatAnEndedLeaseLeft() {
        ask("a").fair(true).lease(SHORT).send();
        ask("b").fair(true).waiting().send();
        ask("c").fair(true).waiting().send();
        stores.advance(SHORT);

        PollReply reply = bulkhead.poll(1, PLACE, "c");

        assertThat(reply.handedOver()).isEmpty();
        assertThat(bulkhead.holders()).containsExactly("b");
        assertThat(bulkhead.poll(1, PLACE, "b").handedOver()).containsExactly(Map.entry("b", bulkhead.awaitHandedOver("b")));
    }

    /** Trap 12: the request of a newcomer moves the queue on as well, and comes after it. */
    @Test
    void aRequestHandsOverWhatAnEndedLeaseLeft() {
        ask("a").fair(true).lease(SHORT).send();
        ask("b").fair(true).waiting().send();
        stores.advance(SHORT);

        assertThat(ask("c").fair(true).send()).isEqualTo(new Full(1, FIRST_LEASE, false));
        bulkhead.awaitHandedOver("b");
    }

    @Test
    void aWaiterThatAsksAgainIsHandedItsPermit() {
        ask("a").fair(true).lease(SHORT).send();
        ask("b").fair(true).waiting().send();
        long ticket = bulkhead.waiter("b").ticket();
        stores.advance(SHORT);

        assertThat(ask("b").fair(true).waiting().ticket()).isGreaterThan(ticket);
        assertThat(bulkhead.waiters()).isEmpty();
    }

    /** Trap 9: the waiters of a process that shows no sign of life lose their places, to the millisecond. */
    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void aPlaceEndsUnlessItIsLengthened(boolean fair) {
        assumeThatAProcessCanDie();
        ask("a").fair(fair).send();
        ask("polls").fair(fair).waiting(SHORT).send();
        ask("dies").fair(fair).waiting(SHORT).throughSecond().send();
        stores.advance(SHORT.minus(TICK));
        assertThat(bulkhead.waiters()).containsExactlyInAnyOrder("polls", "dies");
        assertThat(bulkhead.poll(1, SHORT, "polls").gone()).isEmpty();

        stores.advance(TICK);

        assertThat(bulkhead.waiters()).containsExactly("polls");
        assertThat(bulkhead.poll(1, SHORT, "polls").gone()).isEmpty();
        assertThat(bulkhead.occupancy().waiting()).isEqualTo(1);
    }

    @Test
    void aPollNeverShortensAPlace() {
        ask("a").send();
        ask("b").waiting(PLACE).send();
        Waiter before = bulkhead.waiter("b");

        bulkhead.poll(1, SHORT, "b");

        assertThat(bulkhead.waiter("b")).isEqualTo(before);
    }

    /** A slow waiter loses nothing until another step removes it. */
    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void aLatePollKeepsAPlaceThatWasNotRemoved(boolean fair) {
        ask("a").fair(fair).send();
        ask("b").fair(fair).waiting(SHORT).send();
        Waiter before = bulkhead.waiter("b");
        stores.advance(SHORT.plusSeconds(1));
        assertThat(bulkhead.waiters()).isEmpty();
        bulkhead.renew(LEASE, "a");

        assertThat(bulkhead.poll(1, PLACE, "b").gone()).isEmpty();

        assertThat(bulkhead.waiter("b").ticket()).isEqualTo(before.ticket());
        assertThat(bulkhead.waiter("b").until()).isEqualTo(Instant.ofEpochMilli(bulkhead.now()).plus(PLACE));
    }

    @Test
    void aPlaceThatOthersSawEndIsGone() {
        ask("a").fair(true).send();
        ask("b").fair(true).waiting(SHORT).send();
        stores.advance(SHORT);
        ask("c").fair(true).waiting().send();

        assertThat(bulkhead.poll(1, PLACE, "b").gone()).containsExactly("b");
        ask("b").fair(true).waiting().send();
        assertThat(bulkhead.waiters()).containsExactly("c", "b");
    }

    /** Trap 9, Trap 29: a waiter that leaves keeps no place and takes no permit; the next one gets it. */
    @Test
    void aFairWaiterThatLeftIsPassedOver() {
        ask("a").fair(true).send();
        ask("leaves").fair(true).waiting().send();
        ask("next").fair(true).waiting().send();

        assertThat(bulkhead.release("leaves")).as("held nothing").isFalse();
        assertThat(bulkhead.waiters()).containsExactly("next");
        bulkhead.release("a");

        assertThat(bulkhead.holders()).containsExactly("next");
        assertThat(bulkhead.toldHandedOver()).containsExactly("next");
    }

    /** Trap 29: a hand-over that crosses with the waiter's leaving goes on to the next one. */
    @Test
    void aHandOverToAWaiterThatLeavesGoesOn() {
        ask("a").fair(true).send();
        ask("leaves").fair(true).waiting().send();
        ask("next").fair(true).waiting().send();
        bulkhead.release("a");
        bulkhead.awaitHandedOver("leaves");

        assertThat(bulkhead.release("leaves")).isTrue();

        bulkhead.awaitHandedOver("next");
        assertThat(bulkhead.holders()).containsExactly("next");
    }

    /** Trap 29: a waiter that was told and has no use for the permit passes the word on. */
    @Test
    void aToldWaiterThatLeavesPassesTheWordOn() {
        ask("a").send();
        ask("w1").waiting().send();
        ask("w2").waiting().send();
        bulkhead.release("a");
        String told = bulkhead.toldFree().iterator().next();
        String other = told.equals("w1") ? "w2" : "w1";

        bulkhead.release(told);

        bulkhead.awaitPermitFree(other);
    }

    /** Trap 29: the same when it leaves by being cancelled. */
    @Test
    void aToldWaiterThatIsCancelledPassesTheWordOn() {
        ask("a").send();
        ask("w1").waiting().send();
        ask("w2").waiting().send();
        bulkhead.release("a");
        String told = bulkhead.toldFree().iterator().next();
        String other = told.equals("w1") ? "w2" : "w1";

        bulkhead.cancel(LEASE, told);

        bulkhead.awaitPermitFree(other);
    }

    /** Trap 26: a waiter that leaves while all permits are held wakes no other. */
    @Test
    void aWaiterThatLeavesWhileNothingIsFreeWakesNoOther() {
        ask("a").send();
        ask("w1").waiting().send();
        ask("w2").waiting().send();

        bulkhead.release("w1");

        assertThat(bulkhead.toldFree()).isEmpty();
        assertThat(bulkhead.waiters()).containsExactly("w2");
    }

    @Test
    void aFairWaiterThatLeavesWhileNothingIsFreeWakesNoOther() {
        ask("a").send();
        ask("open").waiting().send();
        ask("fair").fair(true).waiting().send();

        bulkhead.release("fair");

        assertThat(bulkhead.toldFree()).isEmpty();
        assertThat(bulkhead.waiters()).containsExactly("open");
    }

    @Test
    void theNextFairWaiterIsServedWhenABlockedHeadLeaves() {
        ask("a").limit(2).send();
        ask("low").fair(true).limit(1).waiting().send();
        ask("high").fair(true).limit(2).waiting().send();
        assertThat(bulkhead.holders()).containsExactly("a");

        bulkhead.release("low");

        bulkhead.awaitHandedOver("high");
        assertThat(bulkhead.holders()).containsExactlyInAnyOrder("a", "high");
    }

    // ---- places that were lost

    /** A microsecond of the store's clock that is long over, so a ticket that was given before. */
    private long ticketOfBefore() {
        return (bulkhead.now() - 60_000) * 1_000;
    }

    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void aWaiterIsToldItsTicket(boolean fair) {
        ask("a").fair(fair).send();

        long told = ask("b").fair(fair).place(PLACE);

        assertThat(told).isEqualTo(bulkhead.waiter("b").ticket());
        assertThat(told > 0).isEqualTo(fair);
        assertThat(ask("b").fair(fair).place(PLACE)).as("asked again").isEqualTo(told);
    }

    /** Guarantee 5: a process that was paused for so long that its waiters count as dead comes back in its old order. */
    @Test
    void waitersThatComeBackWithTheirOldTicketsKeepTheirOrder() {
        ask("a").fair(true).send();
        Map<String, Long> tickets = new TreeMap<>();
        Stream.of(ids("w", 4)).forEach(id -> tickets.put(id, ask(id).fair(true).place(SHORT)));
        stores.advance(SHORT);
        ask("new").fair(true).waiting().send();
        assertThat(bulkhead.poll(1, PLACE, ids("w", 4)).gone()).hasSize(4);

        Stream.of("w2", "w3", "w0", "w1").forEach(id -> {
            Ask again = ask(id + "-again").again(tickets.get(id));
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

    /** Two that claim the same ticket both wait. */
    @Test
    void theSameTicketTwiceIsTwoPlaces() {
        ask("a").fair(true).send();
        long ticket = ask("b").fair(true).place(PLACE);

        assertThat(ask("c").again(ticket).place(PLACE)).isEqualTo(ticket);
        assertThat(ask("d").again(ticket).send()).as("does not wait").isEqualTo(new Full(1, LEASE, false));

        assertThat(bulkhead.waiters()).containsExactly("b", "c");
        Stream.of("a", "b", "c").forEach(bulkhead::release);
        assertThat(bulkhead.occupancy().waiting()).isZero();
        assertThat(bulkhead.toldHandedOver()).containsExactlyInAnyOrder("b", "c");
    }

    /** The head of the queue waits for its own limit; a ticket decides who may pass. */
    @Test
    void aTicketNeverPassesASmallerOneAndPassesALargerOne() {
        ask("a").limit(2).send();
        long ticket = ask("low").limit(1).fair(true).place(PLACE);
        stores.advance(TICK);

        assertThat(ask("later").limit(5).again(ticket + 1).place(PLACE)).isEqualTo(ticket + 1);
        assertThat(bulkhead.holders()).containsExactly("a");
        assertThat(ask("earlier").limit(5).again(ticket - 1).waiting().send()).isInstanceOf(Granted.class);
        assertThat(ask("open").limit(5).waiting().send()).as("without a ticket").isInstanceOf(Waiting.class);
        assertThat(bulkhead.waiters()).containsExactly("low", "later", "open");
    }

    /** Trap 24: an absurd ticket does not change other tickets. */
    @ParameterizedTest
    @ValueSource(longs = { Long.MAX_VALUE, 1L << 53, (1L << 53) - 1, 4_000_000_000_000_000L })
    void aTicketFromTheFutureCountsAsOneOfNow(long absurd) {
        long token = ask("a").fair(true).ticket();
        stores.advance(TICK);

        long place = ask("hostile").again(absurd).place(PLACE);
        long next = ask("b").fair(true).place(PLACE);

        assertThat(place).isGreaterThan(token).isLessThanOrEqualTo(bulkhead.now() * 1_000);
        assertThat(next).isBetween(place + 1, bulkhead.now() * 1_000 + 1);
        assertThat(bulkhead.waiters()).containsExactly("hostile", "b");
    }

    /** Guarantee 7: neither tickets nor tokens go back behind an old one. */
    @Test
    void whatIsDrawnAfterAnOldTicketIsGreater() {
        long token = ask("a").fair(true).ticket();
        long old = ticketOfBefore();
        assertThat(ask("b").again(old).place(PLACE)).isEqualTo(old);

        assertThat(ask("c").fair(true).place(PLACE)).isGreaterThan(token);
        bulkhead.release("a");

        assertThat(bulkhead.awaitHandedOver("b").ticket()).isGreaterThan(token);
    }

    /** A place that is still there stays what it is, whatever ticket is declared. */
    @Test
    void aTicketDoesNotMoveAPlaceThatIsThere() {
        ask("a").fair(true).send();
        Stream.of(ids("w", 2)).forEach(id -> ask(id).fair(true).waiting().send());

        ask("w1").again(ticketOfBefore()).place(PLACE);

        assertThat(bulkhead.waiters()).containsExactly("w0", "w1");
    }

    @Test
    void aTicketIsNothingToAWaiterThatIsNotFair() {
        AcquireRequest request = new AcquireRequest(bulkhead.self, bulkhead.unique("b"), 1, LEASE, false, PLACE,
                ticketOfBefore(), "app", "host:1", "Type#method");

        assertThat(get(stores.first().acquire(request))).as("no grace period").isInstanceOf(Granted.class);
    }

    /**
     * Guarantee 5: a store that has lost everything does not serve the first one that comes back, but waits for those with
     * lower tickets, of other processes, too.
     */
    @Test
    void afterALossOfAllDataTheOldOrderIsKept() {
        assumeTrue(stores.mayLoseData(), "This store loses nothing");
        long before = ticketOfBefore();

        assertThat(ask("third").again(before + 3).waiting().send())
                .isEqualTo(new Waiting(1, PermitStore.GRACE_PERIOD, bulkhead.now(), before + 3, false));
        assertThat(ask("new").fair(true).send()).as("does not wait").isEqualTo(new Full(1, PermitStore.GRACE_PERIOD, false));
        assertThat(ask("waits").fair(true).waiting().send()).isInstanceOf(Waiting.class);
        ask("open").waiting().send();
        stores.advance(PermitStore.GRACE_PERIOD.minus(TICK));
        ask("second").again(before + 2).throughSecond().place(PLACE);
        ask("first").again(before + 1).place(PLACE);
        PollReply early = bulkhead.poll(1, PLACE, "first", "second", "third");
        assertThat(early.handedOver()).isEmpty();
        assertThat(early.free()).isZero();
        assertThat(early.nearestLeaseEnd()).isEqualTo(TICK);
        assertThat(bulkhead.occupancy().waiting()).as("the grace period is no waiter").isEqualTo(5);
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

    /** There is one grace period, and it also ends when the waiter that started it has left. */
    @Test
    void theGracePeriodEndsForNewcomers() {
        assumeTrue(stores.mayLoseData(), "This store loses nothing");
        ask("gone").again(ticketOfBefore()).place(PLACE);
        bulkhead.release("gone");
        assertThat(bulkhead.occupancy().waiting()).isZero();
        assertThat(ask("new").send()).isInstanceOf(Full.class);
        stores.advance(PermitStore.GRACE_PERIOD);

        assertThat(ask("new").send()).isInstanceOf(Granted.class);
        bulkhead.release("new");
        assertThat(ask("again").again(ticketOfBefore()).waiting().send()).as("there is a last ticket")
                .isInstanceOf(Granted.class);
    }

    /** Trap 24, guarantee 5: a ticket that is less than any that was ever given does not pass the grace period by. */
    @ParameterizedTest
    @ValueSource(longs = { 1, 1_000, 1_000_000_000_000L })
    void aTicketThatIsAbsurdlySmallWaitsForTheEndOfTheGracePeriod(long absurd) {
        assumeTrue(stores.mayLoseData(), "This store loses nothing");
        // So many that a store that reads the queue in parts does not reach the end of the grace period behind them.
        Stream.of(ids("hostile", 5)).forEach(id -> ask(id).again(absurd).place(PLACE));

        assertThat(bulkhead.poll(1, PLACE, "hostile0").handedOver()).isEmpty();
        ask("late").again(ticketOfBefore()).place(PLACE);
        assertThat(bulkhead.holders()).isEmpty();
        stores.advance(PermitStore.GRACE_PERIOD);
        bulkhead.poll(1, PLACE, "late");

        assertThat(bulkhead.holders()).singleElement().asString().startsWith("hostile");
    }

    /** Where anything is known, nothing was lost, and no waiter is delayed. */
    @Test
    void thereIsNoGracePeriodWhereTheLastTicketIsKnown() {
        ask("a").send();
        bulkhead.release("a");

        assertThat(ask("b").again(ticketOfBefore()).waiting().send()).isInstanceOf(Granted.class);
    }

    @Test
    void afterTheClockWasSetBackThereIsNoGracePeriod() {
        assumeTrue(stores.mayLoseData(), "This store loses nothing");
        ask("b").again(ticketOfBefore()).place(PLACE);
        setClockBack(LONG_AGO);

        bulkhead.poll(1, PLACE, "b");

        assertThat(bulkhead.holders()).containsExactly("b");
    }

    // ---- giving back

    /** Trap 7: a release removes its own permit only. */
    @Test
    void aReleaseRemovesItsOwnPermitOnly() {
        ask("a").limit(2).send();
        ask("b").limit(2).send();

        assertThat(bulkhead.release("a")).isTrue();
        assertThat(bulkhead.release("a")).as("released twice").isFalse();
        assertThat(bulkhead.release("never")).isFalse();
        assertThat(new BulkheadUnderTest(stores, "other-").release("b")).isFalse();

        assertThat(bulkhead.holders()).containsExactly("b");
    }

    /** Trap 7: a holder that slept for longer than its lease does not release the permit of its successor. */
    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void aLateReleaseDoesNotTouchTheSuccessor(boolean fair) {
        ask("late").fair(fair).lease(SHORT).send();
        stores.advance(SHORT);
        ask("successor").fair(fair).send();

        assertThat(bulkhead.release("late")).isFalse();

        assertThat(bulkhead.holders()).containsExactly("successor");
        assertThat(ask("third").fair(fair).send()).isInstanceOf(Full.class);
    }

    @Test
    void aReleaseAfterTheLeaseIsReportedEvenWithoutASuccessor() {
        ask("late").lease(SHORT).send();
        stores.advance(SHORT);

        assertThat(bulkhead.release("late")).isFalse();
    }

    @Test
    void anyProcessMayGiveBack() {
        ask("a").send();

        assertThat(get(stores.second().release(BulkheadId.of(bulkhead.name), bulkhead.unique("a")))).isTrue();
        assertThat(bulkhead.holders()).isEmpty();
    }

    // ---- renewing

    @Test
    void aRenewalLengthensALeaseAndNeverShortensIt() {
        ask("a").lease(SHORT).send();
        stores.advance(SHORT.minus(TICK));

        assertThat(bulkhead.renew(SHORT, "a")).isEmpty();
        Instant until = Instant.ofEpochMilli(bulkhead.now()).plus(SHORT);
        assertThat(bulkhead.holder("a").until()).isEqualTo(until);

        bulkhead.renew(TICK, "a");
        assertThat(bulkhead.holder("a").until()).isEqualTo(until);
    }

    /** Trap 5, Trap 8: each permit of a batch has its own lease, and the other permits keep theirs. */
    @Test
    void aBatchOfRenewalsTouchesItsOwnPermitsOnly() {
        Stream.of("a", "b", "c").forEach(id -> ask(id).limit(3).lease(SHORT).send());
        ask("w").limit(3).waiting().send();

        Set<String> lost = get(stores.first().renew(BulkheadId.of(bulkhead.name), Map.of(bulkhead.unique("a"), LEASE,
                bulkhead.unique("b"), PLACE, bulkhead.unique("w"), PLACE, bulkhead.unique("never"), PLACE)));

        assertThat(lost).containsExactlyInAnyOrder(bulkhead.unique("w"), bulkhead.unique("never"));
        assertThat(bulkhead.holders()).containsExactly("c", "b", "a");
        stores.advance(SHORT);
        assertThat(bulkhead.holders()).containsExactly("b", "a");
        stores.advance(PLACE.minus(SHORT));
        assertThat(bulkhead.holders()).containsExactly("a");
    }

    /** Trap 5: a renewal that arrives after the release does not bring the permit back. */
    @Test
    void aRenewalAfterTheReleaseBringsNothingBack() {
        ask("a").send();
        bulkhead.release("a");

        assertThat(bulkhead.renew(LEASE, "a")).containsExactly("a");

        assertThat(bulkhead.holders()).isEmpty();
        assertThat(ask("b").send()).isInstanceOf(Granted.class);
    }

    /** Trap 5: a release that arrives after the renewal wins. */
    @Test
    void aReleaseAfterTheRenewalWins() {
        ask("a").send();
        assertThat(bulkhead.renew(LEASE, "a")).isEmpty();

        assertThat(bulkhead.release("a")).isTrue();
        assertThat(bulkhead.holders()).isEmpty();
    }

    /** Trap 5: a lease that has ended stays ended, even if no step has removed it. */
    @Test
    void aRenewalAfterTheLeaseBringsNothingBack() {
        ask("a").lease(SHORT).send();
        stores.advance(SHORT);

        assertThat(bulkhead.renew(LEASE, "a")).containsExactly("a");
        assertThat(bulkhead.renew(LEASE, "a")).containsExactly("a");

        assertThat(bulkhead.holders()).isEmpty();
        assertThat(ask("b").send()).isInstanceOf(Granted.class);
    }

    @Test
    void renewsManyAtOnce() {
        String[] ids = ids("p", PermitStore.MAX_RENEWED_AT_ONCE);
        Stream.of(ids).forEach(id -> ask(id).limit(1_000).lease(SHORT).send());

        assertThat(bulkhead.renew(LEASE, ids)).isEmpty();
        stores.advance(SHORT);

        assertThat(bulkhead.renew(LEASE, ids)).isEmpty();
        assertThat(bulkhead.occupancy().inUse()).isEqualTo(ids.length);
    }

    // ---- cancelling

    /** Trap 4: a request of unknown outcome is undone, wherever it is: granted, waiting, or still on its way. */
    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void aCancelledRequestHoldsNothingAndIsRefusedWhenItArrives(boolean fair) {
        ask("granted").fair(fair).send();
        ask("waits").fair(fair).waiting().send();

        bulkhead.cancel(SHORT, "granted", "waits", "on-its-way");

        assertThat(bulkhead.holders()).isEmpty();
        assertThat(bulkhead.waiters()).isEmpty();
        assertThat(ask("on-its-way").fair(fair).send()).isEqualTo(new Cancelled());
        assertThat(ask("granted").fair(fair).throughSecond().send()).isEqualTo(new Cancelled());
        assertThat(ask("waits").fair(fair).waiting().send()).isEqualTo(new Cancelled());
        assertThat(ask("other").fair(fair).send()).isInstanceOf(Granted.class);
    }

    @Test
    void aCancellationIsForgottenInTime() {
        bulkhead.cancel(SHORT, "a");
        stores.advance(SHORT.minus(TICK));
        assertThat(ask("a").send()).isInstanceOf(Cancelled.class);

        stores.advance(TICK);
        assertThat(ask("a").send()).isInstanceOf(Granted.class);
    }

    @Test
    void aRepeatedCancellationNeverShortensTheFirst() {
        bulkhead.cancel(LEASE, "a");
        bulkhead.cancel(SHORT, "a");
        stores.advance(SHORT);

        assertThat(ask("a").send()).isInstanceOf(Cancelled.class);
    }

    @Test
    void whatIsCancelledGoesToTheNextFairWaiters() {
        Stream.of("a", "b").forEach(id -> ask(id).limit(2).fair(true).send());
        Stream.of("c", "d", "e").forEach(id -> ask(id).limit(2).fair(true).waiting().send());

        bulkhead.cancel(LEASE, "a", "b", "c");

        assertThat(bulkhead.holders()).containsExactlyInAnyOrder("d", "e");
        assertThat(bulkhead.toldHandedOver()).containsExactlyInAnyOrder("d", "e");
    }

    /** Trap 26: as many are told as permits were freed. */
    @Test
    void whatIsCancelledWakesAsManyAsWereFreed() {
        Stream.of("a", "b", "c").forEach(id -> ask(id).limit(3).send());
        Stream.of(ids("w", 5)).forEach(id -> ask(id).limit(3).waiting().send());

        bulkhead.cancel(LEASE, "a", "b", "w0", "never");

        assertThat(bulkhead.toldFree()).hasSize(2).doesNotContain("w0");
    }

    @Test
    void cancelsAHundredAtOnce() {
        String[] ids = ids("p", PermitStore.MAX_CANCELLED_AT_ONCE);
        Stream.of(ids).forEach(id -> ask(id).limit(200).send());
        ask("stays").limit(200).send();

        bulkhead.cancel(LEASE, ids);

        assertThat(bulkhead.holders()).containsExactly("stays");
        assertThat(ask("p99").limit(200).send()).isInstanceOf(Cancelled.class);
    }

    // ---- polling

    @Test
    void aPollTellsWhatBecameOfEachWaiter() {
        ask("a").fair(true).send();
        ask("b").fair(true).waiting().lease(SHORT).send();
        ask("c").fair(true).waiting().send();
        ask("d").fair(true).waiting().send();
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
    void aPollTellsHowManyPermitsAreFree() {
        Stream.of("a", "b", "c").forEach(id -> ask(id).limit(3).send());
        ask("w").limit(3).waiting().send();

        assertThat(bulkhead.poll(5, PLACE, "w").free()).isEqualTo(2);
        assertThat(bulkhead.poll(2, PLACE, "w").free()).as("above the limit").isZero();
        bulkhead.resize(4);
        assertThat(bulkhead.poll(9, PLACE, "w").free()).isEqualTo(1);
    }

    @Test
    void theNearestLeaseEndIsZeroWhenNothingIsHeld() {
        ask("a").lease(SHORT).send();
        stores.advance(SHORT);

        assertThat(bulkhead.poll(1, PLACE, "x").nearestLeaseEnd()).isZero();
    }

    @Test
    void pollsManyAtOnce() {
        String[] ids = ids("w", PermitStore.MAX_POLLED_AT_ONCE);
        ask("a").fair(true).send();
        Stream.of(ids).forEach(id -> ask(id).fair(true).waiting(SHORT).send());
        stores.advance(SHORT.minus(TICK));

        assertThat(bulkhead.poll(1, PLACE, ids).gone()).isEmpty();
        stores.advance(SHORT);

        assertThat(bulkhead.occupancy().waiting()).isEqualTo(ids.length);
        assertThat(bulkhead.waiters()).containsExactly(ids);
    }

    // ---- what stands in the name of a process

    /** Trap 47: whatever was granted and never given back, whether the process knows of it or not. */
    @Test
    void aProcessIsToldWhichPermitsStandInItsName() {
        assumeTrue(stores.mayLoseData(), "In this store nothing is held that the process does not know of");
        Stream.of("a", "b", "c").forEach(id -> ask(id).limit(6).fair(true).send());
        Stream.of("d", "e").forEach(id -> ask(id).limit(6).throughSecond().send());
        ask("ended").limit(6).lease(SHORT).send();
        ask("waits").limit(6).fair(true).waiting().send();
        ask("beside").limit(6).waiting().send();
        stores.advance(SHORT.minus(TICK));
        bulkhead.poll(6, PLACE, "waits");
        assertThat(bulkhead.ownPermits(stores.first())).containsExactlyInAnyOrder("a", "b", "c", "ended");
        assertThat(bulkhead.ownPermits(stores.second())).containsExactlyInAnyOrder("d", "e");

        stores.advance(TICK);
        assertThat(bulkhead.ownPermits(stores.first())).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(bulkhead.waiters()).as("only looked").contains("waits");
        bulkhead.release("b");
        assertThat(bulkhead.ownPermits(stores.first())).containsExactlyInAnyOrder("a", "c", "waits");
        assertThat(new BulkheadUnderTest(stores, "other-").ownPermits(stores.first())).isEmpty();
    }

    /** Trap 24: in steps that are bounded, and more of them. */
    @Test
    void aProcessIsToldOfManyPermits() {
        assumeTrue(stores.mayLoseData(), "In this store nothing is held that the process does not know of");
        int many = permitsToBeLookedAt();
        Set<String> own = new HashSet<>();
        for (int i = 0; i < many; i++) {
            Ask ask = ask("p" + i).limit(many);
            (i % 3 == 0 ? ask.throughSecond() : ask).send();
            if (i % 3 != 0) {
                own.add("p" + i);
            }
        }

        assertThat(bulkhead.ownPermits(stores.first())).isEqualTo(own);
    }

    // ---- what operators do

    @Test
    void aRevokedPermitIsGoneAndItsHolderIsTold() {
        ask("a").fair(true).send();
        ask("b").fair(true).waiting().send();

        assertThat(bulkhead.revoke("a")).isTrue();

        bulkhead.awaitRevoked("a");
        assertThat(bulkhead.holders()).containsExactly("b");
        assertThat(bulkhead.renew(LEASE, "a")).containsExactly("a");
        assertThat(bulkhead.release("a")).isFalse();
        assertThat(bulkhead.revoke("a")).as("twice").isFalse();
    }

    @Test
    void aRevokedPermitWakesOneWaiter() {
        ask("a").limit(2).send();
        ask("b").limit(2).send();
        Stream.of(ids("w", 3)).forEach(id -> ask(id).limit(2).waiting().send());

        bulkhead.revoke("b");

        assertThat(bulkhead.toldFree()).hasSize(1);
    }

    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void onlyHeldPermitsAreRevoked(boolean fair) {
        ask("a").fair(fair).lease(SHORT).send();
        ask("w").fair(fair).waiting().send();

        assertThat(bulkhead.revoke("w")).as("waits").isFalse();
        assertThat(bulkhead.revoke("never")).isFalse();
        assertThat(bulkhead.waiters()).containsExactly("w");
        stores.advance(SHORT);
        assertThat(bulkhead.revoke("a")).as("ended").isFalse();
        assertThat(bulkhead.toldRevoked()).isEmpty();
    }

    /** It is the state before the call that counts: the permit that is free by now does not make a waiter a holder. */
    @Test
    void aWaiterWhoseTurnHasJustComeIsNotRevoked() {
        ask("a").fair(true).lease(SHORT).send();
        ask("w").fair(true).waiting().send();
        stores.advance(SHORT);

        assertThat(bulkhead.revoke("w")).isFalse();
        bulkhead.awaitHandedOver("w");
    }

    @Test
    void resizingIsObeyedByAllAtOnceWhateverTheyState() {
        bulkhead.resize(2);

        assertThat(ask("a").limit(1).send()).isInstanceOf(Granted.class);
        assertThat(ask("b").limit(1).throughSecond().send()).isInstanceOf(Granted.class);
        assertThat(ask("c").limit(9).throughSecond().send()).isEqualTo(new Full(2, LEASE, false));
        assertThat(bulkhead.occupancy().resizedTo()).hasValue(2);
    }

    @Test
    void resizingOutlivesTheLastPermit() {
        bulkhead.resize(2);
        ask("a").send();
        bulkhead.release("a");
        stores.advance(Duration.ofMinutes(10));

        assertThat(bulkhead.occupancy().resizedTo()).hasValue(2);
        ask("b").send();
        assertThat(ask("c").send()).isInstanceOf(Granted.class);
    }

    @Test
    void resizingHandsTheNewPermitsToThoseWhoWait() {
        ask("a").fair(true).send();
        Stream.of(ids("w", 4)).forEach(id -> ask(id).fair(true).waiting().send());

        bulkhead.resize(3);

        assertThat(bulkhead.toldHandedOver()).containsExactly("w0", "w1");
        assertThat(bulkhead.waiters()).containsExactly("w2", "w3");
    }

    @Test
    void resizingTellsAsManyAsThereAreNewPermits() {
        ask("a").send();
        Stream.of(ids("w", 4)).forEach(id -> ask(id).waiting().send());

        bulkhead.resize(3);

        assertThat(bulkhead.toldFree()).hasSize(2);
    }

    /** Trap 24: every loop is bounded. */
    @Test
    void resizingTellsAHundredAtTheMost() {
        ask("a").send();
        Stream.of(ids("w", 120)).forEach(id -> ask(id).waiting().send());

        bulkhead.resize(1_000);

        assertThat(bulkhead.toldFree()).hasSize(100);
    }

    /** Trap 19: below the use, running executions continue, and no call enters until the use is below the new limit. */
    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void resizingBelowTheUseDrains(boolean fair) {
        Stream.of("a", "b", "c").forEach(id -> ask(id).limit(3).fair(fair).send());
        bulkhead.resize(1);

        assertThat(bulkhead.holders()).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(bulkhead.renew(LEASE, "a", "b", "c")).isEmpty();
        assertThat(bulkhead.poll(3, PLACE, "x").free()).isZero();
        for (String id : List.of("a", "b")) {
            bulkhead.release(id);
            assertThat(ask("new").limit(3).fair(fair).send()).isInstanceOf(Full.class);
        }
        bulkhead.release("c");
        assertThat(ask("new").limit(3).fair(fair).send()).isInstanceOf(Granted.class);
    }

    /** Trap 19: the same for those who wait already. */
    @Test
    void resizingBelowTheUseHoldsUpTheQueue() {
        Stream.of("a", "b").forEach(id -> ask(id).limit(2).fair(true).send());
        Stream.of("c", "d").forEach(id -> ask(id).limit(2).fair(true).waiting().send());
        bulkhead.resize(1);

        bulkhead.release("a");
        assertThat(bulkhead.holders()).containsExactly("b");
        bulkhead.release("b");
        assertThat(bulkhead.holders()).containsExactly("c");
    }

    /** Trap 19, Trap 26: a release that leaves the use at the limit or above it wakes no waiter. */
    @Test
    void aReleaseAboveTheNewLimitWakesNoWaiter() {
        Stream.of("a", "b").forEach(id -> ask(id).limit(2).send());
        ask("w").limit(2).waiting().send();
        bulkhead.resize(1);

        bulkhead.release("a");
        assertThat(bulkhead.toldFree()).isEmpty();
        bulkhead.release("b");
        bulkhead.awaitPermitFree("w");
    }

    @Test
    void resettingTheSizeBringsTheDeclaredLimitsBack() {
        bulkhead.resize(1);
        ask("a").limit(2).send();
        ask("fair").limit(2).fair(true).waiting().send();

        assertThat(bulkhead.resetSize()).isTrue();

        bulkhead.awaitHandedOver("fair");
        assertThat(bulkhead.occupancy().resizedTo()).isEmpty();
        assertThat(bulkhead.resetSize()).as("twice").isFalse();
        assertThat(ask("b").limit(2).send()).isInstanceOf(Full.class);
    }

    @Test
    void resettingTheSizeTellsThoseWhoWait() {
        bulkhead.resize(1);
        ask("a").limit(3).send();
        Stream.of(ids("w", 4)).forEach(id -> ask(id).limit(3).waiting().send());

        bulkhead.resetSize();

        assertThat(bulkhead.toldFree()).hasSize(2);
    }

    // ---- different limits

    /** Trap 19: with old and new limits mixed during a rollout, each process keeps to the limit that it states. */
    @Test
    void mixedLimitsDrainToTheLowerOne() {
        Stream.of("a", "b", "c").forEach(id -> ask(id).limit(3).send());

        bulkhead.release("a");
        assertThat(ask("new").limit(2).send()).isEqualTo(new Full(2, LEASE, false));
        bulkhead.release("b");
        assertThat(ask("new").limit(2).send()).isInstanceOf(Granted.class);
        assertThat(ask("other").limit(2).send()).isInstanceOf(Full.class);
        assertThat(ask("old").limit(3).send()).isInstanceOf(Granted.class);
    }

    /** Trap 19: a rollout that changes the limit is noticed. */
    @Test
    void differingLimitsAreReported() {
        ask("a").limit(3).send();
        assertThat(bulkhead.limitMismatches()).as("no other limit").isEmpty();

        ask("b").limit(4).send();

        assertThat(bulkhead.awaitLimitMismatch(4))
                .isEqualTo(new LimitMismatch(BulkheadId.of(bulkhead.name), 4, Set.of(3)));
        assertThat(bulkhead.occupancy().declaredLimits()).containsExactly(3, 4);
        ask("c").limit(5).send();
        assertThat(bulkhead.awaitLimitMismatch(5).others()).containsExactlyInAnyOrder(3, 4);
    }

    @Test
    void differingLimitsAreReportedAgainOnlyAfterSomeSeconds() {
        ask("a").limit(3).lease(LEASE).send();
        ask("b").limit(4).lease(LEASE).send();
        bulkhead.awaitLimitMismatch(4);
        stores.advance(Duration.ofSeconds(4));
        ask("c").limit(4).send();
        assertThat(new HashSet<>(bulkhead.limitMismatches())).hasSize(1);

        stores.advance(Duration.ofSeconds(1));
        ask("d").limit(3).send();
        assertThat(bulkhead.awaitLimitMismatch(3).others()).containsExactly(4);
    }

    @Test
    void aLimitThatIsNoLongerUsedIsForgotten() {
        ask("a").limit(3).lease(Duration.ofHours(1)).send();
        stores.advance(Duration.ofSeconds(55));
        assertThat(bulkhead.occupancy().declaredLimits()).containsExactly(3);
        stores.advance(Duration.ofSeconds(6));
        assertThat(bulkhead.occupancy().declaredLimits()).isEmpty();

        ask("b").limit(4).send();

        assertThat(bulkhead.limitMismatches()).isEmpty();
        assertThat(bulkhead.occupancy().declaredLimits()).containsExactly(4);
    }

    @Test
    void aLimitThatIsDeclaredAgainIsRemembered() {
        ask("a").limit(3).lease(Duration.ofHours(1)).send();
        stores.advance(Duration.ofSeconds(50));
        ask("b").limit(3).send();
        stores.advance(Duration.ofSeconds(50));

        assertThat(bulkhead.occupancy().declaredLimits()).containsExactly(3);
    }

    // ---- what operators see

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
    void sinceAndUntilAreTimesOfTheStore() {
        ask("a").lease(LEASE).send();
        Instant first = Instant.ofEpochMilli(bulkhead.now());
        stores.advance(Duration.ofSeconds(5));
        ask("w").waiting(SHORT).send();
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
                .forEach(entry -> ask(entry.getKey()).limit(3).lease(Duration.ofSeconds(entry.getValue())).send());
        List<String> order = List.of("open1", "fair1", "open2", "fair2");
        for (String id : order) {
            ask(id).limit(3).fair(id.startsWith("fair")).waiting().send();
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

    /** Looking does not hand over, renewing does not either. */
    @Test
    void neitherLookingNorRenewingMovesTheQueue() {
        ask("a").limit(2).fair(true).lease(SHORT).send();
        ask("b").limit(2).fair(true).send();
        ask("w").limit(2).fair(true).waiting().send();
        stores.advance(SHORT);

        bulkhead.renew(LEASE, "b");

        assertThat(bulkhead.occupancy().inUse()).isEqualTo(1);
        assertThat(bulkhead.waiters()).containsExactly("w");
        assertThat(bulkhead.toldHandedOver()).isEmpty();
    }

    // ---- races

    /** Trap 2: counting and adding are one step, however many race. */
    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void aBurstOfRequestsNeverExceedsTheLimit(boolean fair) throws Exception {
        List<Callable<AcquireReply>> requests = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            Ask ask = ask("p" + i).limit(5).fair(fair);
            requests.add(i % 2 == 0 ? ask::send : ask.throughSecond()::send);
        }

        List<AcquireReply> replies = inParallel(requests);

        assertThat(replies.stream().filter(Granted.class::isInstance)).hasSize(5);
        assertThat(replies.stream().filter(Full.class::isInstance)).hasSize(395);
        assertThat(bulkhead.holders()).hasSize(5);
    }

    /** Trap 2, Trap 9, Trap 29: many who wait, hold, give up and renew; never above the limit, and nothing stays behind. */
    @ParameterizedTest(name = "fair = {0}")
    @ValueSource(booleans = { false, true })
    void aLongRaceNeverExceedsTheLimitAndLeavesNothing(boolean fair) throws Exception {
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

    /** Every racer takes permits through one of the stores, now and then giving up or cancelling. */
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
                Ask ask = ask(racer + "-" + i).limit(limit).fair(fair).waiting(LEASE);
                takeAndGiveBack(throughFirst ? ask : ask.throughSecond(), i, tickets);
            }
            return tickets;
        }

        private void takeAndGiveBack(Ask ask, int round, List<Long> tickets) {
            AcquireReply reply = ask.send();
            if (reply instanceof Waiting && round % 7 == 3) {
                bulkhead.release(ask.id());
                return;
            }
            if (reply instanceof Waiting && round % 7 == 5) {
                bulkhead.cancel(LEASE, ask.id());
                return;
            }
            tickets.add(reply instanceof Granted granted ? granted.ticket() : awaitTurn(ask));
            mostInside.accumulateAndGet(inside.incrementAndGet(), Math::max);
            assertThat(bulkhead.renew(LEASE, ask.id())).isEmpty();
            inside.decrementAndGet();
            assertThat(bulkhead.release(ask.id())).isTrue();
        }

        private long awaitTurn(Ask ask) {
            while (true) {
                PollReply reply = bulkhead.poll(limit, LEASE, ask.id());
                assertThat(reply.gone()).isEmpty();
                if (!reply.handedOver().isEmpty()) {
                    return reply.handedOver().get(ask.id()).ticket();
                }
                if (reply.free() > 0 && ask.send() instanceof Granted granted) {
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

    /** Waiters live as long as their process, so it takes another process to see some of them dead. */
    private void assumeThatAProcessCanDie() {
        assumeTrue(stores.hasOtherProcesses(), "This store has one process: when it dies, no waiter is left to be served");
    }

    private Ask ask(String id) {
        return bulkhead.ask(id);
    }

    private static String[] ids(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toArray(String[]::new);
    }

    private static List<Long> tickets(List<Waiter> waiters) {
        return waiters.stream().map(Waiter::ticket).toList();
    }
}
