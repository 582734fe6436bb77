package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.PermitGoneException;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.Attached;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.Reconnected;
import io.quarkiverse.redisbulkhead.runtime.store.local.LocalPermitStore;

/** Permits that one process detaches and another attaches. */
class DetachedPermitTest {

    private static final SemaphoreSpec SPEC = SemaphoreSpec.named("reports").permits(1).expire(Duration.ofSeconds(30)).build();

    final ManualTimers timers = new ManualTimers();
    final List<PermitLost> losses = new ArrayList<>();

    private SemaphoreEngine process(ManualStore store) {
        return new SemaphoreEngine(store, timers, new HolderIdentity("app", "host:1"), losses::add, true, null,
                new WaiterLimits(Integer.MAX_VALUE), () -> 0.5);
    }

    private static HeldPermit granted(ManualStore store, Admission admission) {
        store.acquires.get("reports").complete(new Granted(7, false));
        return admission.granted().toCompletableFuture().join().get(0);
    }

    private static Throwable failure(CompletionStage<?> stage) {
        assertThat(stage.toCompletableFuture()).isCompletedExceptionally();
        return Failures.cause(stage.handle((value, failure) -> failure).toCompletableFuture().join());
    }

    private static Optional<Attached> attached(Duration age) {
        return Optional.of(new Attached(9, age));
    }

    @Test
    void detachedPermitIsNotRenewedReleasedOrLost() {
        ManualStore store = new ManualStore();
        SemaphoreEngine engine = process(store);
        Admission admission = engine.semaphore(SPEC).admit("A#a");
        HeldPermit permit = granted(store, admission);
        CompletableFuture<String> token = permit.detach().toCompletableFuture();
        assertThat(permit.isHeld()).as("until the store has replied").isTrue();

        store.detaches.get(0).complete(true);

        assertThat(token).isCompletedWithValueMatching(text -> !text.contains(store.digests.get(0)));
        assertThat(permit.isHeld()).isFalse();
        admission.end();
        assertThat(permit.release().toCompletableFuture()).isCompletedWithValue(false);
        timers.advance(Duration.ofMinutes(2));
        engine.refuseAndRejectWaiters();
        assertThat(engine.releaseAll().toCompletableFuture()).isCompleted();
        assertThat(store.log).containsExactly("acquire reports", "detach reports");
        assertThat(losses).isEmpty();
        assertThat(failure(permit.detach())).isInstanceOf(PermitGoneException.class)
                .hasMessageContaining("cannot be detached, because it was released, detached or lost");
    }

    /**
     * A failover may have lost the detach: Redis then still lists the permit for this process, while the token may be in a
     * message.
     */
    @Test
    void reconciliationKeepsDetachedPermit() {
        ManualStore store = new ManualStore();
        SemaphoreEngine engine = process(store);
        Admission other = engine.semaphore(SPEC).admit("A#a");
        granted(store, other);
        other.end();
        store.replyToReleases(true);
        HeldPermit permit = granted(store, engine.semaphore(SPEC).admit("A#a"));
        permit.detach();
        store.detaches.get(0).complete(true);
        store.released.clear();

        store.listener.accept(new Reconnected());
        store.own.get(0).complete(Set.of(permit.id()));

        assertThat(store.released).isEmpty();
    }

    @Test
    void failedDetachKeepsPermit() {
        ManualStore store = new ManualStore();
        Admission admission = process(store).semaphore(SPEC).admit("A#a");
        HeldPermit permit = granted(store, admission);
        CompletionStage<String> lost = permit.detach();

        store.detaches.get(0).completeExceptionally(ManualStore.lost());

        assertThat(failure(lost)).isInstanceOf(BulkheadUnavailableException.class);
        assertThat(permit.isHeld()).isTrue();
        timers.advance(Duration.ofSeconds(11));
        assertThat(store.renewals).hasSize(1);
        CompletableFuture<String> again = permit.detach().toCompletableFuture();
        store.detaches.get(1).complete(true);
        assertThat(again).isCompleted();
        assertThat(store.digests).as("a retry sends the same digest").hasSize(2)
                .containsOnly(store.digests.get(0));
        admission.end();
    }

    /** No caller received the token. */
    @Test
    void permitThatIsTakenBackIsHeldAsBefore() {
        ManualStore store = new ManualStore();
        Admission admission = process(store).semaphore(SPEC).admit("A#a");
        HeldPermit permit = granted(store, admission);
        permit.detach();
        store.detaches.get(0).complete(true);

        permit.takeBack();

        assertThat(permit.isHeld()).isTrue();
        timers.advance(Duration.ofSeconds(11));
        assertThat(store.renewals).hasSize(1);
        CompletableFuture<String> again = permit.detach().toCompletableFuture();
        store.detaches.get(1).complete(true);
        assertThat(again).isCompleted();
        permit.takeBack();
        admission.end();
        assertThat(store.released).containsExactly(permit.id());
    }

    @Test
    void permitThatWasReleasedWhileDetachedIsReleasedWhenItIsTakenBack() {
        ManualStore store = new ManualStore();
        Admission admission = process(store).semaphore(SPEC).admit("A#a");
        HeldPermit permit = granted(store, admission);
        permit.detach();
        store.detaches.get(0).complete(true);
        admission.end();
        assertThat(store.released).isEmpty();

        permit.takeBack();

        assertThat(permit.isHeld()).isFalse();
        assertThat(store.released).containsExactly(permit.id());
    }

    @Test
    void detachOfUnknownPermitIsALoss() {
        ManualStore store = new ManualStore();
        Admission admission = process(store).semaphore(SPEC).admit("A#a");
        HeldPermit permit = granted(store, admission);
        CompletionStage<String> gone = permit.detach();

        store.detaches.get(0).complete(false);

        assertThat(failure(gone)).isInstanceOf(PermitGoneException.class);
        assertThat(losses).extracting(PermitLost::reason).containsExactly(PermitLost.Reason.GONE);
        admission.end();
    }

    @Test
    void releaseDuringDetachWins() {
        ManualStore store = new ManualStore();
        Admission admission = process(store).semaphore(SPEC).admit("A#a");
        HeldPermit permit = granted(store, admission);
        CompletionStage<String> token = permit.detach();
        admission.end();

        store.detaches.get(0).complete(true);

        assertThat(failure(token)).isInstanceOf(PermitGoneException.class);
        assertThat(store.released).containsExactly(permit.id());
    }

    /** The secret of the second detach would replace that of the first. */
    @Test
    void concurrentDetachIsRefused() {
        ManualStore store = new ManualStore();
        Admission admission = process(store).semaphore(SPEC).admit("A#a");
        HeldPermit permit = granted(store, admission);
        CompletableFuture<String> first = permit.detach().toCompletableFuture();

        assertThat(failure(permit.detach())).isInstanceOf(PermitGoneException.class)
                .hasMessageContaining("is being detached already");

        store.detaches.get(0).complete(true);
        assertThat(first).isCompleted();
        assertThat(store.digests).hasSize(1);
        admission.end();
    }

    /** Trap 4: this process forgets the permit, so the detach itself refuses copies of the request. */
    @Test
    void detachRefusesCopiesOfTheRequest() {
        ManualStore store = new ManualStore();
        Admission admission = process(store).semaphore(SPEC).admit("A#a");
        store.acquires.get("reports").complete(new Granted(7, true));

        admission.granted().toCompletableFuture().join().get(0).detach();
        store.detaches.get(0).complete(true);

        assertThat(store.log).containsExactly("acquire reports", "detach reports for good");
        admission.end();
    }

    @Test
    void localPermitsCannotBeDetached() {
        SemaphoreEngine local = new SemaphoreEngine(new LocalPermitStore(timers::nanoTime, 1_000), timers,
                new HolderIdentity("app", "host:1"), losses::add, false, new WaiterLimits(Integer.MAX_VALUE));
        Admission admission = local.semaphore(SPEC).admit("A#a");

        assertThat(failure(admission.granted().toCompletableFuture().join().get(0).detach()))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("granted without Redis");
        assertThat(failure(local.semaphore(SPEC).uncountedPermit().detach())).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("granted without Redis");
        admission.end();
    }

    /** A token as an application would receive it in a message. */
    private static String token() {
        return "abc-1." + "0".repeat(32);
    }

    @Test
    void attachedPermitIsRenewedAndReleased() {
        ManualStore store = new ManualStore();
        CompletableFuture<HeldPermit> attaching = process(store).semaphore(SPEC).attach(token(), "B#b").toCompletableFuture();
        assertThat(store.attachRequests.get(0).detachedId()).isEqualTo("abc-1");
        assertThat(store.attachRequests.get(0).digest()).doesNotContain("000000");

        store.attaches.get(0).complete(attached(Duration.ofSeconds(5)));

        HeldPermit permit = attaching.join();
        assertThat(permit.fencingToken()).isEqualTo(9);
        assertThat(permit.isHeld()).isTrue();
        timers.advance(Duration.ofSeconds(11));
        assertThat(store.renewals).hasSize(1);
        permit.release();
        assertThat(store.released).containsExactly(store.attachRequests.get(0).permit().permitId());
    }

    @Test
    void attachOfGonePermitFails() {
        ManualStore store = new ManualStore();
        CompletionStage<HeldPermit> attaching = process(store).semaphore(SPEC).attach(token(), "B#b");

        store.attaches.get(0).complete(Optional.empty());

        assertThat(failure(attaching)).isInstanceOf(PermitGoneException.class).hasMessage("The detached permit abc-1 is "
                + "no longer in bulkhead 'reports': its lease has ended, it was already attached, or it was revoked. "
                + "Attach it once, within one lease (PT30S), and to the bulkhead, key or lock from which it was "
                + "detached");
    }

    /** Both request the same new id, and the store would grant it to both. */
    @Test
    void onlyOneOfTwoAttachesInAProcessSucceeds() {
        ManualStore store = new ManualStore();
        Semaphore semaphore = process(store).semaphore(SPEC);
        CompletionStage<HeldPermit> first = semaphore.attach(token(), "B#b");

        assertThat(failure(semaphore.attach(token(), "B#c"))).as("in flight").isInstanceOf(PermitGoneException.class);
        store.attaches.get(0).complete(attached(Duration.ZERO));
        assertThat(failure(semaphore.attach(token(), "B#c"))).as("held").isInstanceOf(PermitGoneException.class);

        assertThat(first.toCompletableFuture()).isCompleted();
        assertThat(store.attachRequests).hasSize(1);
        first.toCompletableFuture().join().release();
    }

    /** Trap 4: the reply is lost and the caller retries, with the same request to the store. */
    @Test
    void attachRetryAfterLostReplyIsTheSameRequest() {
        ManualStore store = new ManualStore();
        SemaphoreEngine engine = process(store);
        CompletionStage<HeldPermit> lost = engine.semaphore(SPEC).attach(token(), "B#b");
        store.attaches.get(0).completeExceptionally(ManualStore.lost());
        assertThat(failure(lost)).isInstanceOf(BulkheadUnavailableException.class);

        CompletableFuture<HeldPermit> again = engine.semaphore(SPEC).attach(token(), "B#b").toCompletableFuture();
        store.attaches.get(1).complete(attached(Duration.ofSeconds(1)));

        assertThat(again).isCompleted();
        assertThat(store.attachRequests.get(1)).isEqualTo(store.attachRequests.get(0));
        assertThat(process(new ManualStore()).reconciler.attachedId(1, "a")).as("another process")
                .isNotEqualTo(engine.reconciler.attachedId(1, "a"));
        again.join().release();
    }

    /** Trap 47: a permit that a retry attached stays held, also after the lease of the first attempt. */
    @Test
    void reconciliationKeepsPermitAttachedByARetry() {
        ManualStore store = new ManualStore();
        SemaphoreEngine engine = process(store);
        Admission other = engine.semaphore(SPEC).admit("A#a");
        granted(store, other);
        other.end();
        store.replyToReleases(true);
        store.released.clear();
        engine.semaphore(SPEC).attach(token(), "B#b");
        store.attaches.get(0).completeExceptionally(ManualStore.lost());
        HeldPermit permit = retryAttach(store, engine);
        timers.advance(Duration.ofSeconds(20));
        store.renewals.get(0).reply().complete(Set.of());
        timers.advance(Duration.ofSeconds(9));
        Admission last = engine.semaphore(SPEC).admit("A#a");
        granted(store, last);
        last.end();
        store.replyToReleases(true);
        store.released.clear();
        timers.advance(Duration.ofSeconds(2));

        store.listener.accept(new Reconnected());
        store.own.get(0).complete(Set.of(permit.id()));

        assertThat(store.released).isEmpty();
        permit.release();
    }

    private HeldPermit retryAttach(ManualStore store, SemaphoreEngine engine) {
        CompletableFuture<HeldPermit> again = engine.semaphore(SPEC).attach(token(), "B#b").toCompletableFuture();
        store.attaches.get(1).complete(attached(Duration.ZERO));
        return again.join();
    }

    @Test
    void maxHoldCountsFromTheFirstGrant() {
        ManualStore store = new ManualStore();
        SemaphoreSpec bounded = SPEC.toBuilder().maxHold(Duration.ofSeconds(20)).build();
        CompletableFuture<HeldPermit> attaching = process(store).semaphore(bounded).attach(token(), "B#b")
                .toCompletableFuture();
        store.attaches.get(0).complete(attached(Duration.ofSeconds(15)));
        HeldPermit permit = attaching.join();
        assertThat(store.attachRequests.get(0).mostFromStart()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(21));

        timers.advance(Duration.ofMillis(4_999));
        assertThat(permit.isHeld()).isTrue();
        timers.advance(Duration.ofMillis(2));

        assertThat(permit.isHeld()).isFalse();
        assertThat(losses).extracting(PermitLost::reason).containsExactly(PermitLost.Reason.MAX_HOLD);
        permit.release();
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = { "", ".", "abc", "abc-1.0", "abc-1.0000000000000000000000000000000G",
            "a b.00000000000000000000000000000000" })
    void invalidTokenIsRefused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> process(new ManualStore()).semaphore(SPEC).attach(text, "B#b"))
                .withMessageStartingWith("token must be what Permit.detach() returned");
    }

    /** Tokens are secrets: exception messages and logs must not contain them. */
    @Test
    void refusedTokenIsNotInTheMessage() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> process(new ManualStore()).semaphore(SPEC).attach(token() + "0", "B#b"))
                .withMessageNotContaining("abc").withMessageContaining("39 characters");
        assertThat(DetachedPermit.parse(token()).toString()).doesNotContain("0000");
    }

    @Test
    void attachIsRefusedDuringShutdown() {
        ManualStore store = new ManualStore();
        SemaphoreEngine engine = process(store);
        engine.refuseAndRejectWaiters();

        assertThat(failure(engine.semaphore(SPEC).attach(token(), "B#b"))).isInstanceOf(BulkheadUnavailableException.class);
        assertThat(store.log).isEmpty();
    }
}
