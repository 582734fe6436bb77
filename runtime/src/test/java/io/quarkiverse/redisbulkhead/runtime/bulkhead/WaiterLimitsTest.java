package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Full;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Waiting;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.HandOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.HandedOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.PermitFree;
import io.quarkiverse.redisbulkhead.runtime.store.StoreContendedException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.local.LocalPermitStore;

/** Trap 41: waiting calls are bounded, and each is counted exactly while it waits. */
class WaiterLimitsTest {

    static final SemaphoreSpec SPEC = SemaphoreSpec.named("reports").permits(1).expire(Duration.ofSeconds(30))
            .maxWait(Duration.ofSeconds(60)).build();
    static final SemaphoreSpec TWO_WAIT = SPEC.toBuilder().maxWaiters(2).build();
    static final Duration FAR = Duration.ofSeconds(25);
    static final long STORE_TIME = 1_000_000;

    final ManualStore store = new ManualStore();
    final ManualTimers timers = new ManualTimers();
    final WaiterLimits waiting = new WaiterLimits(2);
    final SemaphoreEngine engine = new SemaphoreEngine(store, timers, new HolderIdentity("app", "host:1"), loss -> {
    }, true, waiting);

    @AfterEach
    void noWaiterIsLeft() {
        engine.refuseAndRejectWaiters();
        store.replyToReleases(false);
        assertThat(waiting.isEmpty()).as("no call is still counted").isTrue();
        assertThat(engine.waiters.size()).as("waiters in this process").isZero();
    }

    @Test
    void callAtTheBoundMakesOneAttempt() {
        waitOnThread(SPEC);
        waitOnThread(other("others"));

        Admission third = admitOnThread(SPEC);
        assertThat(request().place()).as("it does not queue").isZero();
        replyFull();

        assertThat(rejection(third)).isInstanceOf(BulkheadFullException.class)
                .hasMessage(
                        "Bulkhead 'reports' is full, and the call cannot wait: 2 calls of this instance already block worker "
                                + "threads while they wait for permits. Return a Uni, use virtual threads, or raise "
                                + "quarkus.redis-bulkhead.max-blocked-threads")
                .satisfies(full -> assertThat(((BulkheadFullException) full).nearestLeaseEnd()).isEqualTo(FAR));
        assertThat(waiting.blockedThreads()).isEqualTo(2);
        assertThat(store.cancelled).isEmpty();
    }

    @Test
    void callAtTheBoundGetsAFreePermit() {
        waitOnThread(SPEC);
        waitOnThread(SPEC);

        Admission third = admitOnThread(other("free"));
        store.acquires.get("free").complete(new Granted(42, false));

        assertThat(granted(third)).isCompleted();
        assertThat(waiting.blockedThreads()).isEqualTo(2);
    }

    /** Calls that start together may all pass the first check. */
    @Test
    void boundIsCheckedAgainWhenTheCallMustWait() {
        Admission first = admitOnThread(SPEC);
        CompletableFuture<?> firstReply = store.acquires.get("reports");
        waitOnThread(other("others"));
        waitOnThread(other("others"));
        assertThat(firstReply).isNotDone();

        store.pending.get(0).complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        store.replyToReleases(false);

        assertThat(rejection(first)).isInstanceOf(QueueFullException.class).hasMessageContaining("max-blocked-threads");
        assertThat(store.releases).as("it leaves the queue").containsKey("reports");
        assertThat(waiting.atBulkhead("reports")).isZero();
    }

    @Test
    void asynchronousCallsAreNotCountedAsBlockedThreads() {
        for (int i = 0; i < 10; i++) {
            waitAsynchronously(SPEC);
        }
        assertThat(waiting.blockedThreads()).isZero();
        assertThat(waiting.atBulkhead("reports")).isEqualTo(10);

        Admission onThread = waitOnThread(SPEC);
        assertThat(granted(onThread)).isNotDone();
    }

    @Test
    void maxWaitersCountsAllKeysAndBothKindsOfCalls() {
        Semaphore semaphore = engine.semaphore(TWO_WAIT);
        semaphore.forKey("a", OptionalInt.empty()).admit("A#a", WaitsOn.WORKER_THREAD);
        replyWaiting("reports");
        semaphore.forKey("b", OptionalInt.of(7)).admit("A#a");
        replyWaiting("reports");

        Admission third = semaphore.forKey("c", OptionalInt.empty()).admit("A#a");
        assertThat(request().place()).isZero();
        replyFull();

        assertThat(rejection(third)).hasMessage("Bulkhead 'reports' is full for this key, and the call cannot wait: 2 calls of "
                + "this instance already wait for this bulkhead. Raise quarkus.redis-bulkhead.\"reports\".max-waiters, or "
                + "SemaphoreSpec.maxWaiters for a bulkhead that is defined in code");
        assertThat(granted(waitAsynchronously(other("others")))).as("another bulkhead").isNotDone();
    }

    @Test
    void zeroMaxWaitersDisablesWaiting() {
        Admission admission = engine.semaphore(SPEC.toBuilder().maxWaiters(0).build()).admit("A#a");
        assertThat(request().place()).isZero();
        replyFull();
        assertThat(rejection(admission)).isInstanceOf(QueueFullException.class);
    }

    @Test
    void rejectionWithoutMaxWaitNamesNoBound() {
        waitOnThread(SPEC);
        waitOnThread(SPEC);
        Admission once = admitOnThread(SPEC.toBuilder().maxWait(Duration.ZERO).build());
        replyFull();
        assertThat(rejection(once)).isExactlyInstanceOf(BulkheadFullException.class);
    }

    @Test
    void everyOutcomeFreesTheSlot() {
        SemaphoreSpec one = SPEC.toBuilder().fair(true).maxWaiters(1).build();

        Admission granted = waitOnThread(one);
        assertThat(waiting.atBulkhead("reports")).isEqualTo(1);
        store.listener.accept(new HandedOver(request().permitId(), new HandOver(42, STORE_TIME + 30_000)));
        assertThat(granted(granted)).isCompleted();
        assertThat(waiting.isEmpty()).as("granted").isTrue();

        Admission cancelled = waitOnThread(one);
        cancelled.end();
        store.replyToReleases(false);
        assertThat(rejection(cancelled)).isNotNull();
        assertThat(waiting.isEmpty()).as("cancelled").isTrue();

        Admission late = waitOnThread(one);
        timers.advance(Duration.ofSeconds(60));
        replyFull();
        assertThat(rejection(late)).isExactlyInstanceOf(BulkheadFullException.class);
        assertThat(waiting.isEmpty()).as("timed out").isTrue();

        Admission failed = admitOnThread(one);
        store.acquires.get("reports").completeExceptionally(ManualStore.lost());
        assertThat(rejection(failed)).isNotNull();
        assertThat(waiting.isEmpty()).as("failed").isTrue();
    }

    /** It counts once while it requests a permit or queues again. */
    @Test
    void retryingWaiterIsCountedOnce() {
        Admission admission = waitOnThread(SPEC);
        store.listener.accept(new PermitFree(request().permitId()));
        assertThat(store.log).containsExactly("acquire reports", "acquire reports");
        assertThat(waiting.blockedThreads()).as("while it retries").isEqualTo(1);
        replyWaiting("reports");
        assertThat(waiting.blockedThreads()).isEqualTo(1);
        assertThat(granted(admission)).isNotDone();
    }

    @Test
    void contentionPauseCountsAsWaiting() {
        Admission first = admitOnThread(SPEC);
        contend();
        assertThat(waiting.blockedThreads()).isEqualTo(1);
        waitOnThread(other("others"));

        Admission third = admitOnThread(other("third"));
        assertThat(store.requests.get("third").place()).isZero();
        store.acquires.get("third").completeExceptionally(new StoreContendedException("contended"));
        assertThat(rejection(third)).isInstanceOf(BulkheadContendedException.class);

        first.end();
        store.replyToReleases(false);
        assertThat(waiting.blockedThreads()).isEqualTo(1);
    }

    /** The local and the shared limit count the same waiters. */
    @Test
    void waitersForLocalPermitsAreCounted() {
        SemaphoreEngine local = new SemaphoreEngine(new LocalPermitStore(timers::nanoTime, STORE_TIME), timers,
                new HolderIdentity("app", "host:1"), loss -> {
                }, false, waiting);
        SemaphoreEngine withFallback = new SemaphoreEngine(store, timers, new HolderIdentity("app", "host:1"), loss -> {
        }, true, local, local.limits, () -> 0.5);
        Semaphore semaphore = withFallback
                .semaphore(SPEC.toBuilder().localPermits(1).onOutage(OnOutage.LOCAL).maxWaiters(1).build());

        Admission runs = admitDuringOutage(semaphore);
        Admission waits = admitDuringOutage(semaphore);
        Admission tooMany = admitDuringOutage(semaphore);

        assertThat(granted(runs)).isCompleted();
        assertThat(granted(waits)).isNotDone();
        assertThat(waiting.blockedThreads()).isEqualTo(1);
        assertThat(rejection(tooMany)).isInstanceOf(QueueFullException.class).hasMessageContaining("max-waiters");
        runs.end();
        assertThat(granted(waits)).isCompleted();
        withFallback.refuseAndRejectWaiters();
    }

    private Admission admitDuringOutage(Semaphore semaphore) {
        Admission admission = semaphore.admit("A#a", WaitsOn.WORKER_THREAD);
        store.acquires.get("reports").completeExceptionally(new StoreException("away", false, null));
        return admission;
    }

    private void contend() {
        store.acquires.get("reports").completeExceptionally(new StoreContendedException("contended"));
    }

    private static SemaphoreSpec other(String name) {
        return SemaphoreSpec.named(name).permits(1).maxWait(Duration.ofSeconds(60)).build();
    }

    private Admission admitOnThread(SemaphoreSpec spec) {
        return engine.semaphore(spec).admit("A#a", WaitsOn.WORKER_THREAD);
    }

    private Admission waitOnThread(SemaphoreSpec spec) {
        Admission admission = admitOnThread(spec);
        replyWaiting(spec.name());
        return admission;
    }

    private Admission waitAsynchronously(SemaphoreSpec spec) {
        Admission admission = engine.semaphore(spec).admit("A#a");
        replyWaiting(spec.name());
        return admission;
    }

    private void replyWaiting(String bulkhead) {
        store.acquires.get(bulkhead).complete(new Waiting(1, FAR, STORE_TIME, 0, false));
    }

    private void replyFull() {
        store.acquires.get("reports").complete(new Full(1, FAR, false));
    }

    private AcquireRequest request() {
        return store.requests.get("reports");
    }

    private static CompletableFuture<List<HeldPermit>> granted(Admission admission) {
        return admission.granted().toCompletableFuture();
    }

    private static Throwable rejection(Admission admission) {
        return granted(admission).handle((done, failure) -> Failures.cause(failure)).getNow(null);
    }
}
