package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Waiting;
import io.quarkiverse.redisbulkhead.runtime.store.Backoff;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.HandOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.HandedOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.PermitFree;
import io.quarkiverse.redisbulkhead.runtime.store.PollReply;
import io.quarkiverse.redisbulkhead.runtime.store.StoreContendedException;
import io.quarkiverse.redisbulkhead.runtime.store.local.LocalPermitStore;

/** A store that replies but rejects requests under contention: neither full nor an outage. */
class ContentionTest {

    static final SemaphoreSpec SPEC = SemaphoreSpec.named("reports").permits(1).expire(Duration.ofSeconds(30))
            .maxWait(Duration.ofSeconds(1)).build();
    static final Duration FAR = Duration.ofSeconds(25);
    static final long STORE_TIME = 1_000_000;

    final ManualStore store = new ManualStore();
    final ManualTimers timers = new ManualTimers();
    final List<PermitLost> losses = new ArrayList<>();
    final SemaphoreEngine engine = new SemaphoreEngine(store, timers, new HolderIdentity("app", "host:1"), losses::add, true,
            null, new WaiterLimits(Integer.MAX_VALUE), () -> 0.5);

    @AfterEach
    void nothingIsLeft() {
        assertThat(engine.waiters.size()).as("waiters in this process").isZero();
        assertThat(engine.returns.pending()).as("permits to be returned").isZero();
    }

    @Test
    void contendedRequestIsRetriedWithTheSameId() {
        Admission admission = admit(SPEC);
        String id = id();
        contended();
        assertThat(granted(admission)).isNotDone();
        assertThat(acquires()).as("a pause before the next request").isEqualTo(1);

        timers.advance(Duration.ofMillis(15));

        assertThat(acquires()).isEqualTo(2);
        assertThat(id()).as("the same permit").isEqualTo(id);
        grant();
        assertThat(granted(admission)).isCompleted();
        end(admission);
        assertThat(store.cancelled).isEmpty();
    }

    /** An asynchronous call leaves its worker thread during a pause. */
    @Test
    void pauseCompletesAttempted() {
        Admission admission = admit(SPEC);
        assertThat(admission.attempted().toCompletableFuture()).isNotDone();
        contended();
        assertThat(admission.attempted().toCompletableFuture()).isCompleted();
        admission.end();
    }

    /** Callers that collided spread out, and do not arrive together after an outage. */
    @Test
    void pausesDoubleUpToALimit() {
        assertThat(pauses(0)).containsExactly(10L, 20L, 40L, 75L, 75L, 75L);
        assertThat(pauses(1)).containsExactly(20L, 40L, 80L, 150L, 150L, 150L);
    }

    private List<Long> pauses(double random) {
        WaiterRegistry registry = new WaiterRegistry(store, timers, () -> random);
        Backoff backoff = registry.newBackoff();
        List<Long> pauses = Stream.generate(() -> backoff.next().toMillis()).limit(6).toList();
        backoff.reset();
        assertThat(backoff.next()).hasMillis(pauses.get(0));
        return pauses;
    }

    @Test
    void contentionRejectsAtOnceWithoutMaxWait() {
        Admission admission = admit(SPEC.toBuilder().maxWait(Duration.ZERO).build());
        contended();

        assertThat(rejection(admission)).isInstanceOfSatisfying(BulkheadContendedException.class, e -> {
            assertThat(e.name()).isEqualTo("reports");
            assertThat(e).hasMessageContaining("'reports'").hasMessageContaining("may have been free")
                    .hasMessageContaining("max-wait")
                    .hasMessageContaining("quarkus.redis-bulkhead.lock-store.contention-timeout")
                    .hasMessageContaining("quarkus.redis-bulkhead.store=script")
                    .hasCauseInstanceOf(StoreContendedException.class);
        });
        assertThat(store.log).as("nothing to undo").containsExactly("acquire reports");
        assertThat(timers.planned()).isZero();
    }

    @Test
    void contentionUntilTimeoutRejects() {
        Admission admission = admit(SPEC);
        contendedUntil(Duration.ofMillis(999));
        assertThat(granted(admission)).isNotDone();

        contendedUntil(Duration.ofMillis(1));

        assertThat(rejection(admission)).isInstanceOf(BulkheadContendedException.class);
        assertThat(acquires()).isBetween(8L, 30L);
        assertThat(store.log).containsOnly("acquire reports");
        long requested = acquires();
        timers.advance(Duration.ofSeconds(5));
        assertThat(acquires()).isEqualTo(requested);
    }

    /** The wait times out while the last request is in flight. */
    @Test
    void contentionAfterTimeoutRejects() {
        Admission admission = admit(SPEC);
        timers.advance(Duration.ofSeconds(2));
        assertThat(granted(admission)).isNotDone();
        contended();

        assertThat(rejection(admission)).isInstanceOf(BulkheadContendedException.class);
    }

    @Test
    void endDuringPauseStopsRetries() {
        Admission admission = admit(SPEC);
        contended();

        assertThat(admission.end().toCompletableFuture()).isCompleted();

        timers.advance(Duration.ofSeconds(5));
        assertThat(store.log).containsExactly("acquire reports");
    }

    @Test
    void shutdownRejectsPausingCalls() {
        Admission admission = admit(SPEC);
        contended();
        engine.refuseAndRejectWaiters();

        assertThat(rejection(admission)).isInstanceOf(BulkheadUnavailableException.class).hasMessageContaining("stopping");
        timers.advance(Duration.ofSeconds(5));
        assertThat(store.log).containsExactly("acquire reports");
    }

    /** A waiter learns of a free permit and cannot request it: it keeps its place and retries. */
    @Test
    void waiterRetriesAfterContention() {
        Admission admission = waiting(SPEC);
        String id = id();
        store.listener.accept(new PermitFree(id));
        contended();
        assertThat(granted(admission)).isNotDone();

        timers.advance(Duration.ofMillis(15));
        assertThat(acquires()).isEqualTo(3);
        assertThat(id()).isEqualTo(id);
        grant();

        assertThat(granted(admission)).isCompleted();
        end(admission);
    }

    /** It gives up its place in the background, because a release would meet the same contention. */
    @Test
    void contendedWaiterLeavesQueueOnTimeout() {
        Admission admission = waiting(SPEC);
        String id = id();
        timers.advance(Duration.ofMillis(990));
        store.listener.accept(new PermitFree(id));
        contended();
        timers.advance(Duration.ofMillis(10));

        assertThat(rejection(admission)).isInstanceOf(BulkheadContendedException.class);
        assertThat(store.cancelled).containsExactly(id);
    }

    @Test
    void timeoutAfterAReplyIsFull() {
        Admission admission = admit(SPEC);
        contended();
        timers.advance(Duration.ofMillis(15));
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));

        timers.advance(Duration.ofSeconds(1));
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        store.replyToReleases(false);

        assertThat(rejection(admission)).isInstanceOf(BulkheadFullException.class);
    }

    /** The waiter accepts the permit and does not retry. */
    @Test
    void handOverEndsPause() {
        Admission admission = waiting(SPEC);
        store.listener.accept(new PermitFree(id()));
        contended();

        store.listener.accept(new HandedOver(id(), new HandOver(42, STORE_TIME + 30_000)));

        assertThat(granted(admission)).isCompleted();
        timers.advance(Duration.ofMillis(300));
        assertThat(acquires()).isEqualTo(2);
        end(admission);
    }

    /** The waiters stay queued. */
    @Test
    void contendedPollIsRetried() {
        Admission admission = waiting(SPEC.toBuilder().fair(true).maxWait(Duration.ofSeconds(60)).build());
        timers.advance(Duration.ofSeconds(3));
        for (int i = 0; i < 20; i++) {
            assertThat(store.polls).hasSize(i + 1);
            store.polls.get(i).reply().completeExceptionally(new StoreContendedException("too many"));
            assertThat(granted(admission)).isNotDone();
            timers.advance(Duration.ofMillis(200));
        }
        store.polls.get(20).reply().complete(
                new PollReply(Map.of(id(), new HandOver(42, STORE_TIME + 60_000)), Set.of(), 0, FAR, STORE_TIME + 7_000));

        assertThat(granted(admission)).isCompleted();
        assertThat(store.cancelled).isEmpty();
        end(admission);
    }

    /** Retries start long before the lease ends. */
    @Test
    void contendedRenewalIsRetried() {
        Admission admission = admit(SPEC);
        grant();
        HeldPermit permit = granted(admission).join().get(0);
        timers.advance(Duration.ofSeconds(10));
        for (int i = 0; i < 5; i++) {
            assertThat(store.renewals).hasSize(i + 1);
            store.renewals.get(i).reply().completeExceptionally(new StoreContendedException("too many"));
            timers.advance(Duration.ofMillis(2_500));
        }
        store.renewals.get(5).reply().complete(Set.of());
        timers.advance(Duration.ofSeconds(9));

        assertThat(permit.isHeld()).as("after its first lease").isTrue();
        assertThat(losses).isEmpty();
        end(admission);
    }

    @Test
    void contendedRefreshFails() {
        Admission admission = admit(SPEC);
        grant();
        HeldPermit permit = granted(admission).join().get(0);
        CompletableFuture<Boolean> refreshed = permit.refresh().toCompletableFuture();
        store.renewals.get(0).reply().completeExceptionally(new StoreContendedException("too many"));

        assertThat(failure(refreshed)).isInstanceOf(BulkheadContendedException.class);
        assertThat(permit.isHeld()).isTrue();
        end(admission);
    }

    @Test
    void contendedReleaseIsRetriedInTheBackground() {
        Admission admission = admit(SPEC);
        String id = id();
        grant();
        CompletableFuture<Void> ended = admission.end().toCompletableFuture();
        store.releases.get("reports").completeExceptionally(new StoreContendedException("too many"));

        assertThat(ended).isCompleted();
        assertThat(store.cancelled).containsExactly(id);
        assertThat(losses).isEmpty();
    }

    @Test
    void contendedRevokeFails() {
        ManualStore contended = new ManualStore() {
            @Override
            public CompletableFuture<Boolean> revoke(BulkheadId bulkhead, String permitId) {
                return CompletableFuture.failedFuture(new StoreContendedException("too many"));
            }
        };
        SemaphoreEngine other = new SemaphoreEngine(contended, timers, new HolderIdentity("app", "host:1"), losses::add, true,
                new WaiterLimits(Integer.MAX_VALUE));

        assertThat(failure(other.semaphore(SPEC).revoke("any").toCompletableFuture()))
                .isInstanceOf(BulkheadContendedException.class);
    }

    /** No call bypasses the limit or gets a local permit: the store is reachable, and others hold its permits. */
    @Test
    void contentionIsNotAnOutage() {
        LocalPermitStore local = new LocalPermitStore(timers::nanoTime, STORE_TIME);
        HolderIdentity identity = new HolderIdentity("app", "host:1");
        SemaphoreEngine withFallback = new SemaphoreEngine(store, timers, identity, losses::add,
                new SemaphoreEngine(local, timers, identity, losses::add, false, new WaiterLimits(Integer.MAX_VALUE)));
        for (OnOutage policy : OnOutage.values()) {
            Admission admission = withFallback
                    .semaphore(SPEC.toBuilder().onOutage(policy).maxWait(Duration.ZERO).build()).admit("A#a");
            contended();
            assertThat(rejection(admission)).as("%s", policy).isInstanceOf(BulkheadContendedException.class);
            admission.end();
        }
        assertThat(local.occupancy(BulkheadId.of("reports"), 0).toCompletableFuture().join().inUse()).isZero();
    }

    private Admission admit(SemaphoreSpec spec) {
        return engine.semaphore(spec).admit("A#a");
    }

    private Admission waiting(SemaphoreSpec spec) {
        Admission admission = admit(spec);
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        return admission;
    }

    private void contended() {
        store.acquires.get("reports").completeExceptionally(new StoreContendedException("too many"));
    }

    private void contendedUntil(Duration time) {
        for (long i = 0; i < time.toMillis(); i++) {
            contended();
            timers.advance(Duration.ofMillis(1));
        }
        contended();
    }

    private void grant() {
        store.acquires.get("reports").complete(new Granted(7, false));
    }

    private void end(Admission admission) {
        admission.end();
        store.replyToReleases(true);
        assertThat(admission.end().toCompletableFuture()).isCompleted();
    }

    private String id() {
        return store.requests.get("reports").permitId();
    }

    private long acquires() {
        return store.log.stream().filter("acquire reports"::equals).count();
    }

    private static CompletableFuture<List<HeldPermit>> granted(Admission admission) {
        return admission.granted().toCompletableFuture();
    }

    private static Throwable rejection(Admission admission) {
        return failure(granted(admission));
    }

    private static Throwable failure(CompletableFuture<?> stage) {
        return stage.handle((done, failure) -> Failures.cause(failure)).getNow(null);
    }
}
