package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Full;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Waiting;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.local.LocalPermitStore;

/** Guarantee 8: the outage policies. */
class OutageTest {

    static final SemaphoreSpec SPEC = SemaphoreSpec.named("reports").permits(5).localPermits(2).build();

    final ManualStore store = new ManualStore();
    final ManualTimers timers = new ManualTimers();
    final List<PermitLost> losses = new ArrayList<>();
    final HolderIdentity identity = new HolderIdentity("app", "host:1");
    final LocalPermitStore local = new LocalPermitStore(timers::nanoTime, 1_000_000);
    final SemaphoreEngine engine = new SemaphoreEngine(store, timers, identity, losses::add,
            new SemaphoreEngine(local, timers, identity, losses::add, false, new WaiterLimits(Integer.MAX_VALUE)));

    @AfterEach
    void nothingIsLeft() {
        assertThat(local.occupancy(BulkheadId.of("reports"), 0).toCompletableFuture().join().inUse()).isZero();
        assertThat(local.occupancy(BulkheadId.of("reports"), 0).toCompletableFuture().join().waiting()).isZero();
        assertThat(losses).isEmpty();
    }

    /** Trap 25. */
    @Test
    void rejectPolicyRejects() {
        Admission admission = admitDuringOutage(OnOutage.REJECT);

        assertThat(rejection(admission)).isInstanceOf(BulkheadUnavailableException.class);
    }

    /** Trap 25: a bypassing call has no fencing token, and sends no release. */
    @Test
    void allowPolicyAdmitsAllCalls() {
        for (int i = 0; i < 100; i++) {
            Admission admission = admitDuringOutage(OnOutage.ALLOW);
            HeldPermit permit = granted(admission).join().get(0);
            assertThat(permit.isHeld()).isTrue();
            assertThat(permit.fencingToken()).isZero();
            assertThat(permit.id()).isEmpty();
            admission.end();
            assertThat(permit.isHeld()).isFalse();
        }
        assertThat(store.log).doesNotContain("release reports");
    }

    /** Trap 25: each process applies its local limit. */
    @Test
    void localPolicyAppliesTheLocalLimit() {
        Admission first = admitDuringOutage(OnOutage.LOCAL);
        Admission second = admitDuringOutage(OnOutage.LOCAL);
        Admission third = admitDuringOutage(OnOutage.LOCAL);

        assertThat(granted(first).join().get(0).fencingToken()).as("no fencing token, which the store could reissue").isZero();
        assertThat(granted(second)).isCompleted();
        assertThat(rejection(third)).isInstanceOfSatisfying(BulkheadFullException.class,
                e -> assertThat(e.limit()).isEqualTo(2));
        first.end();
        Admission fourth = admitDuringOutage(OnOutage.LOCAL);
        assertThat(granted(fourth)).isCompleted();
        List.of(second, third, fourth).forEach(Admission::end);
        assertThat(store.log).doesNotContain("release reports");
    }

    /** The shutdown also releases local permits and cancels all timers. */
    @Test
    void shutdownReleasesLocalPermits() {
        Admission running = admitDuringOutage(OnOutage.LOCAL);
        HeldPermit permit = granted(running).join().get(0);
        engine.refuseAndRejectWaiters();

        assertThat(engine.releaseAll().toCompletableFuture()).isCompleted();

        assertThat(permit.isHeld()).isFalse();
        assertThat(losses).singleElement().extracting(PermitLost::reason).isEqualTo(PermitLost.Reason.STOPPED);
        assertThat(timers.planned()).isZero();
        running.end();
        losses.clear();
    }

    /** Trap 25: each key has its own local limit, scaled with the limit of the key. */
    @Test
    void localPolicyLimitsEachKey() {
        assertThat(localLimit("acme", OptionalInt.empty())).isEqualTo(2);
        assertThat(localLimit("paying", OptionalInt.of(20))).isEqualTo(8);
        assertThat(localLimit("small", OptionalInt.of(1))).isEqualTo(1);
        SemaphoreDefinition huge = SemaphoreDefinition.of(SPEC).forKey("huge", OptionalInt.of(Integer.MAX_VALUE));
        assertThat(huge.spec().localPermits()).isEqualTo((int) (Integer.MAX_VALUE * 2L / 5));
        SemaphoreSpec moreHere = SPEC.toBuilder().permits(1).localPermits(2).build();
        assertThat(SemaphoreDefinition.of(moreHere).forKey("huge", OptionalInt.of(Integer.MAX_VALUE)).spec().localPermits())
                .isEqualTo(Integer.MAX_VALUE);
    }

    /** The number of calls admitted for one key. */
    private int localLimit(String key, OptionalInt permits) {
        List<Admission> admissions = new ArrayList<>();
        Throwable rejection = null;
        while (rejection == null) {
            Admission admission = engine.semaphore(SPEC.toBuilder().onOutage(OnOutage.LOCAL).build()).forKey(key, permits)
                    .admit("A#a");
            fail();
            rejection = rejection(admission);
            admissions.add(admission);
        }
        assertThat(rejection).isInstanceOfSatisfying(BulkheadFullException.class,
                full -> assertThat(full.key()).contains(key));
        admissions.forEach(Admission::end);
        return admissions.size() - 1;
    }

    /** Trap 25: an outage starts while a caller waits; it continues to wait for a local permit. */
    @Test
    void waiterContinuesWithALocalPermit() {
        SemaphoreSpec waiting = SPEC.toBuilder().onOutage(OnOutage.LOCAL).localPermits(1).maxWait(Duration.ofSeconds(10))
                .build();
        Admission holder = admit(waiting);
        fail();
        Admission admission = admit(waiting);
        store.acquires.get("reports").complete(new Waiting(5, Duration.ofSeconds(25), 0, 0, false));
        timers.advance(Duration.ofSeconds(4));
        store.polls.get(0).reply().completeExceptionally(ManualStore.lost());
        assertThat(granted(admission)).isNotDone();

        holder.end();
        assertThat(granted(admission)).isCompleted();
        Admission last = admit(waiting);
        fail();
        timers.advance(Duration.ofSeconds(11));
        assertThat(rejection(last)).isInstanceOf(BulkheadFullException.class);
        List.of(admission, last).forEach(Admission::end);
    }

    /** Trap 24, Trap 25: max-wait covers both waits together. */
    @Test
    void outageDoesNotExtendMaxWait() {
        SemaphoreSpec waiting = SPEC.toBuilder().onOutage(OnOutage.LOCAL).localPermits(1).maxWait(Duration.ofSeconds(10))
                .build();
        Admission holder = admit(waiting);
        fail();
        Admission admission = admit(waiting);
        store.acquires.get("reports").complete(new Waiting(5, Duration.ofSeconds(25), 0, 0, false));
        timers.advance(Duration.ofSeconds(4));
        store.polls.get(0).reply().completeExceptionally(ManualStore.lost());
        timers.advance(Duration.ofMillis(5_999));
        assertThat(granted(admission)).isNotDone();

        timers.advance(Duration.ofMillis(1));

        assertThat(rejection(admission)).isInstanceOf(BulkheadFullException.class);
        List.of(holder, admission).forEach(Admission::end);
    }

    @Test
    void heldNowContainsPermitOfEitherStore() {
        for (OnOutage policy : List.of(OnOutage.ALLOW, OnOutage.LOCAL)) {
            Admission byStore = admit(SPEC.toBuilder().onOutage(policy).build());
            assertThat(byStore.heldNow()).isEmpty();
            store.acquires.get("reports").complete(new Granted(7, false));
            Admission duringOutage = admitDuringOutage(policy);

            for (Admission admission : List.of(byStore, duringOutage)) {
                assertThat(admission.heldNow()).hasSize(1).isEqualTo(granted(admission).join());
                admission.end();
            }
        }
        assertThat(admitDuringOutage(OnOutage.REJECT).heldNow()).isEmpty();
    }

    /** Trap 25: each call tries the store first. */
    @Test
    void recoveryIsAutomatic() {
        for (OnOutage policy : OnOutage.values()) {
            admitDuringOutage(policy).end();
            Admission next = admit(SPEC.toBuilder().onOutage(policy).build());
            store.acquires.get("reports").complete(new Granted(7, false));
            assertThat(granted(next).join().get(0).fencingToken()).isEqualTo(7);
            next.end();
            store.replyToReleases(true);
            assertThat(next.end().toCompletableFuture()).isCompleted();
        }
    }

    @Test
    void fullBulkheadIsNotAnOutage() {
        Admission admission = admit(SPEC.toBuilder().onOutage(OnOutage.ALLOW).build());
        store.acquires.get("reports").complete(new Full(5, Duration.ofSeconds(3), false));

        assertThat(rejection(admission)).isInstanceOf(BulkheadFullException.class);
        admission.end();
    }

    @Test
    void shutdownIsNotAnOutage() {
        engine.refuseAndRejectWaiters();
        Admission admission = admit(SPEC.toBuilder().onOutage(OnOutage.ALLOW).build());

        assertThat(rejection(admission)).isInstanceOf(BulkheadUnavailableException.class).hasMessageContaining("stopping");
    }

    /** Trap 9: no fallback for a call that has ended. */
    @Test
    void endedCallDoesNotFallBack() {
        Admission admission = admit(SPEC.toBuilder().onOutage(OnOutage.LOCAL).build());
        CompletableFuture<Void> ended = admission.end().toCompletableFuture();
        fail();

        assertThat(rejection(admission)).isInstanceOf(BulkheadUnavailableException.class);
        assertThat(ended).isCompleted();
    }

    private Admission admitDuringOutage(OnOutage policy) {
        Admission admission = admit(SPEC.toBuilder().onOutage(policy).build());
        fail();
        return admission;
    }

    private Admission admit(SemaphoreSpec spec) {
        return engine.semaphore(spec).admit("A#a");
    }

    private void fail() {
        store.acquires.get("reports").completeExceptionally(ManualStore.lost());
    }

    private static CompletableFuture<List<HeldPermit>> granted(Admission admission) {
        return admission.granted().toCompletableFuture();
    }

    private static Throwable rejection(Admission admission) {
        return granted(admission).handle((done, failure) -> Failures.cause(failure)).getNow(null);
    }
}
