package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.PermitGoneException;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.PermitLost.Reason;
import io.quarkiverse.redisbulkhead.runtime.store.LocalShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.ObservedShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;

/** What single calls see of instances that share a store. */
class EngineTest extends TwoInstances {

    // ---- Idle permits

    @Test
    void idlePermitServesTheNextCallWithoutTheStore() {
        call(one, work(3)).end();
        int statements = one.statements;

        for (int i = 0; i < 100; i++) {
            Admission call = call(one, work(3));
            held(call);
            call.end();
        }

        assertThat(one.statements).isEqualTo(statements);
    }

    @Test
    void permitInUseAllTheTimeStays() {
        for (int i = 0; i < 20; i++) {
            Admission call = call(one, work(3));
            advance(Duration.ofMillis(400));
            held(call);
            call.end();
        }
        assertThat(one.statements).as("the grant, and renewals").isLessThan(8);
    }

    /** Trap 50: an instance that may miss recalls keeps nothing. */
    @Test
    void deafInstanceKeepsNothing() {
        call(one, work(3)).end();

        one.engine.hearsRecalls(false);

        assertThat(look().granted()).isZero();
        call(one, work(3)).end();
        assertThat(look().granted()).isZero();
    }

    /** Recalls are sent to the others only, and not for each need. */
    @Test
    void instanceWhoseNeedRecalledOthersDoesNotKeepWhatItThenGets() {
        call(one, work(2)).end();
        call(two, work(2)).end();
        List<Admission> both = List.of(call(one, work(2)), call(one, work(2)));
        both.forEach(call -> held(call));
        both.forEach(Admission::end);

        held(call(two, work(2)));
    }

    // ---- Calls that do not wait

    @Test
    void executionsOfThisInstanceAloneRejectWithoutTheStore() {
        held(call(one, work(1)));
        int statements = one.statements;

        assertThat(rejection(call(one, work(1)))).isExactlyInstanceOf(BulkheadFullException.class)
                .hasMessageMatching("Bulkhead 'work' is full: its only permit is taken; the lease ends in \\d+ ms");
        assertThat(one.statements).isEqualTo(statements);
    }

    /** The other instance has both permits, and has answered the recall. */
    private List<Admission> fill() {
        List<Admission> all = List.of(call(one, work(2)), call(one, work(2)));
        call(two, work(2));
        advance(PendingCall.RECALL_WAIT.plusMillis(1));
        rejection(call(two, work(2)));
        return all;
    }

    @Test
    void fullBulkheadRejectsWithoutTheStore() {
        fill();
        int statements = two.statements;

        for (int i = 0; i < 100; i++) {
            assertThat(rejection(call(two, work(2)))).isExactlyInstanceOf(BulkheadFullException.class);
        }
        assertThat(two.statements).isEqualTo(statements);
    }

    /** Calls come faster than answers. */
    @Test
    void answerAlsoRejectsTheCallsThatCameMeanwhile() {
        fill();
        advance(Duration.ofMillis(ShareStore.FULL_MILLIS));
        slowly(100);
        int statements = two.statements;

        List<Admission> calls = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            calls.add(call(two, work(2)));
            server.advance(50);
        }

        assertThat(two.statements - statements).isEqualTo(1);
        advance(Duration.ofMillis(1));
        assertThat(calls).allSatisfy(call -> rejection(call));
    }

    @Test
    void callThatWaitsAsksAlthoughTheBulkheadIsFull() {
        Admission holder = fill().get(0);

        Admission waiter = call(two, waiting(2));

        waits(waiter);
        holder.end();
        held(waiter);
    }

    @Test
    void fullBulkheadIsAskedAgainSoon() {
        Admission holder = fill().get(0);
        holder.end();
        rejection(call(two, work(2)));

        advance(Duration.ofMillis(ShareStore.FULL_MILLIS));

        held(call(two, work(2)));
    }

    /** No message says that. */
    @Test
    void fullBulkheadIsAskedAgainWhenALeaseEnds() {
        call(one, work(2, spec -> spec.weight(2)));
        one.die();
        advance(Duration.ofMillis(4_500));
        call(two, work(2));
        advance(Duration.ofMillis(1_450));
        rejection(call(two, work(2)));

        advance(Duration.ofMillis(60));

        held(call(two, work(2)));
    }

    /** Where nothing stays idle, or releases are awaited, a call finds what was released before it began. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void exactBulkheadIsAskedEachTime(boolean awaits) {
        SemaphoreDefinition exact = work(2, spec -> (awaits ? spec.awaitRelease(true) : spec.keepIdle(Duration.ZERO))
                .maxWait(Duration.ZERO));
        Admission holder = call(one, exact);
        held(call(one, exact));
        call(two, exact);
        advance(PendingCall.RECALL_WAIT.plusMillis(1));
        rejection(call(two, exact));
        server.lostMessages = 1;

        holder.end();

        held(call(two, exact));
    }

    /** It may miss recalls, so it would miss the message as well. */
    @Test
    void deafInstanceAsksAFullBulkheadEachTime() {
        two.engine.hearsRecalls(false);
        fill();
        int statements = two.statements;

        rejection(call(two, work(2)));

        assertThat(two.statements).isEqualTo(statements + 1);
    }

    /** Trap 48. */
    @Test
    void idlePermitOfAnotherInstanceRejectsNobody() {
        Admission[] first = { call(one, work(2)), call(one, work(2)) };
        first[0].end();
        first[1].end();
        assertThat(look().granted()).as("kept").isEqualTo(2);

        held(call(two, work(2)));
    }

    /** One permit is idle here, and the other ones are free. */
    @Test
    void heavyCallThatDoesNotWaitTakesIdlePermitsAndFreeOnes() {
        held(call(one, work(4)));
        call(one, work(4)).end();
        assertThat(look().granted()).as("in use, and kept").isEqualTo(2);

        held(call(one, work(4, spec -> spec.weight(3).maxWait(Duration.ZERO))));

        assertThat(look().granted()).isEqualTo(4);
    }

    @Test
    void silentInstanceCostsFiftyMilliseconds() {
        call(one, work(2, spec -> spec.weight(2))).end();
        one.pause();

        Admission call = call(two, work(2));
        advance(Duration.ofMillis(49));
        assertThat(call.granted().toCompletableFuture()).isNotDone();
        advance(Duration.ofMillis(2));

        assertThat(rejection(call)).isInstanceOf(BulkheadFullException.class);
        assertThat(look().waiting()).isZero();
    }

    @Test
    void heavyCallDoesNotBlockLighterOnes() {
        held(call(one, work(3, spec -> spec.maxWait(Duration.ZERO).keepIdle(Duration.ZERO))));
        slowly(1_000);

        Admission heavy = call(two, work(3, spec -> spec.weight(3).maxWait(Duration.ZERO)));
        Admission light = call(two, work(3));
        advance(Duration.ofMillis(20));
        advance(Duration.ofMillis(60));

        assertThat(rejection(heavy)).isInstanceOfSatisfying(CallRejectedException.class,
                full -> assertThat(CallRejectedException.reasonOf(full)).isEqualTo(CallRejectedException.Reason.TOO_FEW));
        held(light);
    }

    // ---- Waiting

    private static final SemaphoreDefinition NOT_FAIR = work(2,
            spec -> spec.maxWait(LONG).fair(false).keepIdle(Duration.ZERO));

    /** The other instance has a permit and a call that waits; this one has two that came before that, and a turn. */
    private Admission beginTurn() {
        call(one, NOT_FAIR);
        Admission before = call(two, NOT_FAIR);
        Admission first = call(two, NOT_FAIR);
        call(two, NOT_FAIR);
        call(one, NOT_FAIR);
        before.end();
        held(first);
        return first;
    }

    /** In a fair bulkhead there is no turn: each call is to get its place in the queue as soon as it comes. */
    @Test
    void fairCallsAreStatedAsTheyCome() {
        SemaphoreDefinition fair = work(2, spec -> spec.maxWait(LONG).keepIdle(Duration.ZERO));
        call(one, fair);
        Admission before = call(two, fair);
        Admission first = call(two, fair);
        call(two, fair);
        call(one, fair);
        before.end();
        held(first);
        int statements = two.statements;

        call(two, fair);

        assertThat(two.statements).isGreaterThan(statements);
    }

    /** Each would need a statement of its own. */
    @Test
    void callsThatComeDuringATurnAreStatedWhenItEnds() {
        beginTurn();
        int statements = two.statements;

        call(two, NOT_FAIR);

        assertThat(two.statements).isEqualTo(statements);
        advance(Duration.ofMillis(11));
        assertThat(look().waiting()).isEqualTo(3);
    }

    @Test
    void callsThatWereServedDuringATurnAreStatedWhenItEnds() {
        Admission first = beginTurn();
        int statements = two.statements;

        first.end();

        assertThat(two.statements).isEqualTo(statements);
        advance(Duration.ofMillis(11));
        assertThat(look().waiting()).isEqualTo(1);
    }

    /** Else its place would block lighter calls of other instances until the next heartbeat. */
    @Test
    void callThatGaveUpDuringATurnIsStatedWhenNobodyElseWaits() {
        SemaphoreDefinition light = work(3, spec -> spec.maxWait(LONG).fair(false).keepIdle(Duration.ZERO));
        Admission holder = call(one, light);
        call(one, light);
        Admission before = call(two, light);
        Admission first = call(two, light);
        Admission heavy = call(two, work(3, spec -> spec.weight(3).maxWait(LONG).fair(false).keepIdle(Duration.ZERO)));
        Admission other = call(one, light);
        before.end();
        HeldPermit permit = held(first);
        other.end();
        server.leastDelayMicros = 100;
        server.mostDelayMicros = 100;
        permit.refresh();
        heavy.end();
        server.advance(1_000);
        server.calm();

        holder.end();

        assertThat(look().waiting()).isZero();
        held(call(one, light));
    }

    /** Until then, the store would not know that this instance waits at all. */
    @Test
    void instanceWithoutStatedCallsStatesThoseOfATurn() {
        Admission first = beginTurn();
        first.end();
        call(two, work(2, spec -> spec.maxWait(Duration.ZERO).fair(false).keepIdle(Duration.ZERO)));
        int statements = two.statements;

        call(two, NOT_FAIR);

        assertThat(two.statements).isGreaterThan(statements);
    }

    /** Trap 19. */
    @Test
    void loweredLimitDrains() {
        Admission[] running = { call(one, waiting(2)), call(one, waiting(2)) };
        one.engine.resize(WORK, 1);
        Admission next = call(one, waiting(2));

        running[0].end();
        assertThat(next.isHeldNow()).isFalse();
        running[1].end();
        held(next);
    }

    private static final SemaphoreDefinition KEPT = work(3, spec -> spec.keepIdle(LONG));

    private void keepThree() {
        List.of(call(one, KEPT), call(one, KEPT), call(one, KEPT)).forEach(Admission::end);
        assertThat(look().granted()).isEqualTo(3);
    }

    /** Before this instance had the time to return them. */
    @Test
    void permitsKeptBeyondALowerLimitServeNoCall() {
        keepThree();
        one.isBusy = true;

        server.connect("operator").resize(WORK, 1);
        server.advance(1);

        held(call(one, KEPT));
        assertThat(call(one, KEPT).isHeldNow()).isFalse();
    }

    /** A resolver determines the limit of each call. */
    @Test
    void permitsKeptBeyondALowerDeclaredLimitServeNoCall() {
        keepThree();

        held(call(one, work(1, spec -> spec.keepIdle(LONG))));

        assertThat(rejection(call(one, work(1, spec -> spec.keepIdle(LONG))))).isInstanceOf(BulkheadFullException.class);
        assertThat(look().granted()).isEqualTo(1);
        held(call(one, KEPT));
    }

    /** Whether a call finds the bulkhead full depends on the limit that it declares itself. */
    @Test
    void lowerDeclaredLimitRejectsNoCallThatDeclaresMore() {
        keepThree();
        slowly(1_000);
        held(call(one, KEPT));
        Admission lower = call(one, work(1, spec -> spec.keepIdle(LONG)));

        Admission higher = call(one, KEPT);

        server.advance(5_000);
        rejection(lower);
        held(higher);
    }

    @Test
    void answerToAnEarlierStatementDoesNotRaiseTheDeclaredLimit() {
        keepThree();
        server.mostDelayMicros = 1_000;
        server.leastDelayMicros = 1_000;
        held(call(one, KEPT)).refresh();
        Admission second = call(one, work(1, spec -> spec.keepIdle(LONG)));

        server.advance(2_000);

        assertThat(second.isHeldNow()).isFalse();
        server.advance(2_000);
        assertThat(rejection(second)).isInstanceOf(BulkheadFullException.class);
    }

    /** What calls declare does not count then. */
    @Test
    void permitsKeptWithinTheLimitOfAnOperatorServeCallsThatDeclareLess() {
        one.engine.resize(WORK, 4);
        keepThree();
        int statements = one.statements;

        held(call(one, work(1, spec -> spec.keepIdle(LONG))));
        held(call(one, work(1, spec -> spec.keepIdle(LONG))));

        assertThat(one.statements).isEqualTo(statements);
    }

    /** Also when the message about it is late or lost. */
    @Test
    void limitCountsForTheNextCallOfTheInstanceThatHasSetIt() {
        server.lostMessages = 1;
        held(call(one, work(2)));
        held(call(one, work(2)));

        one.engine.resize(WORK, 3);
        call(one, work(2)).end();
        assertThat(look().granted()).as("in use, and kept").isEqualTo(3);
        one.engine.resize(WORK, 2);
        assertThat(rejection(call(one, work(2)))).isExactlyInstanceOf(BulkheadFullException.class);

        one.engine.resize(WORK, 3);
        held(call(one, work(2)));
        assertThat(one.engine.resize(WORK, 0).toCompletableFuture()).isCompletedWithValue(true);
        assertThat(look().resizedTo()).isEmpty();
    }

    /** Trap 38: a resolver may compute another limit for each call. */
    @Test
    void numberOfRememberedLimitsIsBounded() {
        for (int limit = 1; limit <= 1_000; limit++) {
            call(limit % 2 == 0 ? one : two, work(limit)).end();
        }

        assertThat(look().declaredLimits()).hasSizeLessThanOrEqualTo(3);
        assertThat(server.fields(WORK)).hasSizeLessThanOrEqualTo(4);
    }

    /** Else each grant would bring a second of tokens, and tokens would repeat after a loss of data for as long. */
    @Test
    void tokensOfHeavyCallsDoNotOutrunTheClock() {
        SemaphoreDefinition heavy = work(2_000_000_000, spec -> spec.weight(10_000_000));
        List<Admission> calls = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            calls.add(call(one, heavy));
            advance(Duration.ofMillis(1));
        }
        int statements = one.statements;

        assertThat(held(calls.get(99)).fencingToken() - server.wallMicros()).isLessThan(1_000_000);
        advance(Duration.ofMillis(100));
        calls.forEach(call -> held(call).fencingToken());
        advance(Duration.ofMillis(100));
        assertThat(one.statements - statements).as("for more tokens").isLessThan(5);
    }

    // ---- Leases

    @Test
    void minHoldKeepsThePermitTaken() {
        call(one, work(1, spec -> spec.minHold(Duration.ofSeconds(4)))).end();

        for (SimulatedInstance next : List.of(one, two)) {
            assertThat(rejection(call(next, work(1)))).isInstanceOfSatisfying(BulkheadFullException.class,
                    full -> assertThat(full.nearestLeaseEnd()).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(4)));
        }
        assertThat(look().holds()).hasSize(1);
        advance(Duration.ofSeconds(5));
        held(call(two, work(1)));
    }

    /** Trap 12: it began after the call of the other instance was stated. */
    @Test
    void callWaitsNoLongerThanAMinimumHold() {
        Admission holder = call(one, work(1, spec -> spec.minHold(Duration.ofMillis(400))));
        Admission waiter = call(two, waiting(1));
        advance(Duration.ofMillis(100));
        holder.end();
        advance(Duration.ofMillis(290));
        waits(waiter);

        advance(Duration.ofMillis(15));

        held(waiter);
    }

    /**
     * An operator takes the permit away in the store, because its instance does not answer, and the execution ends meanwhile.
     */
    @Test
    void permitThatIsRevokedBeforeItsMinimumHoldIsStatedIsGone() {
        SemaphoreDefinition held = work(2, spec -> spec.minHold(Duration.ofSeconds(4)));
        slowly(10_000);
        Admission call = call(one, held);
        advance(Duration.ofMillis(50));
        server.connect("operator").revoke(WORK, "one", "", 1);
        advance(Duration.ofMillis(25));
        call.end();
        advance(Duration.ofSeconds(1));

        Admission next = call(one, held);
        advance(Duration.ofMillis(50));
        held(next);
        assertThat(sharesNow()).isEqualTo(1);
    }

    @Test
    void otherExecutionsOutlastAMinimumHold() {
        SemaphoreDefinition held = work(2, spec -> spec.minHold(Duration.ofSeconds(4)).maxHold(Duration.ofSeconds(10)));
        HeldPermit running = held(call(one, held));
        call(one, held).end();

        assertThat(one.engine.here(WORK, 100).holders()).extracting(Holder::permitId).containsExactly(running.id());
        advance(Duration.ofSeconds(14));
        assertThat(one.losses.get(running.id()).reason()).isEqualTo(Reason.MAX_HOLD);
        assertThat(look().granted()).isZero();
    }

    @Test
    void refreshTellsWhetherThePermitIsStillThere() {
        HeldPermit permit = held(call(one, work(1)));
        assertThat(permit.refresh().toCompletableFuture()).isCompletedWithValue(true);
        server.loseData();
        held(call(two, work(1)));

        assertThat(permit.refresh().toCompletableFuture()).isCompletedWithValue(false);
        assertThat(one.losses.get(permit.id()).reason()).isEqualTo(Reason.GONE);
    }

    // ---- Operators

    @Test
    void permitsRevokedInTheStoreCostTheYoungestExecutions() {
        HeldPermit older = held(call(one, work(2)));
        HeldPermit younger = held(call(one, work(2)));

        server.connect("operator").revoke(WORK, "one", "", 1);

        assertThat(older.isHeld()).isTrue();
        assertThat(younger.isHeld()).isFalse();
        assertThat(one.losses.get(younger.id()).reason()).isEqualTo(Reason.REVOKED);
    }

    // ---- Tokens

    @Test
    void tokensNeverRunOut() {
        SemaphoreDefinition work = work(3);
        long before = 0;
        for (int i = 0; i < 5_000; i++) {
            Admission call = call(one, work);
            long token = held(call).fencingToken();
            assertThat(token).isGreaterThan(before);
            before = token;
            call.end();
            // Each call takes longer than a token lasts: they do not run ahead of the clock.
            server.advance(100);
        }
        assertThat(one.statements).as("blocks grow").isLessThan(40);
    }

    @Test
    void handOversUseUpFewTokens() {
        SemaphoreDefinition all = work(2, spec -> spec.weight(2).maxWait(LONG));
        long drawn = 0;
        for (int i = 0; i < 1_000; i++) {
            Admission quick = call(one, all);
            drawn = held(quick).fencingToken();
            quick.end();
            advance(Duration.ofNanos(100_000));
        }
        Admission first = call(one, all);
        for (int i = 0; i < 100; i++) {
            Admission next = call(i % 2 == 0 ? two : one, all);
            held(first).fencingToken();
            first.end();
            advance(Duration.ofMillis(50));
            first = next;
        }
        // The clock itself has advanced by half of that.
        assertThat(held(first).fencingToken() - drawn).isLessThan(10_000_000);
    }

    /** Trap 25: the share serves calls as long as its lease runs. */
    @Test
    void tokensLastThroughASilence() {
        callAndDrawATokenFor(Duration.ofSeconds(10));
        one.refusal = new StoreException(Kind.AWAY, "Redis is away");
        callAndDrawATokenFor(Duration.ofMillis(3_500));
    }

    /** Also if those before were heavier, and a token of each was enough. */
    @Test
    void keptPermitsServeLightCallsThroughASilence() {
        for (int i = 0; i < 20; i++) {
            call(one, work(64, spec -> spec.weight(64))).end();
            advance(Duration.ofMillis(200));
        }
        one.refusal = new StoreException(Kind.AWAY, "Redis is away");

        for (int i = 0; i < 64; i++) {
            held(call(one, work(64)));
        }
    }

    private void callAndDrawATokenFor(Duration time) {
        for (long millis = 0; millis < time.toMillis(); millis += 20) {
            Admission call = call(one, work(3));
            advance(Duration.ofMillis(20));
            held(call).fencingToken();
            call.end();
        }
    }

    // ---- Without a shared store

    @Test
    void engineOfThisProcess() {
        List<PermitLost> losses = new ArrayList<>();
        SimulatedInstance clock = new SimulatedInstance("clock", server);
        Engine local = new Engine("local", clock.clock(), one.engine.identity, losses::add, one.limits);
        Admission first = new Semaphore(waiting(1), local, true, List.of()).admit("m");
        Admission second = new Semaphore(waiting(1), local, true, List.of()).admit("m");
        Admission third = new Semaphore(work(1), local, true, List.of()).admit("m");
        assertThat(rejection(third)).isInstanceOf(BulkheadFullException.class);
        long token = held(first).fencingToken();

        first.end();
        assertThat(held(second).fencingToken()).isGreaterThan(token);

        String secret = held(second).detach().toCompletableFuture().join();
        assertThatThrownBy(() -> local.attach(work(1), "nonsense", "n")).isInstanceOf(IllegalArgumentException.class);
        HeldPermit attached = local.attach(work(1), secret, "n").toCompletableFuture().join();
        assertThat(failure(local.attach(work(1), secret, "n"))).isInstanceOf(PermitGoneException.class);
        Admission fourth = new Semaphore(waiting(1), local, true, List.of()).admit("m");
        assertThat(fourth.isHeldNow()).isFalse();
        local.resize(WORK, 2);
        held(fourth);
        assertThat(local.resize(WORK, 0).toCompletableFuture()).isCompletedWithValue(true);
        attached.release();
        fourth.end();
        advance(Duration.ofSeconds(5));
        assertThat(local.bulkheadNow(WORK)).isNull();
    }

    @Test
    void detachedPermitOfThisProcessIsFreeAfterItsLease() {
        SimulatedInstance clock = new SimulatedInstance("clock", server);
        Engine local = new Engine("local", clock.clock(), one.engine.identity, one, one.limits);
        Semaphore semaphore = new Semaphore(work(1), local, true, List.of());
        held(semaphore.admit("m")).detach();

        advance(Duration.ofSeconds(5));
        assertThat(rejection(semaphore.admit("m"))).isInstanceOf(BulkheadFullException.class);
        advance(Duration.ofSeconds(2));

        held(semaphore.admit("m"));
    }

    /** Each would be returned to get it again, without an end. */
    @Test
    void heavyCallThatWaitsInThisProcessIsServedWhenEnoughIsFree() {
        int[] statements = new int[1];
        LocalShareStore store = new LocalShareStore(one.clock()::nanoTime, false);
        Engine local = new Engine("local", new ObservedShareStore(store, (operation, time, failure) -> statements[0]++), null,
                one.clock(), one.engine.identity, one, one.limits, Duration.ZERO, () -> 1);
        Admission holder = new Semaphore(work(10, spec -> spec.weight(5)), local, true, List.of()).admit("m");
        held(holder);

        Admission heavy = new Semaphore(work(10, spec -> spec.weight(6).maxWait(LONG)), local, true, List.of()).admit("m");
        Admission light = new Semaphore(waiting(10), local, true, List.of()).admit("m");

        assertThat(statements[0]).isLessThanOrEqualTo(4);
        waits(heavy);
        waits(light);
        holder.end();
        held(heavy);
        held(light);
    }
}
