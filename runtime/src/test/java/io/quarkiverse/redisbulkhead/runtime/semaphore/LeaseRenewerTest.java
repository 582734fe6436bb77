package io.quarkiverse.redisbulkhead.runtime.semaphore;

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

/** Guarantees 3 and 6: leases are renewed while executions run, and losses are told. */
class LeaseRenewerTest {

    static final SemaphoreSpec SPEC = SemaphoreSpec.named("reports").permits(1_000).expire(Duration.ofSeconds(30)).build();

    final ManualStore store = new ManualStore();
    final ManualTimers timers = new ManualTimers();
    /** A lease ends here so much earlier than in the store. */
    private static final Duration MARGIN = Duration.ofSeconds(1);

    final List<PermitLost> losses = new ArrayList<>();
    final SemaphoreEngine engine = new SemaphoreEngine(store, timers, new HolderIdentity("app", "host:1"), losses::add, true,
            new WaiterLimits(Integer.MAX_VALUE));

    @Test
    void allPermitsOfABulkheadAreRenewedInOneCommandAtAThirdOfTheLease() {
        HeldPermit first = take(SPEC);
        timers.advance(Duration.ofSeconds(4));
        HeldPermit second = take(SPEC);

        timers.advance(Duration.ofMillis(5_999));
        assertThat(store.renewals).isEmpty();
        timers.advance(Duration.ofMillis(1));

        assertThat(store.renewals).singleElement().satisfies(renewal -> assertThat(renewal.permits())
                .isEqualTo(Map.of(first.id(), Duration.ofSeconds(30), second.id(), Duration.ofSeconds(30))));
        renewed();
        timers.advance(Duration.ofSeconds(10));
        assertThat(store.renewals).hasSize(2);
        assertThat(store.renewals.get(1).permits()).hasSize(2);
    }

    @Test
    void permitsOfDifferentBulkheadsAreRenewedByThemselves() {
        take(SPEC);
        take(SemaphoreSpec.named("other").permits(1).expire(Duration.ofSeconds(6)).build());

        timers.advance(Duration.ofSeconds(2));
        assertThat(store.log).endsWith("renew other 1");
    }

    /** Its timer stays, for those that come after it; there is one, however many they are. */
    @Test
    void shortExecutionsAreNotRenewedAndShareATimer() {
        for (int i = 0; i < 100; i++) {
            take(SPEC).release();
            timers.advance(Duration.ofMillis(10));
        }
        assertThat(timers.planned()).isEqualTo(1);

        timers.advance(Duration.ofMinutes(1));
        assertThat(store.renewals).isEmpty();
        assertThat(losses).isEmpty();
        assertThat(timers.planned()).isZero();
    }

    /** Trap 21: a timer for each of a million keys would be shared by none of them. */
    @Test
    void manyBulkheadsThatWereUsedOnceLeaveFewTimers() {
        for (int i = 0; i < 1_000; i++) {
            Admission admission = engine.semaphore(SPEC).forKey("tenant-" + i, OptionalInt.empty()).admit("A#a");
            store.acquires.get("reports").complete(new Granted(7, false));
            admission.end();
        }

        assertThat(timers.planned()).isLessThanOrEqualTo(100);
        assertThat(engine.inUseHere()).isEmpty();
    }

    /** The timer that one permit left behind is early for the next one, which is renewed in its own time. */
    @Test
    void aPermitIsRenewedInTimeByTheTimerOfAnother() {
        take(SPEC).release();
        timers.advance(Duration.ofSeconds(7));
        HeldPermit permit = take(SPEC);
        timers.advance(Duration.ofMillis(9_999));
        assertThat(store.renewals).isEmpty();

        timers.advance(Duration.ofMillis(1));

        assertThat(store.renewals).singleElement().satisfies(renewal -> assertThat(renewal.permits())
                .containsOnlyKeys(permit.id()));
    }

    /** Trap 6: a renewal that fails is tried again until the lease has ended; then, and only then, the permit is lost. */
    @Test
    void aPermitIsLostWhenItsLeaseHasEndedAndNotBefore() {
        HeldPermit permit = take(SPEC);
        for (int second = 0; second < 28; second++) {
            timers.advance(Duration.ofSeconds(1));
            store.renewals.forEach(renewal -> renewal.reply().completeExceptionally(ManualStore.lost()));
            assertThat(permit.isHeld()).as("after %d s", second + 1).isTrue();
        }
        assertThat(store.renewals).as("tries").hasSizeBetween(5, 12);
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
        assertThat(losses).as("told once").hasSize(1);
        assertThat(timers.planned()).isZero();
    }

    /**
     * While others may already get the permit, this process has the time to notice that it is lost: also when the lease is
     * short.
     */
    @Test
    void aLeaseEndsHereBeforeItEndsInTheStore() {
        Duration lease = Duration.ofSeconds(2);
        HeldPermit permit = take(SPEC.toBuilder().expire(lease).build());
        timers.advance(lease.minus(lease.dividedBy(20)).minusMillis(1));
        assertThat(losses).isEmpty();

        timers.advance(Duration.ofMillis(1));

        assertThat(permit.isHeld()).isFalse();
        assertThat(losses).hasSize(1);
    }

    /** Trap 6: and when a later try succeeds, nothing is lost. */
    @Test
    void aRenewalThatSucceedsLateSavesThePermit() {
        HeldPermit permit = take(SPEC);
        timers.advance(Duration.ofSeconds(10));
        fail();
        timers.advance(Duration.ofSeconds(15));
        renewed();
        timers.advance(Duration.ofSeconds(9));

        assertThat(permit.isHeld()).isTrue();
        assertThat(losses).isEmpty();
    }

    /** The lease is counted from before the renewal was sent: an answer that took long does not lengthen it. */
    @Test
    void theLeaseCountsFromWhenTheRenewalWasSent() {
        HeldPermit permit = take(SPEC);
        timers.advance(Duration.ofSeconds(10));
        timers.advance(Duration.ofSeconds(15));
        renewed();
        timers.advance(Duration.ofMillis(13_999));
        assertThat(permit.isHeld()).isTrue();

        timers.advance(Duration.ofMillis(1));

        assertThat(permit.isHeld()).isFalse();
    }

    /** Trap 7: a process that slept through its lease knows that at once, before any timer has told it. */
    @Test
    void aPausedProcessDoesNotBelieveInItsPermit() {
        HeldPermit permit = take(SPEC);

        timers.jump(Duration.ofSeconds(30));

        assertThat(permit.isHeld()).isFalse();
        timers.advance(Duration.ZERO);
        assertThat(losses).singleElement().extracting(PermitLost::reason).isEqualTo(Reason.LEASE_ENDED);
        assertThat(permit.release().toCompletableFuture().isDone()).isFalse();
        store.releases.get("reports").complete(false);
        assertThat(losses).as("told once").hasSize(1);
    }

    @Test
    void aPermitThatTheStoreDoesNotKnowIsLost() {
        HeldPermit permit = take(SPEC);
        timers.advance(Duration.ofSeconds(10));

        store.renewals.get(0).reply().complete(Set.of(permit.id()));

        assertThat(permit.isHeld()).isFalse();
        assertThat(losses).singleElement().extracting(PermitLost::reason).isEqualTo(Reason.GONE);
        assertThat(timers.planned()).isZero();
    }

    /** Trap 5: what the answer says about a released permit concerns no other permit. */
    @Test
    void aReleaseDuringARenewalLeavesOtherPermitsAlone() {
        HeldPermit released = take(SPEC);
        HeldPermit first = take(SPEC);
        HeldPermit second = take(SPEC);
        timers.advance(Duration.ofSeconds(10));
        released.release();

        store.renewals.get(0).reply().complete(Set.of(released.id()));
        timers.advance(Duration.ofSeconds(10));

        assertThat(store.renewals.get(1).permits()).containsOnlyKeys(first.id(), second.id());
        assertThat(losses).isEmpty();
    }

    /** Trap 5: a release beats a renewal that is on its way. */
    @Test
    void aReleaseDuringARenewalIsNoLoss() {
        HeldPermit permit = take(SPEC);
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
    void aReleaseThatFindsNothingIsALoss() {
        HeldPermit permit = take(SPEC);
        CompletableFuture<Boolean> released = permit.release().toCompletableFuture();
        store.releases.get("reports").complete(false);

        assertThat(released).isCompletedWithValue(false);
        assertThat(losses).singleElement().extracting(PermitLost::reason).isEqualTo(Reason.GONE);
        assertThat(permit.release().toCompletableFuture()).as("again").isCompletedWithValue(false);
        assertThat(store.log).containsOnlyOnce("release reports");
    }

    @Test
    void maxHoldEndsTheRenewal() {
        SemaphoreSpec bounded = SPEC.toBuilder().maxHold(Duration.ofSeconds(42)).onLost(OnLost.INTERRUPT).build();
        HeldPermit permit = take(bounded);
        timers.advance(Duration.ofSeconds(10));
        renewed();
        timers.advance(Duration.ofSeconds(10));

        assertThat(store.renewals.get(1).permits()).as("not beyond max-hold, where the lease ends here")
                .isEqualTo(Map.of(permit.id(), Duration.ofSeconds(22).plus(MARGIN)));
        renewed();
        timers.advance(Duration.ofSeconds(10));
        assertThat(store.renewals.get(2).permits()).as("still asks whether the permit is there")
                .isEqualTo(Map.of(permit.id(), Duration.ofSeconds(12).plus(MARGIN)));
        renewed();
        timers.advance(Duration.ofSeconds(10));
        renewed();
        timers.advance(Duration.ofMillis(1_999));
        assertThat(permit.isHeld()).isTrue();
        timers.advance(Duration.ofMillis(1));

        assertThat(permit.isHeld()).isFalse();
        assertThat(losses).singleElement().extracting(PermitLost::reason).isEqualTo(Reason.MAX_HOLD);
        assertThat(permit.interruption().orElseThrow().toCompletableFuture()).isCompletedWithValue(losses.get(0));
    }

    /** A permit that no longer needs renewal may still be revoked. */
    @Test
    void aRevocationIsNoticedWithMaxHoldToo() {
        HeldPermit permit = take(SPEC.toBuilder().maxHold(Duration.ofSeconds(12)).build());
        timers.advance(Duration.ofMillis(4_200));
        store.renewals.get(0).reply().complete(Set.of(permit.id()));

        assertThat(permit.isHeld()).isFalse();
        assertThat(losses).singleElement().extracting(PermitLost::reason).isEqualTo(Reason.GONE);
    }

    @Test
    void maxHoldShorterThanTheLeaseIsTheLease() {
        HeldPermit permit = take(SPEC.toBuilder().maxHold(Duration.ofSeconds(5)).build());

        assertThat(store.requests.get("reports").lease()).isEqualTo(Duration.ofMillis(5_250));
        timers.advance(Duration.ofSeconds(5));
        assertThat(permit.isHeld()).isFalse();
        assertThat(losses).singleElement().extracting(PermitLost::reason).isEqualTo(Reason.MAX_HOLD);
    }

    @Test
    void aRevokedPermitIsLostAtOnce() {
        HeldPermit permit = take(SPEC);
        HeldPermit other = take(SPEC);

        store.listener.accept(new Revoked(permit.id()));
        store.listener.accept(new Revoked(permit.id()));
        store.listener.accept(new Revoked("unknown"));

        assertThat(losses).singleElement().extracting(PermitLost::reason).isEqualTo(Reason.REVOKED);
        assertThat(permit.isHeld()).isFalse();
        assertThat(permit.interruption()).as("on-lost=report").isEmpty();
        assertThat(other.isHeld()).isTrue();
    }

    /** A listener for losses may fail; other permits are renewed all the same. */
    @Test
    void aListenerThatFailsDoesNotAffectOthers() {
        SemaphoreListener failing = loss -> {
            throw new IllegalStateException("told too often");
        };
        SemaphoreEngine told = new SemaphoreEngine(store, timers, new HolderIdentity("app", "host:1"),
                new SemaphoreListeners(List.of(failing)), true, new WaiterLimits(Integer.MAX_VALUE));
        Semaphore semaphore = told.semaphore(SPEC.toBuilder().maxHold(Duration.ofSeconds(30)).onLost(OnLost.INTERRUPT).build());
        Admission ending = semaphore.admit("A#a");
        store.acquires.get("reports").complete(new Granted(7, false));
        Admission going = told.semaphore(SPEC).admit("A#a");
        store.acquires.get("reports").complete(new Granted(8, false));
        HeldPermit ended = ending.granted().toCompletableFuture().join().get(0);
        HeldPermit healthy = going.granted().toCompletableFuture().join().get(0);
        for (int i = 0; i < 9; i++) {
            timers.advance(Duration.ofSeconds(10));
            renewed();
        }

        assertThat(ended.interruption().orElseThrow().toCompletableFuture()).isCompleted();
        assertThat(healthy.isHeld()).isTrue();
        CompletableFuture<Boolean> released = ended.release().toCompletableFuture();
        store.answerReleases(false);
        assertThat(released).isCompletedWithValue(false);
    }

    @Test
    void manyPermitsAreRenewedInParts() {
        IntStream.range(0, 2 * PermitStore.MAX_RENEWED_AT_ONCE + 1).forEach(i -> take(SPEC));
        timers.advance(Duration.ofSeconds(10));

        assertThat(store.renewals).extracting(renewal -> renewal.permits().size())
                .containsExactly(PermitStore.MAX_RENEWED_AT_ONCE, PermitStore.MAX_RENEWED_AT_ONCE, 1);
    }

    /** A renewal costs the store as much as the permits weigh. */
    @Test
    void heavyPermitsAreRenewedInSmallerParts() {
        SemaphoreSpec heavy = SPEC.toBuilder().weight(60).build();
        IntStream.range(0, 5).forEach(i -> take(heavy));
        take(SPEC.toBuilder().weight(1_000).build());
        take(SPEC);
        timers.advance(Duration.ofSeconds(10));

        assertThat(store.renewals).extracting(renewal -> renewal.permits().size()).containsExactly(2, 2, 1, 1, 1);
    }

    /** Each part has its own answer: where one has none, the others are renewed, and their losses are told. */
    @Test
    void aPartThatIsNotAnsweredDoesNotHarmTheOthers() {
        IntStream.range(0, 2 * PermitStore.MAX_RENEWED_AT_ONCE).forEach(i -> take(SPEC));
        timers.advance(Duration.ofSeconds(10));
        Set<String> unanswered = store.renewals.get(0).permits().keySet();
        String gone = store.renewals.get(1).permits().keySet().iterator().next();

        store.renewals.get(0).reply().completeExceptionally(ManualStore.lost());
        store.renewals.get(1).reply().complete(Set.of(gone));
        timers.advance(Duration.ofSeconds(3));

        assertThat(losses).extracting(PermitLost::permitId).containsExactly(gone);
        assertThat(store.renewals.stream().skip(2).flatMap(renewal -> renewal.permits().keySet().stream()))
                .as("tried again").containsAll(unanswered).doesNotContain(gone);
    }

    @Test
    void refreshRenewsAtOnce() {
        HeldPermit permit = take(SPEC);
        timers.advance(Duration.ofSeconds(5));
        CompletableFuture<Boolean> refreshed = permit.refresh().toCompletableFuture();
        assertThat(store.renewals.get(0).permits()).containsOnlyKeys(permit.id());
        renewed();
        assertThat(refreshed).isCompletedWithValue(true);

        CompletableFuture<Boolean> unanswered = permit.refresh().toCompletableFuture();
        store.renewals.get(1).reply().completeExceptionally(ManualStore.lost());
        assertThat(unanswered).isCompletedExceptionally();
        assertThat(permit.isHeld()).as("no answer is no loss").isTrue();

        CompletableFuture<Boolean> lost = permit.refresh().toCompletableFuture();
        store.renewals.get(2).reply().complete(Set.of(permit.id()));
        assertThat(lost).isCompletedWithValue(false);
        assertThat(losses).hasSize(1);
        assertThat(permit.refresh().toCompletableFuture()).isCompletedWithValue(false);
        assertThat(store.renewals).hasSize(3);
    }

    private HeldPermit take(SemaphoreSpec spec) {
        Admission admission = engine.semaphore(spec).admit("A#a");
        store.acquires.get(spec.name()).complete(new Granted(7, false));
        return admission.granted().toCompletableFuture().join().get(0);
    }

    private void renewed() {
        store.renewals.get(store.renewals.size() - 1).reply().complete(Set.of());
    }

    private void fail() {
        store.renewals.get(store.renewals.size() - 1).reply().completeExceptionally(ManualStore.lost());
    }
}
