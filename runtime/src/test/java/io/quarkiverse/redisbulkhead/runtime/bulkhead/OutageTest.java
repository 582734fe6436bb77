package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.OnLost;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.PermitLost.Reason;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;

/** Guarantee 8: what the share serves while the store is away, and the outage policies. */
class OutageTest extends TwoInstances {

    private static SemaphoreDefinition policy(OnOutage policy) {
        return work(5, spec -> spec.onOutage(policy).localPermits(2).keepIdle(Duration.ZERO));
    }

    private static SemaphoreDefinition patient(OnOutage policy) {
        return work(1, spec -> spec.onOutage(policy).localPermits(1).maxWait(Duration.ofSeconds(10)));
    }

    private Admission duringOutage(SemaphoreDefinition definition) {
        one.refusal = away();
        Admission admission = call(one, definition);
        one.refusal = null;
        return admission;
    }

    /** A connection that breaks when Redis falls silent makes no call one that waits for a permit. */
    @Test
    void callThatGotNoAnswerIsRejectedInAnOutage() {
        one.refusal = new StoreException(Kind.TRANSIENT, "no reply to commands in flight");
        Admission call = call(one, waiting(1));
        advance(Duration.ofMillis(200));
        assertThat(call.granted().toCompletableFuture()).isNotDone();

        one.refusal = away();
        advance(Duration.ofSeconds(2));

        assertThat(rejection(call)).isInstanceOf(BulkheadUnavailableException.class).hasMessageContaining("Redis is away");
    }

    /** Trap 39. */
    @Test
    void callThatWaitsOutlastsAnOutage() {
        Admission holder = call(two, waiting(1));
        Admission waiter = call(one, waiting(1));
        one.refusal = away();
        advance(Duration.ofSeconds(10));
        assertThat(waiter.granted().toCompletableFuture()).isNotDone();

        one.refusal = null;
        holder.end();
        advance(Duration.ofSeconds(3));

        held(waiter);
    }

    /** Such as a right that a command within the script needs: it may have written before. It does not pass by itself. */
    @Test
    void callThatWaitsFollowsThePolicyWhenTheStoreRefusesWithUnknownOutcome() {
        Admission holder = call(two, waiting(1));
        Admission rejected = call(one, waiting(1));
        Admission allowed = call(one, patient(OnOutage.ALLOW));
        one.refusal = new StoreException("The Redis user lacks a right. ACL LOG shows what was refused", null);
        advance(Duration.ofSeconds(5));

        assertThat(rejection(rejected)).isInstanceOf(BulkheadUnavailableException.class).hasMessageContaining("ACL LOG");
        assertThat(held(allowed).fencingToken()).isZero();

        one.refusal = null;
        holder.end();
        held(call(one, waiting(1)));
    }

    /** Trap 31. */
    @Test
    void callThatDoesNotWaitOutlastsABrokenConnection() {
        one.refusal = new StoreException(Kind.TRANSIENT, "connection reset");
        Admission served = call(one, work(1));
        advance(Duration.ofMillis(700));
        assertThat(served.granted().toCompletableFuture()).isNotDone();
        one.refusal = null;
        advance(Duration.ofMillis(500));
        held(served);

        two.refusal = new StoreException(Kind.TRANSIENT, "connection reset");
        Admission rejected = call(two, work(1));
        advance(Duration.ofMillis(1_100));
        assertThat(rejection(rejected)).isInstanceOf(BulkheadUnavailableException.class).hasMessageContaining("reset");
    }

    @Test
    void outageLimitsLocallyWhatTheShareDoesNotServe() {
        SemaphoreDefinition local = work(5, spec -> spec.onOutage(OnOutage.LOCAL).localPermits(3));
        Admission ofTheShare = call(one, local);
        assertThat(held(ofTheShare).fencingToken()).isPositive();
        one.refusal = away();

        Admission[] beyond = { call(one, local), call(one, local) };

        assertThat(held(beyond[0]).fencingToken()).isZero();
        held(beyond[1]);
        assertThat(rejection(call(one, local))).isInstanceOf(BulkheadFullException.class);
        advance(Duration.ofSeconds(7));
        assertThat(held(ofTheShare).isHeld()).as("its lease has ended").isFalse();
        held(call(one, local));
    }

    @Test
    void outageAllowsAllCalls() {
        one.refusal = away();
        for (int i = 0; i < 10; i++) {
            HeldPermit permit = held(call(one, policy(OnOutage.ALLOW)));
            advance(Duration.ofSeconds(10));
            assertThat(permit.isHeld()).as("without a lease").isTrue();
        }
    }

    /** Not only if other instances have permits: without an outage, such a call is rejected without a statement. */
    @Test
    void policyAppliesWhereThisInstanceUsesTheWholeLimit() {
        SemaphoreDefinition allow = work(2, spec -> spec.onOutage(OnOutage.ALLOW).localPermits(2));
        held(call(one, allow));
        held(call(one, allow));
        assertThat(rejection(call(one, allow))).isInstanceOf(BulkheadFullException.class);
        one.refusal = away();
        // The next renewal fails.
        advance(Duration.ofSeconds(3));

        assertThat(held(call(one, allow)).fencingToken()).isZero();
        assertThat(rejection(call(one, work(2)))).isInstanceOf(BulkheadUnavailableException.class);
        assertThat(rejection(call(one, work(2, spec -> spec.onOutage(OnOutage.LOCAL).localPermits(2)))))
                .isInstanceOf(BulkheadFullException.class);

        one.refusal = null;
        advance(Duration.ofSeconds(3));
        assertThat(rejection(call(one, allow))).isInstanceOf(BulkheadFullException.class);
    }

    /** Also more than could be counted; and nothing ends them. */
    @Test
    void allowedCallsAreNeitherCountedNorEnded() {
        one.refusal = away();
        SemaphoreDefinition bytes = work(1 << 30,
                spec -> spec.onOutage(OnOutage.ALLOW).weight(1 << 29).maxHold(Duration.ofSeconds(2)).onLost(OnLost.INTERRUPT));
        List<HeldPermit> permits = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            permits.add(held(call(one, bytes)));
        }

        advance(Duration.ofSeconds(3));
        assertThat(permits).allMatch(HeldPermit::isHeld);
        one.engine.refuseAndRejectWaiters();
        one.engine.releaseAll();

        assertThat(one.losses).isEmpty();
    }

    /** Not only with the next tick. */
    @Test
    void lighterCallIsServedLocallyWhenAHeavyOneGivesUp() {
        SemaphoreDefinition light = work(5, spec -> spec.onOutage(OnOutage.LOCAL).localPermits(3).maxWait(LONG));
        one.refusal = away();
        held(call(one, light));
        Admission heavy = call(one, light.weighing(3).within(Duration.ofMillis(100)));
        Admission behind = call(one, light);
        waits(behind);

        advance(Duration.ofMillis(101));

        rejection(heavy);
        held(behind);
    }

    @Test
    void minHoldKeepsALocalPermitTaken() {
        SemaphoreDefinition held = work(5,
                spec -> spec.onOutage(OnOutage.LOCAL).localPermits(1).minHold(Duration.ofSeconds(4)));
        one.refusal = away();
        call(one, held).end();
        assertThat(rejection(call(one, held))).isInstanceOf(BulkheadFullException.class);

        advance(Duration.ofMillis(4_001));

        held(call(one, held));
    }

    /** Not only calls that come later. */
    @Test
    void idlePermitsServeCallsThatWaitForTheLocalLimit() {
        SemaphoreDefinition local = work(4,
                spec -> spec.onOutage(OnOutage.LOCAL).localPermits(1).weight(2).maxWait(LONG));
        Admission first = call(one, local);
        Admission second = call(one, local);
        held(first);
        held(second);
        one.refusal = away();
        Admission[] waiting = { call(one, local), call(one, local), call(one, local) };
        waiting[1].end();
        // The next renewal fails, and the calls follow the policy.
        advance(Duration.ofSeconds(3));
        assertThat(waiting[0].granted().toCompletableFuture()).isNotDone();

        first.end();
        assertThat(held(waiting[0]).fencingToken()).as("of the share").isPositive();
        assertThat(one.engine.here(WORK, 100).holders()).extracting(Holder::weight).containsExactly(2, 2);
        assertThat(waiting[2].granted().toCompletableFuture()).isNotDone();
        waiting[0].end();
        held(waiting[2]);
        assertThat(held(second).isHeld()).isTrue();
    }

    @Test
    void shareIsRenewedWhileTheStoreRefusesNewCalls() {
        HeldPermit permit = held(call(one, work(5)));
        one.refusalOfNeeds = new StoreException("out of memory", null);

        // So many that the pause after a failure is never over.
        for (int i = 0; i < 4_000; i++) {
            assertThat(rejection(call(one, work(5, spec -> spec.weight(3))))).hasMessageContaining("out of memory");
            advance(Duration.ofMillis(2));
        }
        assertThat(permit.isHeld()).isTrue();
    }

    /** Trap 25: each key has its own local limit, scaled with the limit of the key. */
    @Test
    void localPolicyLimitsEachKey() {
        one.refusal = away();
        assertThat(localLimit("acme", OptionalInt.empty())).isEqualTo(2);
        assertThat(localLimit("paying", OptionalInt.of(20))).isEqualTo(8);
        assertThat(localLimit("small", OptionalInt.of(1))).isEqualTo(1);
        SemaphoreDefinition huge = policy(OnOutage.LOCAL).forKey("huge", OptionalInt.of(Integer.MAX_VALUE));
        assertThat(huge.spec().localPermits()).isEqualTo((int) (Integer.MAX_VALUE * 2L / 5));
        SemaphoreSpec moreHere = huge.spec().toBuilder().permits(1).localPermits(2).build();
        assertThat(SemaphoreDefinition.of(moreHere).forKey("huge", OptionalInt.of(Integer.MAX_VALUE)).spec().localPermits())
                .isEqualTo(Integer.MAX_VALUE);
    }

    /** The number of calls admitted for one key. */
    private int localLimit(String key, OptionalInt permits) {
        SemaphoreDefinition ofKey = policy(OnOutage.LOCAL).forKey(key, permits);
        List<Admission> admitted = new ArrayList<>();
        Admission admission = call(one, ofKey);
        while (admission.isHeldNow()) {
            admitted.add(admission);
            admission = call(one, ofKey);
        }
        assertThat(rejection(admission)).isInstanceOfSatisfying(BulkheadFullException.class,
                full -> assertThat(full.key()).contains(key));
        return admitted.size();
    }

    @Test
    void shutdownReleasesLocalPermits() {
        Admission running = duringOutage(policy(OnOutage.LOCAL));
        HeldPermit permit = held(running);
        one.engine.refuseAndRejectWaiters();

        assertThat(one.engine.releaseAll().toCompletableFuture()).isCompleted();
        one.engine.close();

        assertThat(permit.isHeld()).isFalse();
        assertThat(one.losses.values()).extracting(PermitLost::reason).containsExactly(Reason.STOPPED);
        running.end();
        assertThat(one.planned()).isZero();
    }

    /** Trap 25: an outage starts while a caller waits; it continues to wait for a local permit. */
    @Test
    void waiterContinuesWithALocalPermit() {
        held(call(two, patient(OnOutage.LOCAL)));
        Admission first = call(one, patient(OnOutage.LOCAL));
        Admission second = call(one, patient(OnOutage.LOCAL));
        advance(Duration.ofSeconds(3));
        one.refusal = away();
        advance(Duration.ofSeconds(2));
        held(first);
        waits(second);

        first.end();

        held(second);
    }

    /** Trap 24, Trap 25: max-wait covers both waits together. */
    @Test
    void outageDoesNotExtendMaxWait() {
        one.refusal = away();
        held(call(one, patient(OnOutage.LOCAL)));
        one.refusal = null;
        held(call(two, patient(OnOutage.REJECT)));
        Admission waiter = call(one, patient(OnOutage.LOCAL));
        advance(Duration.ofSeconds(4));
        one.refusal = away();
        advance(Duration.ofMillis(5_999));
        waits(waiter);

        advance(Duration.ofMillis(2));

        assertThat(rejection(waiter)).isInstanceOf(BulkheadFullException.class);
        assertThat(one.limits.isEmpty()).isTrue();
    }

    @Test
    void fullBulkheadAndShutdownAreNoOutage() {
        held(call(two, work(1)));
        SemaphoreDefinition allow = work(1, spec -> spec.onOutage(OnOutage.ALLOW));
        assertThat(rejection(call(one, allow))).isInstanceOf(BulkheadFullException.class);

        one.engine.refuseAndRejectWaiters();
        assertThat(rejection(call(one, allow))).isInstanceOf(BulkheadUnavailableException.class)
                .hasMessageContaining("stopping");
    }

    /** Trap 9: no fallback for a call that has ended. */
    @Test
    void endedCallDoesNotFallBack() {
        server.setDown(true);
        Admission admission = call(one, policy(OnOutage.LOCAL));
        assertThat(admission.end().toCompletableFuture()).isCompleted();
        advance(Duration.ofSeconds(2));

        assertThat(rejection(admission)).isNotNull();
        server.setDown(false);
        advance(Duration.ofSeconds(2));
        one.refusal = away();
        held(call(one, policy(OnOutage.LOCAL)));
        held(call(one, policy(OnOutage.LOCAL)));
    }

    /** Trap 39: the wait times out during the outage. */
    @Test
    void timeoutDuringAnOutageIsReportedAsUnavailable() {
        held(call(two, patient(OnOutage.REJECT)));
        Admission waiter = call(one, patient(OnOutage.REJECT));
        advance(Duration.ofSeconds(5));
        one.refusal = away();
        advance(Duration.ofMillis(4_999));
        waits(waiter);

        advance(Duration.ofMillis(2));

        assertThat(rejection(waiter)).isInstanceOf(BulkheadUnavailableException.class).hasMessageContaining("Redis is away");
    }

    /** Trap 25: such as a missing permission, whether the call has just come or waits. */
    @Test
    void permanentRefusalIsReportedImmediately() {
        held(call(two, waiting(1)));
        Admission waiter = call(one, waiting(1));
        one.refusal = new StoreException("Authentication required", null);
        for (Admission rejected : List.of(call(one, waiting(1)), waiter)) {
            assertThat(rejection(rejected)).isInstanceOf(BulkheadUnavailableException.class)
                    .hasMessageContaining("Authentication required");
        }
    }
}
