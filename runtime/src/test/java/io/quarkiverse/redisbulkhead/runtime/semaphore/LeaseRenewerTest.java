package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.OnLost;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.PermitLost.Reason;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.Revoked;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;

/** Guarantees 3 and 6: leases are renewed while executions run, and losses are reported. */
class LeaseRenewerTest {

    static final SemaphoreSpec SPEC = SemaphoreSpec.named("reports").permits(1_000).expire(Duration.ofSeconds(30)).build();

    final ManualStore store = new ManualStore();
    final ManualTimers timers = new ManualTimers();
    /** A lease ends here this much earlier than in the store. */
    private static final Duration MARGIN = Duration.ofSeconds(1);

    final List<PermitLost> losses = new ArrayList<>();
    final SemaphoreEngine engine = new SemaphoreEngine(store, timers, new HolderIdentity("app", "host:1"), losses::add, true,
            new WaiterLimits(Integer.MAX_VALUE));

    @Test
    void permitsOfABulkheadAreRenewedTogetherAtAThirdOfTheLease() {
        HeldPermit first = acquire(SPEC);
        timers.advance(Duration.ofSeconds(4));
        HeldPermit second = acquire(SPEC);

        timers.advance(Duration.ofMillis(5_999));
        assertThat(store.renewals).isEmpty();
        timers.advance(Duration.ofMillis(1));

        assertThat(store.renewals).singleElement().satisfies(renewal -> assertThat(renewal.permits())
                .isEqualTo(Map.of(first.id(), Duration.ofSeconds(30), second.id(), Duration.ofSeconds(30))));
        replyRenewed();
        timers.advance(Duration.ofSeconds(10));
        assertThat(store.renewals).hasSize(2);
        assertThat(store.renewals.get(1).permits()).hasSize(2);
    }

    @Test
    void bulkheadsAreRenewedSeparately() {
        acquire(SPEC);
        acquire(SemaphoreSpec.named("other").permits(1).expire(Duration.ofSeconds(6)).build());

        timers.advance(Duration.ofSeconds(2));
        assertThat(store.log).endsWith("renew other 1");
    }

    /** The timer stays for later permits; there is only one. */
    @Test
    void shortExecutionsShareATimerAndAreNotRenewed() {
        for (int i = 0; i < 100; i++) {
            acquire(SPEC).release();
            timers.advance(Duration.ofMillis(10));
        }
        assertThat(timers.planned()).isEqualTo(1);

        timers.advance(Duration.ofMinutes(1));
        assertThat(store.renewals).isEmpty();
        assertThat(losses).isEmpty();
        assertThat(timers.planned()).isZero();
    }

    /** Trap 21: a million keys used once must not leave a timer each. */
    @Test
    void keysUsedOnceLeaveFewTimers() {
        for (int i = 0; i < 1_000; i++) {
            Admission admission = engine.semaphore(SPEC).forKey("tenant-" + i, OptionalInt.empty()).admit("A#a");
            store.acquires.get("reports").complete(new Granted(7, false));
            admission.end();
        }

        assertThat(timers.planned()).isLessThanOrEqualTo(100);
        assertThat(engine.inUseHere()).isEmpty();
    }

    /** The timer of a released permit fires early for the next one, which is still renewed on time. */
    @Test
    void permitIsRenewedOnTimeByTheTimerOfAnother() {
        acquire(SPEC).release();
        timers.advance(Duration.ofSeconds(7));
        HeldPermit permit = acquire(SPEC);
        timers.advance(Duration.ofMillis(9_999));
        assertThat(store.renewals).isEmpty();

        timers.advance(Duration.ofMillis(1));

        assertThat(store.renewals).singleElement().satisfies(renewal -> assertThat(renewal.permits())
                .containsOnlyKeys(permit.id()));
    }

    /** Trap 6: failed renewals are retried until the lease ends; only then is the permit lost. */
    @Test
    void permitIsLostOnlyWhenItsLeaseEnds() {
        HeldPermit permit = acquire(SPEC);
        for (int second = 0; second < 28; second++) {
            timers.advance(Duration.ofSeconds(1));
            store.renewals.forEach(renewal -> renewal.reply().completeExceptionally(ManualStore.lost()));
            assertThat(permit.isHeld()).as("after %d s", second + 1).isTrue();
        }
        assertThat(store.renewals).as("attempts").hasSizeBetween(5, 12);
        assertThat(losses).isEmpty();

        timers.advance(Duration.ofSeconds(1));

        assertThat(permit.isHeld()).isFalse();
        assertThat(losses).singleElement().satisfies(loss -> {
            assertThat(loss.reason()).isEqualTo(Reason.LEASE_ENDED);
            assertThat(loss.method()).isEqualTo("A#a");
            assertThat(loss.bulkhead()).isEqualTo("reports");
            assertThat(loss.permitId()).isEqualTo(permit.id());
            assertThat(loss.fencingToken()).isEqualTo(7);
        });
        timers.advance(Duration.ofMinutes(5));
        assertThat(losses).as("reported once").hasSize(1);
        assertThat(timers.planned()).isZero();
    }

    /** The margin gives this process time to notice the loss before others can get the permit, also with a short lease. */
    @Test
    void leaseEndsHereBeforeItEndsInTheStore() {
        Duration lease = Duration.ofSeconds(2);
        HeldPermit permit = acquire(SPEC.toBuilder().expire(lease).build());
        timers.advance(lease.minus(lease.dividedBy(20)).minusMillis(1));
        assertThat(losses).isEmpty();

        timers.advance(Duration.ofMillis(1));

        assertThat(permit.isHeld()).isFalse();
        assertThat(losses).hasSize(1);
    }

    /** Trap 6: nothing is lost if a later attempt succeeds. */
    @Test
    void lateRenewalKeepsPermit() {
        HeldPermit permit = acquire(SPEC);
        timers.advance(Duration.ofSeconds(10));
        failRenewal();
        timers.advance(Duration.ofSeconds(15));
        replyRenewed();
        timers.advance(Duration.ofSeconds(9));

        assertThat(permit.isHeld()).isTrue();
        assertThat(losses).isEmpty();
    }

    /** A slow reply does not lengthen the lease. */
    @Test
    void renewedLeaseStartsWhenTheRenewalIsSent() {
        HeldPermit permit = acquire(SPEC);
        timers.advance(Duration.ofSeconds(10));
        timers.advance(Duration.ofSeconds(15));
        replyRenewed();
        timers.advance(Duration.ofMillis(13_999));
        assertThat(permit.isHeld()).isTrue();

        timers.advance(Duration.ofMillis(1));

        assertThat(permit.isHeld()).isFalse();
    }

    /** Trap 7: after a pause longer than the lease, a process notices the loss at once, before any timer runs. */
    @Test
    void pausedProcessLosesItsPermit() {
        HeldPermit permit = acquire(SPEC);

        timers.jump(Duration.ofSeconds(30));

        assertThat(permit.isHeld()).isFalse();
        timers.advance(Duration.ZERO);
        assertThat(losses).singleElement().extracting(PermitLost::reason).isEqualTo(Reason.LEASE_ENDED);
        assertThat(permit.release().toCompletableFuture().isDone()).isFalse();
        store.releases.get("reports").complete(false);
        assertThat(losses).as("reported once").hasSize(1);
    }

    @Test
    void renewalOfUnknownPermitIsALoss() {
        HeldPermit permit = acquire(SPEC);
        timers.advance(Duration.ofSeconds(10));

        store.renewals.get(0).reply().complete(Set.of(permit.id()));

        assertThat(permit.isHeld()).isFalse();
        assertThat(losses).singleElement().extracting(PermitLost::reason).isEqualTo(Reason.GONE);
        assertThat(timers.planned()).isZero();
    }

    /** Trap 5: the reply about a released permit affects no other permit. */
    @Test
    void releaseDuringRenewalKeepsOtherPermits() {
        HeldPermit released = acquire(SPEC);
        HeldPermit first = acquire(SPEC);
        HeldPermit second = acquire(SPEC);
        timers.advance(Duration.ofSeconds(10));
        released.release();

        store.renewals.get(0).reply().complete(Set.of(released.id()));
        timers.advance(Duration.ofSeconds(10));

        assertThat(store.renewals.get(1).permits()).containsOnlyKeys(first.id(), second.id());
        assertThat(losses).isEmpty();
    }

    /** Trap 5: a release wins over a renewal in flight. */
    @Test
    void releaseDuringRenewalIsNotALoss() {
        HeldPermit permit = acquire(SPEC);
        timers.advance(Duration.ofSeconds(10));
        CompletableFuture<Boolean> released = permit.release().toCompletableFuture();
        store.releases.get("reports").complete(true);

        store.renewals.get(0).reply().complete(Set.of(permit.id()));

        assertThat(released).isCompletedWithValue(true);
        assertThat(losses).isEmpty();
        assertThat(permit.isHeld()).isFalse();
        timers.advance(Duration.ofMinutes(1));
        assertThat(store.renewals).hasSize(1);
    }

    @Test
    void releaseOfUnknownPermitIsALoss() {
        HeldPermit permit = acquire(SPEC);
        CompletableFuture<Boolean> released = permit.release().toCompletableFuture();
        store.releases.get("reports").complete(false);

        assertThat(released).isCompletedWithValue(false);
        assertThat(losses).singleElement().extracting(PermitLost::reason).isEqualTo(Reason.GONE);
        assertThat(permit.release().toCompletableFuture()).as("again").isCompletedWithValue(false);
        assertThat(store.log).containsOnlyOnce("release reports");
    }

    @Test
    void maxHoldEndsRenewals() {
        SemaphoreSpec bounded = SPEC.toBuilder().maxHold(Duration.ofSeconds(42)).onLost(OnLost.INTERRUPT).build();
        HeldPermit permit = acquire(bounded);
        timers.advance(Duration.ofSeconds(10));
        replyRenewed();
        timers.advance(Duration.ofSeconds(10));

        assertThat(store.renewals.get(1).permits()).as("not beyond max-hold")
                .isEqualTo(Map.of(permit.id(), Duration.ofSeconds(22).plus(MARGIN)));
        replyRenewed();
        timers.advance(Duration.ofSeconds(10));
        assertThat(store.renewals.get(2).permits()).as("still checks that the permit exists")
                .isEqualTo(Map.of(permit.id(), Duration.ofSeconds(12).plus(MARGIN)));
        replyRenewed();
        timers.advance(Duration.ofSeconds(10));
        replyRenewed();
        timers.advance(Duration.ofMillis(1_999));
        assertThat(permit.isHeld()).isTrue();
        timers.advance(Duration.ofMillis(1));

        assertThat(permit.isHeld()).isFalse();
        assertThat(losses).singleElement().extracting(PermitLost::reason).isEqualTo(Reason.MAX_HOLD);
        assertThat(permit.interruption().orElseThrow().toCompletableFuture()).isCompletedWithValue(losses.get(0));
    }

    /** A permit that needs no more renewals can still be revoked. */
    @Test
    void revocationIsDetectedWithMaxHold() {
        HeldPermit permit = acquire(SPEC.toBuilder().maxHold(Duration.ofSeconds(12)).build());
        timers.advance(Duration.ofMillis(4_200));
        store.renewals.get(0).reply().complete(Set.of(permit.id()));

        assertThat(permit.isHeld()).isFalse();
        assertThat(losses).singleElement().extracting(PermitLost::reason).isEqualTo(Reason.GONE);
    }

    @Test
    void maxHoldBelowTheLeaseShortensTheLease() {
        HeldPermit permit = acquire(SPEC.toBuilder().maxHold(Duration.ofSeconds(5)).build());

        assertThat(store.requests.get("reports").lease()).isEqualTo(Duration.ofMillis(5_250));
        timers.advance(Duration.ofSeconds(5));
        assertThat(permit.isHeld()).isFalse();
        assertThat(losses).singleElement().extracting(PermitLost::reason).isEqualTo(Reason.MAX_HOLD);
    }

    @Test
    void revokedPermitIsLostAtOnce() {
        HeldPermit permit = acquire(SPEC);
        HeldPermit other = acquire(SPEC);

        store.listener.accept(new Revoked(permit.id()));
        store.listener.accept(new Revoked(permit.id()));
        store.listener.accept(new Revoked("unknown"));

        assertThat(losses).singleElement().extracting(PermitLost::reason).isEqualTo(Reason.REVOKED);
        assertThat(permit.isHeld()).isFalse();
        assertThat(permit.interruption()).as("on-lost=report").isEmpty();
        assertThat(other.isHeld()).isTrue();
    }

    /** A loss listener throws; other permits are still renewed. */
    @Test
    void failingListenerDoesNotAffectOtherPermits() {
        SemaphoreListener failing = loss -> {
            throw new IllegalStateException("listener failed");
        };
        SemaphoreEngine engineWithListener = new SemaphoreEngine(store, timers, new HolderIdentity("app", "host:1"),
                new SemaphoreListeners(List.of(failing)), true, new WaiterLimits(Integer.MAX_VALUE));
        Semaphore semaphore = engineWithListener
                .semaphore(SPEC.toBuilder().maxHold(Duration.ofSeconds(30)).onLost(OnLost.INTERRUPT).build());
        Admission ending = semaphore.admit("A#a");
        store.acquires.get("reports").complete(new Granted(7, false));
        Admission going = engineWithListener.semaphore(SPEC).admit("A#a");
        store.acquires.get("reports").complete(new Granted(8, false));
        HeldPermit ended = ending.granted().toCompletableFuture().join().get(0);
        HeldPermit healthy = going.granted().toCompletableFuture().join().get(0);
        for (int i = 0; i < 9; i++) {
            timers.advance(Duration.ofSeconds(10));
            replyRenewed();
        }

        assertThat(ended.interruption().orElseThrow().toCompletableFuture()).isCompleted();
        assertThat(healthy.isHeld()).isTrue();
        CompletableFuture<Boolean> released = ended.release().toCompletableFuture();
        store.replyToReleases(false);
        assertThat(released).isCompletedWithValue(false);
    }

    @Test
    void manyPermitsAreRenewedInBatches() {
        IntStream.range(0, 2 * PermitStore.MAX_RENEWED_AT_ONCE + 1).forEach(i -> acquire(SPEC));
        timers.advance(Duration.ofSeconds(10));

        assertThat(store.renewals).extracting(renewal -> renewal.permits().size())
                .containsExactly(PermitStore.MAX_RENEWED_AT_ONCE, PermitStore.MAX_RENEWED_AT_ONCE, 1);
    }

    /** The cost of a renewal grows with the weight of its permits. */
    @Test
    void heavyPermitsAreRenewedInSmallerBatches() {
        SemaphoreSpec heavy = SPEC.toBuilder().weight(60).build();
        IntStream.range(0, 5).forEach(i -> acquire(heavy));
        acquire(SPEC.toBuilder().weight(1_000).build());
        acquire(SPEC);
        timers.advance(Duration.ofSeconds(10));

        assertThat(store.renewals).extracting(renewal -> renewal.permits().size()).containsExactly(2, 2, 1, 1, 1);
    }

    /** Each batch has its own reply: one failure does not affect the others. */
    @Test
    void failedBatchDoesNotAffectOtherBatches() {
        IntStream.range(0, 2 * PermitStore.MAX_RENEWED_AT_ONCE).forEach(i -> acquire(SPEC));
        timers.advance(Duration.ofSeconds(10));
        Set<String> unanswered = store.renewals.get(0).permits().keySet();
        String gone = store.renewals.get(1).permits().keySet().iterator().next();

        store.renewals.get(0).reply().completeExceptionally(ManualStore.lost());
        store.renewals.get(1).reply().complete(Set.of(gone));
        timers.advance(Duration.ofSeconds(3));

        assertThat(losses).extracting(PermitLost::permitId).containsExactly(gone);
        assertThat(store.renewals.stream().skip(2).flatMap(renewal -> renewal.permits().keySet().stream()))
                .as("retried").containsAll(unanswered).doesNotContain(gone);
    }

    @Test
    void refreshRenewsAtOnce() {
        HeldPermit permit = acquire(SPEC);
        timers.advance(Duration.ofSeconds(5));
        CompletableFuture<Boolean> refreshed = permit.refresh().toCompletableFuture();
        assertThat(store.renewals.get(0).permits()).containsOnlyKeys(permit.id());
        replyRenewed();
        assertThat(refreshed).isCompletedWithValue(true);

        CompletableFuture<Boolean> unanswered = permit.refresh().toCompletableFuture();
        store.renewals.get(1).reply().completeExceptionally(ManualStore.lost());
        assertThat(unanswered).isCompletedExceptionally();
        assertThat(permit.isHeld()).as("a failed refresh is not a loss").isTrue();

        CompletableFuture<Boolean> lost = permit.refresh().toCompletableFuture();
        store.renewals.get(2).reply().complete(Set.of(permit.id()));
        assertThat(lost).isCompletedWithValue(false);
        assertThat(losses).hasSize(1);
        assertThat(permit.refresh().toCompletableFuture()).isCompletedWithValue(false);
        assertThat(store.renewals).hasSize(3);
    }

    private HeldPermit acquire(SemaphoreSpec spec) {
        Admission admission = engine.semaphore(spec).admit("A#a");
        store.acquires.get(spec.name()).complete(new Granted(7, false));
        return admission.granted().toCompletableFuture().join().get(0);
    }

    private void replyRenewed() {
        store.renewals.get(store.renewals.size() - 1).reply().complete(Set.of());
    }

    private void failRenewal() {
        store.renewals.get(store.renewals.size() - 1).reply().completeExceptionally(ManualStore.lost());
    }
}
