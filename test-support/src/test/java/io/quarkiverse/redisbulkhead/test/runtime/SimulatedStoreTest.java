package io.quarkiverse.redisbulkhead.test.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.LocalShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore.Operation;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;

/** With a manual clock and a store in memory. */
class SimulatedStoreTest {

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration SHORT = Duration.ofMillis(1);
    private static final BulkheadId REPORTS = BulkheadId.of("reports");
    private static final SemaphoreSpec SPEC = SemaphoreSpec.named("reports").permits(2).maxWait(Duration.ofMinutes(1))
            .keepIdle(Duration.ofMinutes(1)).build();
    private static final SemaphoreSpec IMPATIENT = SPEC.toBuilder().maxWait(Duration.ZERO).build();

    private static final Map<Operation, Function<ShareStore, CompletionStage<?>>> OPERATIONS = Map.of(
            Operation.SYNC,
            store -> store.sync(new Statement(BulkheadId.of("other"), 1, 0, 0, 0, 0, 1_000, 1, false, false,
                    List.of(), List.of(), 0, 0, "", -1, List.of(), List.of())),
            Operation.LOOK, store -> store.look(REPORTS, 1),
            Operation.REVOKE, store -> store.revoke(REPORTS, "elsewhere", "", 1),
            Operation.RESIZE, store -> store.resize(REPORTS, 1),
            Operation.RESET_SIZE, store -> store.resize(REPORTS, 0),
            Operation.IN_USE, store -> store.inUse(1));

    private final ManualClock clock = new ManualClock();
    // Begins a fault while another one ends.
    private Thread otherTest;
    private final SimulatedStore simulated = new SimulatedStore(COMMAND_TIMEOUT, clock, List.of()) {
        @Override
        void keepIdle(boolean keeps) {
            if (keeps && otherTest != null) {
                otherTest.start();
                while (otherTest.isAlive() && otherTest.getState() != Thread.State.BLOCKED) {
                    Thread.onSpinWait();
                }
            }
            super.keepIdle(keeps);
        }
    };
    private final ShareStore real = new LocalShareStore(clock::nanoTime, true);
    private final ShareStore store = simulated.decorate(real);
    private final List<PermitLost> losses = new ArrayList<>();
    private final Engine engine = new Engine("one", store, null, clock, new HolderIdentity("app", "host:1"), losses::add,
            new WaiterLimits(Integer.MAX_VALUE), COMMAND_TIMEOUT);

    SimulatedStoreTest() {
        simulated.control(engine);
    }

    @Test
    void outageFailsAndSlowStoreDelaysAllOperations() {
        assertThat(OPERATIONS.keySet()).as("so that a new one is not forgotten")
                .isEqualTo(EnumSet.allOf(Operation.class));
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
            assertAway(future(call.apply(store)));
            outage.run();
            assertThat(future(call.apply(store))).as("%s, after an outage", operation).isCompleted();
        });
    }

    @Test
    void delayThatNoCallWouldWaitForIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> simulated.slow(COMMAND_TIMEOUT))
                .withMessage(
                        "delay must be shorter than quarkus.redis-bulkhead.command-timeout, which is PT1S, but is PT1S. Use"
                                + " outage() for a Redis that does not answer in time");
    }

    @Test
    void outageFailsCallsInFlight() {
        simulated.slow(Duration.ofMillis(500));
        CompletableFuture<?> inFlight = future(store.look(REPORTS, 1));
        Runnable outage = simulated.outage();
        clock.advance(Duration.ofMillis(500));
        assertAway(inFlight);

        outage.run();
        CompletableFuture<?> next = future(store.look(REPORTS, 1));
        assertThat(next).as("still slow").isNotDone();
        clock.advance(Duration.ofMillis(500));
        assertThat(next).isCompleted();
    }

    @Test
    void outageLastsUntilAllOutagesHaveEnded() {
        Runnable first = simulated.outage();
        Runnable second = simulated.outage();
        first.run();
        first.run();
        assertAway(future(store.inUse(1)));
        second.run();
        assertThat(future(store.inUse(1))).isCompleted();
    }

    @Test
    void messagesAreLateOrLost() {
        granted(SPEC);
        granted(SPEC);
        Admission waiting = begin(SPEC);
        Runnable slow = simulated.slow(Duration.ofMillis(100));
        real.resize(REPORTS, 3);
        clock.advance(Duration.ofMillis(199));
        assertThat(permits(waiting)).as("the message and the answer take their time").isNotDone();
        clock.advance(Duration.ofMillis(1));
        assertThat(permits(waiting)).isCompleted();
        slow.run();

        Admission next = begin(SPEC);
        clock.advance(Duration.ofSeconds(1));
        assertThat(permits(next)).isNotDone();
        Runnable outage = simulated.outage();
        real.resize(REPORTS, 4);
        clock.advance(Duration.ofSeconds(3));
        assertThat(permits(next)).isNotDone();

        outage.run();
        assertThat(permits(next)).as("states its position again").isCompleted();
    }

    /** Otherwise calls would go on as before until the share is used up. */
    @Test
    void outageAppliesThePolicyAlthoughPermitsAreIdle() {
        granted(IMPATIENT).end();
        Runnable outage = simulated.outage();
        assertUnavailable(IMPATIENT);

        outage.run();
        Admission running = granted(IMPATIENT);
        Runnable again = simulated.outage();
        assertUnavailable(IMPATIENT);
        running.end();
        assertUnavailable(IMPATIENT);
        again.run();
        granted(IMPATIENT).end();
        assertThat(losses).isEmpty();
    }

    /** As in tests that run in parallel. */
    @Test
    void endOfAFaultDoesNotEndAnother() throws Exception {
        Runnable end = simulated.slow(SHORT);
        otherTest = new Thread(() -> simulated.slow(SHORT));
        end.run();
        otherTest.join();

        Admission first = begin(SPEC);
        clock.advance(SHORT);
        permits(first).join();
        first.end();
        assertThat(permits(begin(SPEC))).as("no permit is idle").isNotDone();
    }

    /** As after a real outage: no call waits for the next statement. */
    @Test
    void catchesUpAtTheEndOfAnOutage() {
        Admission first = granted(SPEC);
        granted(SPEC);
        Admission waiting = begin(SPEC);
        assertThat(permits(waiting)).isNotDone();

        Runnable outage = simulated.outage();
        first.end();
        clock.advance(Duration.ofSeconds(3));
        assertThat(permits(waiting)).as("keeps waiting").isNotDone();
        assertUnavailable(SPEC);

        outage.run();
        assertThat(permits(waiting)).as("without advancing the clock").isCompleted();
        assertThat(losses).isEmpty();
    }

    /** As in an outage longer than the lease. */
    @Test
    void leasesExpireDuringALongOutage() {
        HeldPermit permit = permits(granted(SPEC)).join().get(0);
        simulated.outage();
        clock.advance(SPEC.expire());
        assertThat(permit.isHeld()).isFalse();
        assertThat(losses).singleElement().extracting(PermitLost::reason).isEqualTo(PermitLost.Reason.LEASE_ENDED);
    }

    private Admission begin(SemaphoreSpec spec) {
        return new Semaphore(engine, spec, true).admit("A#a");
    }

    private Admission granted(SemaphoreSpec spec) {
        Admission admission = begin(spec);
        assertThat(permits(admission)).isCompleted();
        return admission;
    }

    private void assertUnavailable(SemaphoreSpec spec) {
        assertThatThrownBy(() -> permits(begin(spec)).join()).hasCauseInstanceOf(BulkheadUnavailableException.class)
                .hasMessageContaining("Redis is away, as simulated by TestBulkhead");
    }

    private static CompletableFuture<List<HeldPermit>> permits(Admission admission) {
        return admission.granted().toCompletableFuture();
    }

    private static CompletableFuture<?> future(CompletionStage<?> answer) {
        return answer.toCompletableFuture();
    }

    private static void assertAway(CompletableFuture<?> answer) {
        assertThat(answer).isCompletedExceptionally();
        assertThatThrownBy(answer::join).cause().matches(failure -> StoreException.is(failure, Kind.AWAY));
    }
}
