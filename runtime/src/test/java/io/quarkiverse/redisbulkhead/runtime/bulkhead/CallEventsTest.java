package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Full;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Waiting;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.HandOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.HandedOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.PermitFree;
import io.quarkiverse.redisbulkhead.runtime.store.StoreContendedException;
import io.quarkiverse.redisbulkhead.runtime.store.local.LocalPermitStore;

/** The events that call listeners receive, and their order. */
class CallEventsTest {

    static final SemaphoreSpec SPEC = SemaphoreSpec.named("reports").permits(5).localPermits(1).build();
    static final SemaphoreSpec WAITING = SPEC.toBuilder().maxWait(Duration.ofSeconds(10)).build();

    final ManualStore store = new ManualStore();
    final ManualTimers timers = new ManualTimers();
    final Log log = new Log();
    SemaphoreEngine engine = engine(log);

    @Test
    void acceptedCallIsRequestedAcquiredAndReleased() {
        Admission admission = admit(SPEC);
        reply(new Granted(7, false));
        log.isExactly("call reports A#a", "requested", "acquired ACCEPTED 7");

        HeldPermit permit = granted(admission).join().get(0);
        assertThat(permit.fencingToken()).isEqualTo(7);
        assertThat(permit.isHeld()).isTrue();
        admission.end();
        admission.end();
        permit.release();
        log.isExactly("call reports A#a", "requested", "acquired ACCEPTED 7", "released");
        assertThat(store.log).as("released once").containsOnlyOnce("release reports");
    }

    @Test
    void releaseReportsForHowLongThePermitWasHeld() {
        Admission admission = admit(SPEC);
        reply(new Granted(7, false));
        timers.advance(Duration.ofSeconds(3));
        admission.end();
        assertThat(log.held).isEqualTo(Duration.ofSeconds(3));

        Admission uncounted = admit(SPEC.toBuilder().onOutage(OnOutage.ALLOW).build());
        fail(ManualStore.lost());
        timers.advance(Duration.ofSeconds(2));
        uncounted.end();
        assertThat(log.held).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void releasingThePermitEndsTheCall() {
        Admission admission = admit(SPEC);
        reply(new Granted(7, false));
        HeldPermit permit = granted(admission).join().get(0);

        CompletableFuture<Boolean> released = permit.release().toCompletableFuture();
        log.isExactly("call reports A#a", "requested", "acquired ACCEPTED 7", "released");
        store.replyToReleases(true);
        assertThat(released).isCompletedWithValue(true);
        permit.release();
        admission.end();
        log.isExactly("call reports A#a", "requested", "acquired ACCEPTED 7", "released");
    }

    @Test
    void permitFromHeldNowReportsItsRelease() {
        Admission admission = admit(SPEC);
        assertThat(admission.heldNow()).isEmpty();
        reply(new Granted(7, false));

        assertThat(admission.heldNow()).hasSize(1).isEqualTo(granted(admission).join());
        admission.heldNow().get(0).release();
        log.isExactly("call reports A#a", "requested", "acquired ACCEPTED 7", "released");
    }

    @Test
    void fullBulkheadRejectsCall() {
        Admission admission = admit(SPEC);
        reply(new Full(5, Duration.ofSeconds(3), false));
        admission.end();

        assertThat(rejection(admission)).isInstanceOf(BulkheadFullException.class);
        log.isExactly("call reports A#a", "requested", "rejected FULL");
    }

    @Test
    void skippedCallIsReportedAsSkippedAndKeepsTheRejection() {
        List<BulkheadFullException> skipped = new ArrayList<>();
        Admission admission = engine.semaphore(SPEC).whenFull(full -> new SkippedException(full, skipped::add)).admit("A#a");
        reply(new Full(5, Duration.ofSeconds(3), false));

        assertThat(rejection(admission)).isInstanceOfSatisfying(SkippedException.class, SkippedException::skip);
        assertThat(skipped).singleElement().satisfies(full -> assertThat(full.limit()).isEqualTo(5));
        log.isExactly("call reports A#a", "requested", "rejected SKIPPED");
    }

    /** Locks replace the exception. Applies also while the call waits for a local permit. */
    @Test
    void replacedRejectionIsReportedAsTimedOut() {
        SemaphoreSpec spec = WAITING.toBuilder().onOutage(OnOutage.LOCAL).build();
        Semaphore semaphore = engine.semaphore(spec).whenFull(full -> new IllegalStateException("taken", full));
        semaphore.admit("A#a");
        fail(ManualStore.lost());
        Admission second = semaphore.admit("A#b");
        fail(ManualStore.lost());
        timers.advance(spec.maxWait());

        assertThat(rejection(second)).isExactlyInstanceOf(IllegalStateException.class)
                .hasCauseExactlyInstanceOf(BulkheadFullException.class);
        assertThat(log.lines.get(log.lines.size() - 1)).isEqualTo("rejected TIMED_OUT");
    }

    @Test
    void waitingCallReportsWaitingBeforeAcquired() {
        Admission admission = admit(WAITING);
        log.isExactly("call reports A#a", "requested");
        replyWaiting();
        log.isExactly("call reports A#a", "requested", "waiting");
        handOver(9);
        admission.end();

        log.isExactly("call reports A#a", "requested", "waiting", "waited", "acquired ACCEPTED 9", "released");
    }

    /** Although it requests a permit several times, and continues to wait for a local permit. */
    @Test
    void waitingIsReportedOnce() {
        SemaphoreSpec spec = WAITING.toBuilder().onOutage(OnOutage.LOCAL).build();
        Admission holder = admit(spec);
        fail(ManualStore.lost());
        log.lines.clear();
        Admission admission = admit(spec);
        replyWaiting();
        store.listener.accept(new PermitFree(store.requests.get("reports").permitId()));
        replyWaiting();
        log.isExactly("call reports A#a", "requested", "waiting");
        timers.advance(Duration.ofSeconds(1));
        store.polls.get(0).reply().completeExceptionally(ManualStore.lost());
        assertThat(granted(admission)).isNotDone();
        timers.advance(Duration.ofSeconds(10));

        log.isExactly("call reports A#a", "requested", "waiting", "waited", "rejected TIMED_OUT");
        holder.end();
        admission.end();
    }

    /** The permit is released for the execution, which still runs. */
    @Test
    void shutdownLosesPermitsOfRunningExecutions() {
        Admission admission = admit(SPEC);
        reply(new Granted(7, false));
        engine.refuseAndRejectWaiters();
        engine.releaseAll();
        log.isExactly("call reports A#a", "requested", "acquired ACCEPTED 7", "lost STOPPED");

        admission.end();

        log.isExactly("call reports A#a", "requested", "acquired ACCEPTED 7", "lost STOPPED", "released");
    }

    @Test
    void timeoutIsReported() {
        Admission admission = admit(WAITING);
        replyWaiting();
        store.pollReply = null;
        timers.advance(Duration.ofSeconds(10));
        reply(new Waiting(5, Duration.ofSeconds(25), 0, 0, false));
        store.replyToReleases(false);
        admission.end();

        assertThat(rejection(admission)).isInstanceOf(BulkheadFullException.class);
        log.isExactly("call reports A#a", "requested", "waiting", "waited", "rejected TIMED_OUT");
    }

    @Test
    void contentionIsReported() {
        Admission admission = admit(SPEC);
        fail(new StoreContendedException("too many"));
        admission.end();

        log.isExactly("call reports A#a", "requested", "rejected CONTENDED");
    }

    @Test
    void outageAndShutdownAreReportedAsUnavailable() {
        admit(SPEC);
        fail(ManualStore.lost());
        engine.refuseAndRejectWaiters();
        admit(SPEC);

        log.isExactly("call reports A#a", "requested", "rejected UNAVAILABLE", "call reports A#a", "requested",
                "rejected UNAVAILABLE");
    }

    @Test
    void cancelledWhileWaiting() {
        Admission admission = admit(WAITING);
        replyWaiting();
        admission.end();
        store.replyToReleases(false);

        log.isExactly("call reports A#a", "requested", "waiting", "waited", "rejected CANCELLED");
    }

    /** The late reply does not matter. */
    @Test
    void cancelledBeforeTheReply() {
        admit(SPEC).end();
        reply(new Granted(7, false));
        store.replyToReleases(true);
        log.isExactly("call reports A#a", "requested", "rejected CANCELLED");

        admit(SPEC).end();
        reply(new Full(5, Duration.ofSeconds(3), false));
        log.isExactly("call reports A#a", "requested", "rejected CANCELLED", "call reports A#a", "requested",
                "rejected CANCELLED");
    }

    /** Both engines have the listener; only one of them reports. */
    @Test
    void localPermitsAreReportedAsBypassed() {
        SemaphoreSpec spec = SPEC.toBuilder().onOutage(OnOutage.LOCAL).build();
        Admission admission = admit(spec);
        fail(ManualStore.lost());
        admit(spec);
        fail(ManualStore.lost());
        admission.end();

        log.isExactly("call reports A#a", "requested", "acquired BYPASSED 0", "call reports A#a", "requested", "rejected FULL",
                "released");
    }

    @Test
    void allowedCallsAreReportedAsBypassed() {
        Admission admission = admit(SPEC.toBuilder().onOutage(OnOutage.ALLOW).build());
        fail(ManualStore.lost());
        admission.end();

        log.isExactly("call reports A#a", "requested", "acquired BYPASSED 0", "released");
    }

    @Test
    void disabledBulkheadReportsNothing() {
        engine.openSemaphore(SPEC).admit("A#a").end();

        log.isExactly();
    }

    /** Listeners are created on the caller's thread for all bulkheads; the second request starts when the first is granted. */
    @Test
    void chainReportsEachBulkhead() {
        Admission chain = new Executions().admit(List.of(engine.semaphore(SPEC), engine.semaphore(other())), "A#a",
                WaitsOn.NO_WORKER_THREAD);
        log.isExactly("call reports A#a", "call other A#a", "requested");
        reply(new Granted(7, false));
        log.isExactly("call reports A#a", "call other A#a", "requested", "acquired ACCEPTED 7", "requested");
        store.acquires.get("other").complete(new Full(5, Duration.ofSeconds(3), false));
        chain.end();

        log.isExactly("call reports A#a", "call other A#a", "requested", "acquired ACCEPTED 7", "requested", "rejected FULL",
                "released");
    }

    @Test
    void rejectedChainReportsNoLaterBulkhead() {
        Admission chain = new Executions().admit(List.of(engine.semaphore(SPEC), engine.semaphore(other())), "A#a",
                WaitsOn.NO_WORKER_THREAD);
        reply(new Full(5, Duration.ofSeconds(3), false));
        chain.end();

        log.isExactly("call reports A#a", "call other A#a", "requested", "rejected FULL");
    }

    @Test
    void failingListenerDoesNotAffectOthers() {
        Log second = new Log();
        engine = engine(new SemaphoreListeners(List.of(new Failing(), log, new Failing(), second)));
        Admission admission = admit(WAITING);
        replyWaiting();
        handOver(9);
        assertThat(granted(admission)).isCompleted();
        failRenewal();
        admission.end();

        log.isExactly("call reports A#a", "requested", "waiting", "waited", "acquired ACCEPTED 9", "1 not renewed: no answer",
                "released");
        second.isExactly(log.lines.toArray(String[]::new));
    }

    /** Trap 6. */
    @Test
    void failingListenerDoesNotStopRenewals() {
        engine = engine(new SemaphoreListeners(List.of(new Failing(), log)));
        admit(SPEC);
        reply(new Granted(7, false));
        failRenewal();
        failRenewal();

        log.isExactly("call reports A#a", "requested", "acquired ACCEPTED 7", "1 not renewed: no answer",
                "1 not renewed: no answer");
    }

    @Test
    void lossesAreReported() {
        Admission admission = admit(SPEC);
        reply(new Granted(7, false));
        timers.jump(Duration.ofSeconds(31));
        timers.advance(Duration.ZERO);
        admission.end();

        log.isExactly("call reports A#a", "requested", "acquired ACCEPTED 7", "lost LEASE_ENDED", "released");
    }

    /** Without call listeners, a call allocates no objects for events. */
    @Test
    void withoutCallListenersNothingIsAllocatedForEvents() {
        SemaphoreListener losses = loss -> {
        };
        assertThat(losses.onCall(BulkheadId.of("reports"), "A#a")).isSameAs(CallListener.NONE);
        assertThat(new SemaphoreListeners(List.of(losses, losses)).onCall(BulkheadId.of("reports"), "A#a"))
                .isSameAs(CallListener.NONE);
    }

    @Test
    void permitDelegatesToTheGrantedOne() {
        Admission admission = admit(engine.semaphore(SPEC).forKey("acme", OptionalInt.empty()));
        reply(new Granted(7, false));
        HeldPermit permit = granted(admission).join().get(0);

        assertThat(permit.id()).isEqualTo(store.requests.get("reports").permitId());
        assertThat(permit.bulkhead()).isEqualTo("reports");
        assertThat(permit.key()).contains("acme");
        assertThat(permit.interruption()).isEmpty();
        CompletableFuture<Boolean> refreshed = permit.refresh().toCompletableFuture();
        store.renewals.get(0).reply().complete(Set.of());
        assertThat(refreshed).isCompletedWithValue(true);
        admission.end();
    }

    private static SemaphoreSpec other() {
        return SemaphoreSpec.named("other").permits(1).build();
    }

    private SemaphoreEngine engine(SemaphoreListener listener) {
        HolderIdentity identity = new HolderIdentity("app", "host:1");
        return new SemaphoreEngine(store, timers, identity, listener, new SemaphoreEngine(
                new LocalPermitStore(timers::nanoTime, 1_000_000), timers, identity, listener, false,
                new WaiterLimits(Integer.MAX_VALUE)));
    }

    private Admission admit(SemaphoreSpec spec) {
        return admit(engine.semaphore(spec));
    }

    private static Admission admit(Semaphore semaphore) {
        return semaphore.admit("A#a");
    }

    private void reply(AcquireReply reply) {
        store.acquires.get("reports").complete(reply);
    }

    private void fail(Throwable failure) {
        store.acquires.get("reports").completeExceptionally(failure);
    }

    private void replyWaiting() {
        reply(new Waiting(5, Duration.ofSeconds(25), 0, 0, false));
    }

    private void handOver(long ticket) {
        store.listener.accept(new HandedOver(store.requests.get("reports").permitId(), new HandOver(ticket, 30_000)));
    }

    private void failRenewal() {
        int before = store.renewals.size();
        timers.advance(Duration.ofSeconds(11));
        store.renewals.get(before).reply().completeExceptionally(ManualStore.lost());
    }

    private static CompletableFuture<List<HeldPermit>> granted(Admission admission) {
        return admission.granted().toCompletableFuture();
    }

    private static Throwable rejection(Admission admission) {
        return granted(admission).handle((done, failure) -> Failures.cause(failure)).getNow(null);
    }

    /** Records the events. */
    static class Log implements SemaphoreListener {

        final List<String> lines = new ArrayList<>();
        Duration held;

        @Override
        public void lost(PermitLost loss) {
            lines.add("lost " + loss.reason());
        }

        @Override
        public CallListener onCall(BulkheadId bulkhead, String method) {
            lines.add("call " + bulkhead.name() + " " + method);
            return new CallListener() {

                @Override
                protected void onRequested() {
                    lines.add("requested");
                }

                @Override
                protected void onWaiting() {
                    lines.add("waiting");
                }

                @Override
                protected void onWaited() {
                    lines.add("waited");
                }

                @Override
                protected void onAcquired(CallResult result, long fencingToken) {
                    lines.add("acquired " + result + " " + fencingToken);
                }

                @Override
                protected void onRejected(CallResult result) {
                    lines.add("rejected " + result);
                }

                @Override
                protected void onReleased(long heldNanos) {
                    lines.add("released");
                    held = Duration.ofNanos(heldNanos);
                }
            };
        }

        @Override
        public void renewalFailed(BulkheadId bulkhead, int permits, Throwable failure) {
            lines.add(permits + " not renewed: " + failure.getMessage());
        }

        void isExactly(String... expected) {
            assertThat(lines).containsExactly(expected);
        }
    }

    /** Throws on each event. */
    static class Failing implements SemaphoreListener {

        @Override
        public void lost(PermitLost loss) {
            throw new IllegalStateException("lost");
        }

        @Override
        public CallListener onCall(BulkheadId bulkhead, String method) {
            return new CallListener() {

                @Override
                protected void onRequested() {
                    throw new IllegalStateException("requested");
                }

                @Override
                protected void onWaiting() {
                    throw new IllegalStateException("waiting");
                }

                @Override
                protected void onWaited() {
                    throw new IllegalStateException("waited");
                }

                @Override
                protected void onAcquired(CallResult result, long fencingToken) {
                    throw new NoSuchMethodError("acquired");
                }

                @Override
                protected void onRejected(CallResult result) {
                    throw new NoSuchMethodError("rejected");
                }

                @Override
                protected void onReleased(long heldNanos) {
                    throw new IllegalStateException("released");
                }
            };
        }

        @Override
        public void renewalFailed(BulkheadId bulkhead, int permits, Throwable failure) {
            throw new IllegalStateException("renewal failed");
        }
    }
}
