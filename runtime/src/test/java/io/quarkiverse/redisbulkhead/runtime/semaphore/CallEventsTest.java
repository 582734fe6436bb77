package io.quarkiverse.redisbulkhead.runtime.semaphore;

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

/** The events of calls that listeners receive, and their order. */
class CallEventsTest {

    static final SemaphoreSpec SPEC = SemaphoreSpec.named("reports").permits(5).localPermits(1).build();
    static final SemaphoreSpec WAITING = SPEC.toBuilder().maxWait(Duration.ofSeconds(10)).build();

    final ManualStore store = new ManualStore();
    final ManualTimers timers = new ManualTimers();
    final Log log = new Log();
    SemaphoreEngine engine = engine(log);

    @Test
    void accepted() {
        Admission admission = ask(SPEC);
        reply(new Granted(7, false));
        log.isExactly("asks reports A#a", "requested", "acquired ACCEPTED 7");

        HeldPermit permit = granted(admission).join().get(0);
        assertThat(permit.fencingToken()).isEqualTo(7);
        assertThat(permit.isHeld()).isTrue();
        admission.end();
        admission.end();
        permit.release();
        log.isExactly("asks reports A#a", "requested", "acquired ACCEPTED 7", "released");
        assertThat(store.log).as("released once").containsOnlyOnce("release reports");
    }

    @Test
    void theReleaseTellsForHowLongThePermitWasHeld() {
        Admission admission = ask(SPEC);
        reply(new Granted(7, false));
        timers.advance(Duration.ofSeconds(3));
        admission.end();
        assertThat(log.held).isEqualTo(Duration.ofSeconds(3));

        Admission uncounted = ask(SPEC.toBuilder().onOutage(OnOutage.ALLOW).build());
        fail(ManualStore.lost());
        timers.advance(Duration.ofSeconds(2));
        uncounted.end();
        assertThat(log.held).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void endsWithItsPermit() {
        Admission admission = ask(SPEC);
        reply(new Granted(7, false));
        HeldPermit permit = granted(admission).join().get(0);

        CompletableFuture<Boolean> released = permit.release().toCompletableFuture();
        log.isExactly("asks reports A#a", "requested", "acquired ACCEPTED 7", "released");
        store.answerReleases(true);
        assertThat(released).isCompletedWithValue(true);
        permit.release();
        admission.end();
        log.isExactly("asks reports A#a", "requested", "acquired ACCEPTED 7", "released");
    }

    @Test
    void thePermitThatIsHeldNowTellsItsEnd() {
        Admission admission = ask(SPEC);
        assertThat(admission.heldNow()).isEmpty();
        reply(new Granted(7, false));

        assertThat(admission.heldNow()).hasSize(1).isEqualTo(granted(admission).join());
        admission.heldNow().get(0).release();
        log.isExactly("asks reports A#a", "requested", "acquired ACCEPTED 7", "released");
    }

    @Test
    void full() {
        Admission admission = ask(SPEC);
        reply(new Full(5, Duration.ofSeconds(3), false));
        admission.end();

        assertThat(rejection(admission)).isInstanceOf(BulkheadFullException.class);
        log.isExactly("asks reports A#a", "requested", "rejected FULL");
    }

    @Test
    void aSkippedCallCountsAsSkippedAndEndsWithWhatItWouldHaveFailedWith() {
        List<BulkheadFullException> skipped = new ArrayList<>();
        Admission admission = engine.semaphore(SPEC).whenFull(full -> new SkippedException(full, skipped::add)).admit("A#a");
        reply(new Full(5, Duration.ofSeconds(3), false));

        assertThat(rejection(admission)).isInstanceOfSatisfying(SkippedException.class, SkippedException::skip);
        assertThat(skipped).singleElement().satisfies(full -> assertThat(full.limit()).isEqualTo(5));
        log.isExactly("asks reports A#a", "requested", "rejected SKIPPED");
    }

    /** As for a lock; also where the rest of the wait is for a permit of this process. */
    @Test
    void anotherExceptionWhenFullCountsAsFull() {
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
    void waitsForItsPermit() {
        Admission admission = ask(WAITING);
        log.isExactly("asks reports A#a", "requested");
        waitInStore();
        log.isExactly("asks reports A#a", "requested", "waiting");
        handOver(9);
        admission.end();

        log.isExactly("asks reports A#a", "requested", "waiting", "waited", "acquired ACCEPTED 9", "released");
    }

    /** However often it looks for a permit, and also when the wait goes on for a permit of this process. */
    @Test
    void startsToWaitOnce() {
        SemaphoreSpec spec = WAITING.toBuilder().onOutage(OnOutage.LOCAL).build();
        Admission holder = ask(spec);
        fail(ManualStore.lost());
        log.lines.clear();
        Admission admission = ask(spec);
        waitInStore();
        store.listener.accept(new PermitFree(store.requests.get("reports").permitId()));
        waitInStore();
        log.isExactly("asks reports A#a", "requested", "waiting");
        timers.advance(Duration.ofSeconds(1));
        store.polls.get(0).reply().completeExceptionally(ManualStore.lost());
        assertThat(granted(admission)).isNotDone();
        timers.advance(Duration.ofSeconds(10));

        log.isExactly("asks reports A#a", "requested", "waiting", "waited", "rejected TIMED_OUT");
        holder.end();
        admission.end();
    }

    /** The permit is released for the execution, which still runs. */
    @Test
    void aShutdownEndsNoExecution() {
        Admission admission = ask(SPEC);
        reply(new Granted(7, false));
        engine.refuseAndRejectWaiters();
        engine.releaseAll();
        log.isExactly("asks reports A#a", "requested", "acquired ACCEPTED 7", "lost STOPPED");

        admission.end();

        log.isExactly("asks reports A#a", "requested", "acquired ACCEPTED 7", "lost STOPPED", "released");
    }

    @Test
    void timedOut() {
        Admission admission = ask(WAITING);
        waitInStore();
        store.answerPolls = null;
        timers.advance(Duration.ofSeconds(10));
        reply(new Waiting(5, Duration.ofSeconds(25), 0, 0, false));
        store.answerReleases(false);
        admission.end();

        assertThat(rejection(admission)).isInstanceOf(BulkheadFullException.class);
        log.isExactly("asks reports A#a", "requested", "waiting", "waited", "rejected TIMED_OUT");
    }

    @Test
    void contended() {
        Admission admission = ask(SPEC);
        fail(new StoreContendedException("too many"));
        admission.end();

        log.isExactly("asks reports A#a", "requested", "rejected CONTENDED");
    }

    @Test
    void unavailable() {
        ask(SPEC);
        fail(ManualStore.lost());
        engine.refuseAndRejectWaiters();
        ask(SPEC);

        log.isExactly("asks reports A#a", "requested", "rejected UNAVAILABLE", "asks reports A#a", "requested",
                "rejected UNAVAILABLE");
    }

    @Test
    void cancelledWhileItWaits() {
        Admission admission = ask(WAITING);
        waitInStore();
        admission.end();
        store.answerReleases(false);

        log.isExactly("asks reports A#a", "requested", "waiting", "waited", "rejected CANCELLED");
    }

    /** Whatever the late reply is. */
    @Test
    void cancelledBeforeTheAnswer() {
        ask(SPEC).end();
        reply(new Granted(7, false));
        store.answerReleases(true);
        log.isExactly("asks reports A#a", "requested", "rejected CANCELLED");

        ask(SPEC).end();
        reply(new Full(5, Duration.ofSeconds(3), false));
        log.isExactly("asks reports A#a", "requested", "rejected CANCELLED", "asks reports A#a", "requested",
                "rejected CANCELLED");
    }

    /** Both engines have the listener, and one of them tells. */
    @Test
    void bypassedByTheLocalLimit() {
        SemaphoreSpec spec = SPEC.toBuilder().onOutage(OnOutage.LOCAL).build();
        Admission admission = ask(spec);
        fail(ManualStore.lost());
        ask(spec);
        fail(ManualStore.lost());
        admission.end();

        log.isExactly("asks reports A#a", "requested", "acquired BYPASSED 0", "asks reports A#a", "requested", "rejected FULL",
                "released");
    }

    @Test
    void bypassedWithoutALimit() {
        Admission admission = ask(SPEC.toBuilder().onOutage(OnOutage.ALLOW).build());
        fail(ManualStore.lost());
        admission.end();

        log.isExactly("asks reports A#a", "requested", "acquired BYPASSED 0", "released");
    }

    @Test
    void switchedOff() {
        engine.openSemaphore(SPEC).admit("A#a").end();

        log.isExactly();
    }

    /** The caller's thread is asked about all of them; that the second one begins is up to the store. */
    @Test
    void severalBulkheads() {
        Admission chain = new Executions().admit(List.of(engine.semaphore(SPEC), engine.semaphore(other())), "A#a",
                WaitsOn.NO_WORKER_THREAD);
        log.isExactly("asks reports A#a", "asks other A#a", "requested");
        reply(new Granted(7, false));
        log.isExactly("asks reports A#a", "asks other A#a", "requested", "acquired ACCEPTED 7", "requested");
        store.acquires.get("other").complete(new Full(5, Duration.ofSeconds(3), false));
        chain.end();

        log.isExactly("asks reports A#a", "asks other A#a", "requested", "acquired ACCEPTED 7", "requested", "rejected FULL",
                "released");
    }

    @Test
    void theFirstOfSeveralRejects() {
        Admission chain = new Executions().admit(List.of(engine.semaphore(SPEC), engine.semaphore(other())), "A#a",
                WaitsOn.NO_WORKER_THREAD);
        reply(new Full(5, Duration.ofSeconds(3), false));
        chain.end();

        log.isExactly("asks reports A#a", "asks other A#a", "requested", "rejected FULL");
    }

    @Test
    void oneListenerThatFailsDoesNotAffectOthers() {
        Log second = new Log();
        engine = engine(new SemaphoreListeners(List.of(new Failing(), log, new Failing(), second)));
        Admission admission = ask(WAITING);
        waitInStore();
        handOver(9);
        assertThat(granted(admission)).isCompleted();
        failedRenewal();
        admission.end();

        log.isExactly("asks reports A#a", "requested", "waiting", "waited", "acquired ACCEPTED 9", "1 not renewed: no answer",
                "released");
        second.isExactly(log.lines.toArray(String[]::new));
    }

    /** Trap 6: and neither hurts the renewals. */
    @Test
    void renewalsGoOnThoughTheListenerFails() {
        engine = engine(new SemaphoreListeners(List.of(new Failing(), log)));
        ask(SPEC);
        reply(new Granted(7, false));
        failedRenewal();
        failedRenewal();

        log.isExactly("asks reports A#a", "requested", "acquired ACCEPTED 7", "1 not renewed: no answer",
                "1 not renewed: no answer");
    }

    @Test
    void lossesAreTold() {
        Admission admission = ask(SPEC);
        reply(new Granted(7, false));
        timers.jump(Duration.ofSeconds(31));
        timers.advance(Duration.ZERO);
        admission.end();

        log.isExactly("asks reports A#a", "requested", "acquired ACCEPTED 7", "lost LEASE_ENDED", "released");
    }

    /** A listener that is interested in no call costs a call nothing: there is no object that would pass events on. */
    @Test
    void withoutAListenerOfCallsNothingIsAllocatedForEvents() {
        SemaphoreListener losses = loss -> {
        };
        assertThat(losses.onCall(BulkheadId.of("reports"), "A#a")).isSameAs(CallListener.NONE);
        assertThat(new SemaphoreListeners(List.of(losses, losses)).onCall(BulkheadId.of("reports"), "A#a"))
                .isSameAs(CallListener.NONE);
    }

    @Test
    void thePermitIsTheOneBehindIt() {
        Admission admission = ask(engine.semaphore(SPEC).forKey("acme", OptionalInt.empty()));
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

    private Admission ask(SemaphoreSpec spec) {
        return ask(engine.semaphore(spec));
    }

    private static Admission ask(Semaphore semaphore) {
        return semaphore.admit("A#a");
    }

    private void reply(AcquireReply reply) {
        store.acquires.get("reports").complete(reply);
    }

    private void fail(Throwable failure) {
        store.acquires.get("reports").completeExceptionally(failure);
    }

    private void waitInStore() {
        reply(new Waiting(5, Duration.ofSeconds(25), 0, 0, false));
    }

    private void handOver(long ticket) {
        store.listener.accept(new HandedOver(store.requests.get("reports").permitId(), new HandOver(ticket, 30_000)));
    }

    private void failedRenewal() {
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

    /** Writes down what it is told. */
    static class Log implements SemaphoreListener {

        final List<String> lines = new ArrayList<>();
        Duration held;

        @Override
        public void lost(PermitLost loss) {
            lines.add("lost " + loss.reason());
        }

        @Override
        public CallListener onCall(BulkheadId bulkhead, String method) {
            lines.add("asks " + bulkhead.name() + " " + method);
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

    /** Throws whatever it is told. */
    static class Failing implements SemaphoreListener {

        @Override
        public void lost(PermitLost loss) {
            throw new IllegalStateException("told of a loss");
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
            throw new IllegalStateException("told of a failed renewal");
        }
    }
}
