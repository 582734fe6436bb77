package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException.SkippedException;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits.WaitsOn;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;

/** The events that call listeners receive, and their order. */
class CallEventsTest extends TwoInstances {

    static final SemaphoreSpec SPEC = SemaphoreSpec.named("work").permits(5).localPermits(1).build();
    static final SemaphoreSpec WAITING = SPEC.toBuilder().maxWait(Duration.ofSeconds(10)).build();

    final Log log = new Log();

    CallEventsTest() {
        one.events = log;
    }

    private Admission admit(SemaphoreSpec spec) {
        return semaphore(one, spec).admit("A#a");
    }

    /** Calls of the other instance hold all permits. */
    private Admission takeAll() {
        Admission all = semaphore(two, SPEC.toBuilder().weight(5).keepIdle(Duration.ZERO).build()).admit("B#b");
        held(all);
        return all;
    }

    @Test
    void acceptedCallIsRequestedAcquiredAndReleased() {
        Admission admission = admit(SPEC);
        HeldPermit permit = held(admission);
        log.isExactly("call work A#a", "requested", "acquired ACCEPTED");
        assertThat(log.token).isPositive().isEqualTo(permit.fencingToken());

        advance(Duration.ofSeconds(3));
        admission.end();
        admission.end();
        permit.release();

        log.isExactly("call work A#a", "requested", "acquired ACCEPTED", "released");
        assertThat(log.held).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void releasingThePermitEndsTheCall() {
        for (SemaphoreSpec spec : List.of(SPEC, WAITING)) {
            log.lines.clear();
            Admission admission = admit(spec);
            HeldPermit permit = held(admission);
            assertThat(permit).isEqualTo(admission.granted().toCompletableFuture().join().get(0));

            assertThat(permit.release().toCompletableFuture()).isCompletedWithValue(true);
            permit.release();
            admission.end();

            log.isExactly("call work A#a", "requested", "acquired ACCEPTED", "released");
        }
    }

    /** The 50 ms for the answer to a recall are no wait. */
    @Test
    void callThatDoesNotWaitIsNotReportedAsWaiting() {
        semaphore(two, SPEC.toBuilder().weight(5).build()).admit("B#b").end();
        two.pause();
        Admission admission = admit(SPEC);
        waits(admission);
        advance(Duration.ofMillis(60));

        assertThat(rejection(admission)).isInstanceOf(BulkheadFullException.class);
        log.isExactly("call work A#a", "requested", "rejected FULL");
    }

    @Test
    void skippedCallIsReportedAsSkippedAndKeepsTheRejection() {
        takeAll();
        List<BulkheadFullException> skipped = new ArrayList<>();
        Admission admission = semaphore(one, SPEC).whenFull(full -> new SkippedException(full, skipped::add)).admit("A#a");

        assertThat(rejection(admission)).isInstanceOfSatisfying(SkippedException.class, SkippedException::skip);
        assertThat(skipped).singleElement().satisfies(full -> assertThat(full.limit()).isEqualTo(5));
        log.isExactly("call work A#a", "requested", "rejected SKIPPED");
    }

    /** Locks replace the exception. Applies also while the call waits for a local permit. */
    @Test
    void replacedRejectionIsReportedAsTimedOut() {
        SemaphoreSpec spec = WAITING.toBuilder().onOutage(OnOutage.LOCAL).build();
        Semaphore semaphore = semaphore(one, spec).whenFull(full -> new IllegalStateException("taken", full));
        one.refusal = away();
        held(semaphore.admit("A#a"));
        Admission second = semaphore.admit("A#b");
        advance(spec.maxWait());
        advance(Duration.ofMillis(1));

        assertThat(rejection(second)).isExactlyInstanceOf(IllegalStateException.class)
                .hasCauseExactlyInstanceOf(BulkheadFullException.class);
        assertThat(log.lines).last().isEqualTo("rejected TIMED_OUT");
    }

    /** Although it states its need several times, and continues to wait for a local permit. */
    @Test
    void waitingIsReportedOnce() {
        takeAll();
        SemaphoreSpec spec = WAITING.toBuilder().onOutage(OnOutage.LOCAL).build();
        Admission admission = admit(spec);
        advance(Duration.ofSeconds(3));
        log.isExactly("call work A#a", "requested", "waiting");
        one.refusal = away();
        one.engine.availabilityChanged();
        held(admission);
        Admission second = admit(spec);
        waits(second);
        advance(Duration.ofSeconds(11));

        log.isExactly("call work A#a", "requested", "waiting", "acquired BYPASSED", "call work A#a", "requested",
                "waiting", "rejected TIMED_OUT");
    }

    /** The permit is released for the execution, which still runs. */
    @Test
    void shutdownLosesPermitsOfRunningExecutions() {
        Admission admission = admit(SPEC);
        one.engine.refuseAndRejectWaiters();
        one.engine.releaseAll();
        log.isExactly("call work A#a", "requested", "acquired ACCEPTED", "lost STOPPED");

        admission.end();

        log.isExactly("call work A#a", "requested", "acquired ACCEPTED", "lost STOPPED", "released");
    }

    @Test
    void contentionIsReported() {
        one.refusal = new StoreException(Kind.CONTENDED, "too many");
        admit(SPEC).end();

        log.isExactly("call work A#a", "requested", "rejected CONTENDED");
    }

    @Test
    void outageAndShutdownAreReportedAsUnavailable() {
        one.refusal = away();
        admit(SPEC);
        one.engine.refuseAndRejectWaiters();
        admit(SPEC);

        log.isExactly("call work A#a", "requested", "rejected UNAVAILABLE", "call work A#a", "requested",
                "rejected UNAVAILABLE");
    }

    /** The late reply does not matter. */
    @Test
    void cancelledBeforeTheReply() {
        slowly(1_000);
        admit(SPEC).end();
        log.isExactly("call work A#a", "requested", "rejected CANCELLED");

        advance(Duration.ofSeconds(1));

        log.isExactly("call work A#a", "requested", "rejected CANCELLED");
    }

    /** Both engines have the listener; only one of them reports. */
    @Test
    void localPermitsAreReportedAsBypassed() {
        SemaphoreSpec spec = SPEC.toBuilder().onOutage(OnOutage.LOCAL).build();
        one.refusal = away();
        Admission admission = admit(spec);
        admit(spec);
        admission.end();

        log.isExactly("call work A#a", "requested", "acquired BYPASSED", "call work A#a", "requested", "rejected FULL",
                "released");
        assertThat(log.token).isZero();
    }

    @Test
    void allowedCallsAreReportedAsBypassed() {
        one.refusal = away();
        Admission admission = admit(SPEC.toBuilder().onOutage(OnOutage.ALLOW).build());
        assertThat(held(admission).id()).isEmpty();
        advance(Duration.ofSeconds(2));
        admission.end();

        log.isExactly("call work A#a", "requested", "acquired BYPASSED", "released");
        assertThat(log.held).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void disabledBulkheadReportsNothing() {
        Admission admission = new Semaphore(one.engine, SPEC, false).admit("A#a");
        assertThat(held(admission)).isEqualTo(admission.granted().toCompletableFuture().join().get(0));
        admission.end();

        log.isExactly();
        assertThat(one.statements).isZero();
    }

    /** Listeners are created on the caller's thread for all bulkheads; the second request starts when the first is granted. */
    @Test
    void chainReportsEachBulkhead() {
        slowly(1_000);
        held(semaphore(two, other()).admit("B#b"), Duration.ofMillis(5));
        Admission chain = chain();
        log.isExactly("call work A#a", "call other A#a", "requested");
        advance(Duration.ofMillis(2));
        log.isExactly("call work A#a", "call other A#a", "requested", "acquired ACCEPTED", "requested");
        advance(Duration.ofMillis(2));
        chain.end();

        log.isExactly("call work A#a", "call other A#a", "requested", "acquired ACCEPTED", "requested", "rejected FULL",
                "released");
    }

    private void held(Admission admission, Duration after) {
        advance(after);
        held(admission);
    }

    @Test
    void rejectedChainReportsNoLaterBulkhead() {
        takeAll();
        chain().end();

        log.isExactly("call work A#a", "call other A#a", "requested", "rejected FULL");
    }

    private Admission chain() {
        return new Executions().admit(List.of(semaphore(one, SPEC), semaphore(one, other())), "A#a",
                WaitsOn.NO_WORKER_THREAD);
    }

    private static SemaphoreSpec other() {
        return SemaphoreSpec.named("other").permits(1).build();
    }

    /** Trap 6: also not the renewals. */
    @Test
    void failingListenerDoesNotAffectOthers() {
        Log second = new Log();
        one.events = failing(SemaphoreListener.class);
        List.of(log, failing(SemaphoreListener.class), second).forEach(one.engine::listen);
        Admission holder = takeAll();
        Admission admission = admit(WAITING);
        holder.end();
        HeldPermit permit = held(admission);
        // Until the hand-over is confirmed.
        advance(Duration.ofMillis(20));
        one.refusal = away();
        advance(Duration.ofSeconds(20));
        long failed = log.lines.stream().filter("1 not renewed: Redis is away"::equals).count();
        assertThat(failed).as("attempts to renew").isGreaterThan(2);
        one.refusal = null;
        advance(Duration.ofSeconds(20));
        assertThat(permit.isHeld()).isTrue();
        admission.end();

        assertThat(log.lines).filteredOn(line -> !line.contains("not renewed")).containsExactly("call work A#a", "requested",
                "waiting", "acquired ACCEPTED", "released");
        second.isExactly(log.lines.toArray(String[]::new));
    }

    /** Without call listeners, a call allocates no objects for events. */
    @Test
    void withoutCallListenersNothingIsAllocatedForEvents() {
        SemaphoreListener losses = loss -> {
        };
        assertThat(losses.onCall(WORK, "A#a", 1)).isSameAs(CallListener.NONE);
        one.events = losses;
        one.engine.listen(losses);
        assertThat(one.engine.listeners.onCall(WORK, "A#a", 1)).isSameAs(List.of());
    }

    /** Records the events. */
    static final class Log implements SemaphoreListener {

        final List<String> lines = new ArrayList<>();
        long token;
        Duration held;

        @Override
        public void lost(PermitLost loss) {
            lines.add("lost " + loss.reason());
        }

        @Override
        public CallListener onCall(BulkheadId bulkhead, String method, int weight) {
            lines.add("call " + bulkhead.name() + " " + method);
            return (CallListener) Proxy.newProxyInstance(CallListener.class.getClassLoader(),
                    new Class<?>[] { CallListener.class }, (listener, event, arguments) -> {
                        Object first = arguments == null ? "" : arguments[0];
                        lines.add(event.getName() + (first instanceof CallResult result ? " " + result : ""));
                        if (event.getName().equals("acquired")) {
                            token = ((HeldPermit) arguments[1]).fencingToken();
                        } else if (first instanceof Long heldNanos) {
                            held = Duration.ofNanos(heldNanos);
                        }
                        return null;
                    });
        }

        @Override
        public void renewalFailed(BulkheadId bulkhead, int permits, Throwable failure) {
            lines.add(permits + " not renewed: " + failure.getMessage());
        }

        void isExactly(String... expected) {
            assertThat(lines).containsExactly(expected);
        }
    }

    /** Throws on each event: exceptions, and errors of an incompatible library. */
    @SuppressWarnings("unchecked")
    private static <L> L failing(Class<L> type) {
        return (L) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (listener, event, arguments) -> {
            switch (event.getName()) {
                case "onCall":
                    return failing(CallListener.class);
                case "acquired", "rejected":
                    throw new NoSuchMethodError(event.getName());
                case "hashCode":
                    return 1;
                default:
                    throw new IllegalStateException(event.getName());
            }
        });
    }
}
