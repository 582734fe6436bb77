package io.quarkiverse.redisbulkhead.test.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.SemaphoreEngine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.AttachRequest;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.StoreAwayException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreOperation;
import io.quarkiverse.redisbulkhead.runtime.store.local.LocalPermitStore;

/** With a manual clock and a store in memory. */
class SimulatedStoreTest {

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);
    private static final BulkheadId REPORTS = BulkheadId.of("reports");
    private static final SemaphoreSpec SPEC = SemaphoreSpec.named("reports").permits(1).maxWait(Duration.ofMinutes(1)).build();
    private static final AcquireRequest REQUEST = new AcquireRequest(REPORTS, "p1", 1, Duration.ofSeconds(30), false,
            Duration.ZERO, 0, "app", "host:1", "A#a");

    // Covers each operation of the interface, so that a new one cannot be forgotten.
    private static final Map<StoreOperation, Function<PermitStore, CompletionStage<?>>> OPERATIONS = Map.ofEntries(
            Map.entry(StoreOperation.ACQUIRE, store -> store.acquire(REQUEST)),
            Map.entry(StoreOperation.RELEASE, store -> store.release(REPORTS, "p1")),
            Map.entry(StoreOperation.CANCEL, store -> store.cancel(REPORTS, List.of("p1"), Duration.ofSeconds(1))),
            Map.entry(StoreOperation.RENEW, store -> store.renew(REPORTS, Map.of("p1", Duration.ofSeconds(30)))),
            Map.entry(StoreOperation.POLL, store -> store.poll(REPORTS, 1, Set.of("p1"), Duration.ofSeconds(1))),
            Map.entry(StoreOperation.DETACH,
                    store -> store.detach(REPORTS, "p1", Duration.ofSeconds(30), "digest", Duration.ZERO)),
            Map.entry(StoreOperation.ATTACH,
                    store -> store.attach(new AttachRequest(
                            new AcquireRequest(REQUEST.terms(), "p2", Duration.ZERO, 0), "p1", "digest", Duration.ZERO))),
            Map.entry(StoreOperation.REVOKE, store -> store.revoke(REPORTS, "p1")),
            Map.entry(StoreOperation.RESIZE, store -> store.resize(REPORTS, 1)),
            Map.entry(StoreOperation.RESET_SIZE, store -> store.resetSize(REPORTS)),
            Map.entry(StoreOperation.OCCUPANCY, store -> store.occupancy(REPORTS, 1)),
            Map.entry(StoreOperation.OWN_PERMITS, store -> store.ownPermits(REPORTS)),
            Map.entry(StoreOperation.IN_USE, store -> store.inUse(1)));

    private final ManualClock clock = new ManualClock();
    private final SimulatedStore simulated = new SimulatedStore(COMMAND_TIMEOUT, clock);
    private final LocalPermitStore real = local();
    private final PermitStore store = simulated.decorate(real);
    private final List<PermitLost> losses = new ArrayList<>();
    private final HolderIdentity identity = new HolderIdentity("app", "host:1");
    private final SemaphoreEngine engine = new SemaphoreEngine(store, clock, identity, losses::add,
            new SemaphoreEngine(local(), clock, identity, losses::add, false, new WaiterLimits(Integer.MAX_VALUE)));

    @Test
    void outageFailsAndSlowStoreDelaysAllOperations() {
        assertThat(OPERATIONS.keySet()).as("those of a store of permits")
                .isEqualTo(EnumSet.complementOf(EnumSet.of(StoreOperation.SYNC, StoreOperation.LOOK)));
        OPERATIONS.forEach((operation, call) -> {
            assertThat(future(call.apply(store))).as("%s, without a fault", operation).isCompleted();

            Runnable slow = simulated.slow(Duration.ofMillis(200));
            CompletableFuture<?> delayed = future(call.apply(store));
            clock.advance(Duration.ofMillis(199));
            assertThat(delayed).as("slow %s", operation).isNotDone();
            clock.advance(Duration.ofMillis(1));
            assertThat(delayed).as("slow %s", operation).isCompleted();
            slow.run();

            Runnable outage = simulated.outage();
            assertAway(future(call.apply(store)), false);
            outage.run();
            assertThat(future(call.apply(store))).as("%s, after an outage", operation).isCompleted();
        });
    }

    @Test
    void delayAboveTheCommandTimeoutIsAnOutage() {
        Runnable slow = simulated.slow(COMMAND_TIMEOUT);
        CompletableFuture<?> first = future(store.acquire(REQUEST));
        clock.advance(Duration.ofMillis(600));
        CompletableFuture<?> second = future(store.occupancy(REPORTS, 1));
        clock.advance(Duration.ofMillis(399));
        assertThat(first).isNotDone();

        clock.advance(Duration.ofMillis(1));
        assertAway(first, true);
        assertAway(second, true);
        assertAway(future(store.occupancy(REPORTS, 1)), false);

        slow.run();
        assertThat(store.occupancy(REPORTS, 1).toCompletableFuture().join().inUse()).as("only the reply was lost").isOne();
    }

    @Test
    void outageFailsCallsInFlight() {
        simulated.slow(Duration.ofMillis(500));
        CompletableFuture<?> inFlight = future(store.acquire(REQUEST));
        Runnable outage = simulated.outage();
        assertAway(inFlight, true);

        outage.run();
        CompletableFuture<?> next = future(store.occupancy(REPORTS, 1));
        assertThat(next).as("still slow").isNotDone();
        clock.advance(Duration.ofMillis(500));
        assertThat(next).isCompleted();
    }

    /** Otherwise calls would fail after the test that simulated the fault. */
    @Test
    void slowCallsInFlightAtTheEndAreNoOutage() {
        Runnable slow = simulated.slow(Duration.ofHours(1));
        CompletableFuture<?> late = future(store.acquire(REQUEST));
        slow.run();
        assertThat(future(store.occupancy(REPORTS, 1))).isCompleted();
        clock.advance(COMMAND_TIMEOUT);
        assertThat(late).isCompleted();
        assertThat(future(store.occupancy(REPORTS, 1))).isCompleted();
    }

    @Test
    void outageLastsUntilAllOutagesHaveEnded() {
        Runnable first = simulated.outage();
        Runnable second = simulated.outage();
        first.run();
        first.run();
        assertAway(future(store.inUse(1)), false);
        second.run();
        assertThat(future(store.inUse(1))).isCompleted();
    }

    /** As after a real outage: no call waits for the next poll or the next release retry. */
    @Test
    void catchesUpAtTheEndOfAnOutage() {
        Admission running = engine.semaphore(SPEC).admit("A#a");
        Admission waiting = engine.semaphore(SPEC).admit("A#b");
        assertThat(permits(running)).isCompleted();

        Runnable outage = simulated.outage();
        running.end();
        clock.advance(Duration.ofSeconds(3));
        assertThat(permits(waiting)).as("keeps waiting").isNotDone();
        Admission late = engine.semaphore(SPEC).admit("A#c");
        assertThatThrownBy(() -> permits(late).join()).hasCauseInstanceOf(BulkheadUnavailableException.class)
                .hasMessageContaining("Redis is away, as simulated by TestBulkhead");

        outage.run();
        assertThat(permits(waiting)).as("without advancing the clock").isCompleted();
        waiting.end();
        assertThat(losses).isEmpty();
    }

    @Test
    void losesMessagesDuringAnOutage() {
        real.acquire(REQUEST);
        Admission waiting = engine.semaphore(SPEC).admit("A#b");
        Runnable outage = simulated.outage();

        real.release(REPORTS, "p1");
        assertThat(permits(waiting)).isNotDone();

        outage.run();
        assertThat(permits(waiting)).as("polls again").isCompleted();
    }

    @Test
    void otherPoliciesContinue() {
        Runnable outage = simulated.outage();
        SemaphoreSpec local = SPEC.toBuilder().onOutage(OnOutage.LOCAL).maxWait(Duration.ZERO).build();
        Admission first = engine.semaphore(local).admit("A#a");
        assertThat(permits(first)).isCompleted();
        assertThat(permits(engine.semaphore(local).admit("A#a"))).as("one in this process").isCompletedExceptionally();
        first.end();

        Admission allowed = engine.semaphore(SPEC.toBuilder().onOutage(OnOutage.ALLOW).build()).admit("A#a");
        assertThat(permits(allowed).join().get(0).fencingToken()).isZero();
        allowed.end();
        outage.run();
    }

    /** As in an outage longer than the lease. */
    @Test
    void leasesExpireDuringALongOutage() {
        Admission running = engine.semaphore(SPEC).admit("A#a");
        HeldPermit permit = permits(running).join().get(0);
        simulated.outage();
        clock.advance(SPEC.expire());
        assertThat(permit.isHeld()).isFalse();
        assertThat(losses).singleElement().extracting(PermitLost::reason).isEqualTo(PermitLost.Reason.LEASE_ENDED);
    }

    @Test
    void lostPermitIsFreeAndItsHolderIsNotified() {
        Admission running = engine.semaphore(SPEC).admit("A#a");
        HeldPermit permit = permits(running).join().get(0);
        Admission waiting = engine.semaphore(SPEC).admit("A#b");
        assertThat(permits(waiting)).isNotDone();

        assertThat(simulated.lose("reports", Optional.empty(), permit.id()).toCompletableFuture().join()).isTrue();

        assertThat(permit.isHeld()).isFalse();
        assertThat(losses).singleElement().satisfies(loss -> {
            assertThat(loss.permitId()).isEqualTo(permit.id());
            assertThat(loss.reason()).isEqualTo(PermitLost.Reason.GONE);
        });
        assertThat(permits(waiting)).isCompleted();
        assertThat(simulated.lose("reports", Optional.empty(), permit.id()).toCompletableFuture().join()).isFalse();
        running.end();
        assertThat(store.occupancy(REPORTS, 1).toCompletableFuture().join().inUse()).as("the other one").isOne();
        assertThat(losses).hasSize(1);
    }

    /** The delay also applies to the message that grants a permit to a waiter. */
    @Test
    void delaysMessages() {
        Admission running = engine.semaphore(SPEC).admit("A#a");
        Admission waiting = engine.semaphore(SPEC.toBuilder().fair(true).build()).admit("A#b");
        simulated.slow(Duration.ofMillis(100));
        running.end();
        clock.advance(Duration.ofMillis(99));
        assertThat(permits(waiting)).isNotDone();
        clock.advance(Duration.ofMillis(1));
        assertThat(permits(waiting)).isCompleted();
    }

    private LocalPermitStore local() {
        return new LocalPermitStore(clock::nanoTime, 1_000_000);
    }

    private static CompletableFuture<List<HeldPermit>> permits(Admission admission) {
        return admission.granted().toCompletableFuture();
    }

    private static CompletableFuture<?> future(CompletionStage<?> answer) {
        return answer.toCompletableFuture();
    }

    private static void assertAway(CompletableFuture<?> answer, boolean outcomeUnknown) {
        assertThat(answer).isCompletedExceptionally();
        assertThatThrownBy(answer::join).cause().isInstanceOfSatisfying(StoreAwayException.class,
                away -> assertThat(away.outcomeUnknown()).isEqualTo(outcomeUnknown));
    }
}
