package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Cancelled;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Full;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.local.LocalPermitStore;

class PermitRequestTest {

    final ManualStore store = new ManualStore();
    final ManualTimers timers = new ManualTimers();
    final List<PermitLost> losses = new ArrayList<>();
    final SemaphoreEngine engine = new SemaphoreEngine(store, timers, new HolderIdentity("app", "host:1"), losses::add, true,
            new WaiterLimits(Integer.MAX_VALUE));
    final PermitReturns returns = engine.returns;

    @Test
    void endDoesNotAwaitTheRelease() {
        Admission admission = semaphore("a").admit("A#a");
        store.acquires.get("a").complete(new Granted(7, false));

        assertThat(admission.end().toCompletableFuture()).isCompleted();

        assertThat(store.log).containsExactly("acquire a", "release a");
        assertThat(losses).isEmpty();
        store.releases.get("a").complete(false);
        assertThat(losses).as("loss reported by the reply").hasSize(1)
                .allMatch(loss -> loss.reason() == PermitLost.Reason.GONE);
    }

    @Test
    void permitIsGrantedAndReleasedOnce() {
        Admission admission = awaiting("a").admit("A#a");
        assertThat(granted(admission)).isNotDone();
        store.acquires.get("a").complete(new Granted(7, false));
        assertThat(granted(admission)).isCompleted();

        CompletableFuture<Void> ended = admission.end().toCompletableFuture();
        admission.end();

        assertThat(ended).isNotDone();
        store.releases.get("a").complete(true);
        assertThat(ended).isCompleted();
        assertThat(store.log).containsExactly("acquire a", "release a");
    }

    /** Trap 3: closing the connection first would leave the permit taken until its lease expires. */
    @Test
    void shutdownAwaitsReleasesInFlight() {
        Admission admission = semaphore("a").admit("A#a");
        store.acquires.get("a").complete(new Granted(7, false));
        admission.end();

        engine.refuseAndRejectWaiters();
        CompletableFuture<Void> allReleased = engine.releaseAll().toCompletableFuture();

        assertThat(allReleased).isNotDone();
        store.releases.get("a").complete(true);
        assertThat(allReleased).isCompleted();
        assertThat(store.log).containsExactly("acquire a", "release a");
    }

    /** Trap 3: the reply arrives after the shutdown has started. */
    @Test
    void shutdownReleasesPermitsGrantedLate() {
        semaphore("a").admit("A#a");

        engine.refuseAndRejectWaiters();
        CompletableFuture<Void> allReleased = engine.releaseAll().toCompletableFuture();
        store.acquires.get("a").complete(new Granted(7, false));

        assertThat(store.log).containsExactly("acquire a", "release a");
        assertThat(allReleased).isNotDone();
        store.releases.get("a").complete(true);
        assertThat(allReleased).isCompleted();
    }

    /** Trap 24: one attempt. */
    @Test
    void rejectionHasLimitAndNearestLeaseEnd() {
        Admission admission = semaphore("a").admit("A#a");
        store.acquires.get("a").complete(new Full(5, Duration.ofSeconds(3), false));

        assertThat(granted(admission)).isCompletedExceptionally();
        assertThat(rejection(admission)).isInstanceOfSatisfying(BulkheadFullException.class, e -> {
            assertThat(e.name()).isEqualTo("a");
            assertThat(e.limit()).isEqualTo(5);
            assertThat(e.nearestLeaseEnd()).isEqualTo(Duration.ofSeconds(3));
        });
        assertThat(admission.end().toCompletableFuture()).isCompleted();
        assertThat(store.log).containsExactly("acquire a");
    }

    /** Trap 4, Trap 29: no caller has the permit, so it is released in the background. */
    @Test
    void permitOfLostReplyIsReclaimed() {
        store.down = true;
        Admission admission = semaphore("a").admit("A#a");
        store.acquires.get("a").completeExceptionally(ManualStore.lost());

        assertThat(rejection(admission)).isInstanceOf(BulkheadUnavailableException.class)
                .hasMessageContaining("'a'").hasMessageContaining("no answer");
        assertThat(returns.pending()).isEqualTo(1);
        store.down = false;
        timers.advance(Duration.ofSeconds(1));
        assertThat(store.cancelled).hasSize(1);
        assertThat(returns.pending()).isZero();
    }

    /** Trap 4: the permit is cancelled before the end completes. */
    @Test
    void permitOfLostReplyIsReclaimedBeforeTheEndCompletes() {
        Admission admission = awaiting("a").admit("A#a");
        CompletableFuture<List<String>> cancelledAtTheEnd = admission.end().toCompletableFuture()
                .thenApply(done -> List.copyOf(store.log));

        store.acquires.get("a").completeExceptionally(ManualStore.lost());

        assertThat(cancelledAtTheEnd).isCompletedWithValue(List.of("acquire a", "cancel a 1"));
    }

    /** Trap 4: the request was sent twice; the cancellation also refuses the copy that may still arrive. */
    @Test
    void permitOfRetriedRequestIsCancelledAtTheEnd() {
        Admission admission = semaphore("a").admit("A#a");
        store.acquires.get("a").complete(new Granted(7, true));

        assertThat(admission.end().toCompletableFuture()).isCompleted();
        assertThat(store.log).containsExactly("acquire a", "cancel a 1");
    }

    @Test
    void rejectionOfRetriedRequestIsReclaimed() {
        Admission admission = semaphore("a").admit("A#a");
        store.acquires.get("a").complete(new Full(5, Duration.ofSeconds(3), true));

        assertThat(rejection(admission)).isInstanceOf(BulkheadFullException.class);
        assertThat(store.log).containsExactly("acquire a", "cancel a 1");
    }

    @Test
    void definiteFailureIsNotReclaimed() {
        Admission admission = semaphore("a").admit("A#a");
        store.acquires.get("a").completeExceptionally(new StoreException("refused", false, null));

        assertThat(rejection(admission)).isInstanceOf(BulkheadUnavailableException.class);
        assertThat(store.log).containsExactly("acquire a");
    }

    @Test
    void cancelledRequestIsRejected() {
        Admission admission = semaphore("a").admit("A#a");
        store.acquires.get("a").complete(new Cancelled());

        assertThat(rejection(admission)).isInstanceOf(BulkheadUnavailableException.class);
    }

    /** Trap 9, Trap 29: the call ends before the reply; the permit is released when the reply arrives. */
    @Test
    void permitGrantedAfterTheEndIsReleased() {
        Admission admission = awaiting("a").admit("A#a");
        CompletableFuture<Void> ended = admission.end().toCompletableFuture();
        granted(admission).cancel(true);
        assertThat(store.log).containsExactly("acquire a");

        store.acquires.get("a").complete(new Granted(7, false));

        assertThat(store.log).containsExactly("acquire a", "release a");
        assertThat(ended).isNotDone();
        store.releases.get("a").complete(true);
        assertThat(ended).isCompleted();
    }

    /** Trap 16: a failed release is retried in the background and does not fail the caller. */
    @Test
    void failedReleaseIsRetriedAndNotReported() {
        Admission admission = awaiting("a").admit("A#a");
        store.acquires.get("a").complete(new Granted(7, false));
        CompletableFuture<Void> ended = admission.end().toCompletableFuture();

        store.releases.get("a").completeExceptionally(ManualStore.lost());

        assertThat(ended).isCompleted();
        assertThat(store.cancelled).hasSize(1);
    }

    @Test
    void chainAcquiresInOrderAndReleasesInReverse() {
        Admission chain = chain("a", "b", "c");
        assertThat(store.log).containsExactly("acquire a");
        grant("a");
        grant("b");
        assertThat(granted(chain)).isNotDone();
        grant("c");
        assertThat(granted(chain)).isCompleted();

        chain.end();

        assertThat(store.log).containsExactly("acquire a", "acquire b", "acquire c", "release c", "release b", "release a");
    }

    /** Trap 18: the earlier permits are released before the caller sees the rejection. */
    @Test
    void rejectedChainReleasesBeforeTheRejection() {
        Admission chain = chain("a", "b", "c");
        CompletableFuture<List<String>> logAtRejection = granted(chain).handle((none, rejection) -> List.copyOf(store.log));
        grant("a");
        grant("b");
        store.acquires.get("c").complete(new Full(5, Duration.ofSeconds(3), false));

        assertThat(logAtRejection.getNow(List.of())).endsWith("release b", "release a");
        assertThat(rejection(chain)).isInstanceOf(BulkheadFullException.class);
    }

    /** Trap 18: with await-release, the earlier permits are free before the caller sees the rejection. */
    @Test
    void rejectedChainCanAwaitTheReleases() {
        Admission chain = new Executions().admit(List.of(awaiting("a"), awaiting("b"), awaiting("c")), "A#a",
                WaitsOn.NO_WORKER_THREAD);
        grant("a");
        grant("b");
        store.acquires.get("c").complete(new Full(5, Duration.ofSeconds(3), false));

        store.releases.get("b").complete(true);
        assertThat(granted(chain)).isNotDone();
        store.releases.get("a").complete(true);
        assertThat(rejection(chain)).isInstanceOfSatisfying(BulkheadFullException.class,
                e -> assertThat(e.name()).isEqualTo("c"));
    }

    @Test
    void chainIsHeldNowAfterTheLastGrant() {
        Admission chain = chain("a", "b");
        assertThat(chain.heldNow()).isEmpty();
        grant("a");
        assertThat(chain.heldNow()).isEmpty();
        grant("b");

        assertThat(chain.heldNow()).hasSize(2).isEqualTo(granted(chain).join());
    }

    @Test
    void disabledBulkheadIsHeldNow() {
        Admission admission = engine.openSemaphore(SemaphoreSpec.named("a").permits(5).build()).admit("A#a");

        assertThat(admission.heldNow()).hasSize(1).isEqualTo(granted(admission).join());
    }

    @Test
    void endedChainAcquiresNoMorePermits() {
        Admission chain = chain("a", "b");
        chain.end();
        grant("a");

        assertThat(store.log).containsExactly("acquire a", "release a");
        assertThat(rejection(chain)).isInstanceOf(CancellationException.class);
    }

    @Test
    void statusAndHoldersFailDuringAnOutage() {
        assertThat(semaphore("a").status().toCompletableFuture()).isCompletedExceptionally();
        assertThat(semaphore("a").holders().exceptionally(e -> {
            assertThat(Failures.cause(e)).isInstanceOf(BulkheadUnavailableException.class);
            return null;
        }).toCompletableFuture()).isCompletedWithValue(null);
    }

    @Test
    void idsAreUnique() {
        PermitReconciler other = new PermitReconciler(store, timers);
        PermitReconciler local = new PermitReconciler(new LocalPermitStore(timers::nanoTime, 0), timers);
        assertThat(Stream.of(engine.reconciler, other, local).flatMap(ids -> Stream.of(1, 1, 100).map(ids::newId)))
                .doesNotHaveDuplicates().allMatch(id -> id.matches("(\\*100\\*)?[a-z0-9]+-[a-z0-9]+"));
    }

    private void grant(String bulkhead) {
        store.acquires.get(bulkhead).complete(new Granted(1, false));
    }

    private Admission chain(String... names) {
        return new Executions().admit(List.of(names).stream().map(this::semaphore).toList(), "A#a", WaitsOn.NO_WORKER_THREAD);
    }

    private Semaphore semaphore(String name) {
        return engine.semaphore(SemaphoreSpec.named(name).permits(5).build());
    }

    private Semaphore awaiting(String name) {
        return engine.semaphore(SemaphoreSpec.named(name).permits(5).awaitRelease(true).build());
    }

    private static CompletableFuture<List<HeldPermit>> granted(Admission admission) {
        return admission.granted().toCompletableFuture();
    }

    private static Throwable rejection(Admission admission) {
        return granted(admission).handle((done, failure) -> Failures.cause(failure)).getNow(null);
    }
}
