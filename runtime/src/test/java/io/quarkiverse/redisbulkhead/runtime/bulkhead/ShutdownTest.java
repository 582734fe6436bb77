package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.local.LocalPermitStore;

/** Guarantee 2: a clean shutdown releases all permits at once. */
class ShutdownTest {

    final ManualTimers timers = new ManualTimers();
    final List<PermitLost> losses = new ArrayList<>();
    final LocalPermitStore store = new LocalPermitStore(timers::nanoTime, 1_000_000);
    final SemaphoreEngine engine = new SemaphoreEngine(store, timers, new HolderIdentity("app", "host:1"), losses::add, true,
            new WaiterLimits(Integer.MAX_VALUE));
    final Executions executions = new Executions();
    final Semaphore semaphore = engine
            .semaphore(SemaphoreSpec.named("reports").permits(2).maxWait(Duration.ofSeconds(5)).build());

    @Test
    void runningExecutionsFinishAndWaitersAreRejected() {
        Admission first = executions.admit(List.of(semaphore), "A#a", WaitsOn.NO_WORKER_THREAD);
        Admission second = executions.admit(List.of(semaphore, semaphore), "A#b", WaitsOn.NO_WORKER_THREAD);
        Admission waiting = executions.admit(List.of(semaphore), "A#c", WaitsOn.NO_WORKER_THREAD);
        assertThat(first.granted().toCompletableFuture()).isCompleted();
        assertThat(second.granted().toCompletableFuture()).as("holds one, waits for another").isNotDone();

        engine.refuseAndRejectWaiters();
        CompletableFuture<Void> idle = executions.idle().toCompletableFuture();

        assertThat(failure(second)).isInstanceOf(BulkheadUnavailableException.class).hasMessageContaining("stopping");
        assertThat(failure(waiting)).isInstanceOf(BulkheadUnavailableException.class);
        assertThat(failure(executions.admit(List.of(semaphore), "A#d", WaitsOn.NO_WORKER_THREAD)))
                .isInstanceOf(BulkheadUnavailableException.class);
        assertThat(inUse()).as("the rejected chain released its first permit").isEqualTo(1);
        assertThat(idle).isNotDone();
        assertThat(first.granted().toCompletableFuture().join().get(0).isHeld()).isTrue();
    }

    /** Otherwise a job interrupted by the shutdown would run again within the same tick. */
    @Test
    void shutdownKeepsMinHold() {
        Semaphore held = engine.semaphore(semaphore.spec().toBuilder().minHold(Duration.ofSeconds(20)).build());
        executions.admit(List.of(held), "A#a", WaitsOn.NO_WORKER_THREAD);
        executions.admit(List.of(held), "A#b", WaitsOn.NO_WORKER_THREAD).end();
        timers.advance(Duration.ofSeconds(5));

        engine.refuseAndRejectWaiters();
        assertThat(engine.releaseAll().toCompletableFuture()).isCompleted();

        timers.advance(Duration.ofMillis(14_999));
        assertThat(inUse()).isEqualTo(2);
        timers.advance(Duration.ofMillis(1));
        assertThat(inUse()).isZero();
    }

    @Test
    void stopAwaitsAllExecutions() {
        Admission first = executions.admit(List.of(semaphore), "A#a", WaitsOn.NO_WORKER_THREAD);
        Admission second = executions.admit(List.of(semaphore), "A#b", WaitsOn.NO_WORKER_THREAD);
        CompletableFuture<Void> idle = executions.idle().toCompletableFuture();
        first.end();
        first.end();
        assertThat(idle).isNotDone();

        second.end();

        assertThat(idle).isCompleted();
        assertThat(new Executions().idle().toCompletableFuture()).isCompleted();
    }

    /** Regardless of how an execution got its permits. */
    @Test
    void eachExecutionIsCountedOnce() {
        Semaphore open = engine.openSemaphore(semaphore.spec());
        Admission last = executions.admit(List.of(open), "A#last", WaitsOn.NO_WORKER_THREAD);
        for (List<Semaphore> taken : List.of(List.of(semaphore), List.of(open), List.of(semaphore, semaphore))) {
            endTwice(executions.admit(taken, "A#a", WaitsOn.NO_WORKER_THREAD));
        }
        Admission both = executions.admit(List.of(semaphore, semaphore), "A#b", WaitsOn.NO_WORKER_THREAD);
        Admission waiting = executions.admit(List.of(semaphore), "A#c", WaitsOn.NO_WORKER_THREAD);
        endTwice(both);
        assertThat(waiting.granted().toCompletableFuture()).as("after a wait").isCompleted();
        endTwice(waiting);

        last.end();

        assertThat(executions.idle().toCompletableFuture()).isCompleted();
    }

    private void endTwice(Admission admission) {
        admission.end();
        admission.end();
        assertThat(executions.idle().toCompletableFuture()).isNotDone();
    }

    @Test
    void permitsStillHeldAreReleased() {
        Admission running = executions.admit(List.of(semaphore), "A#a", WaitsOn.NO_WORKER_THREAD);
        HeldPermit taken = semaphore.admit("A#b").granted().toCompletableFuture().join().get(0);
        assertThat(inUse()).isEqualTo(2);

        assertThat(engine.releaseAll().toCompletableFuture()).isCompleted();

        assertThat(inUse()).isZero();
        assertThat(taken.isHeld()).isFalse();
        running.end();
        assertThat(losses).as("running executions lose their permits").hasSize(2)
                .allMatch(loss -> loss.reason() == PermitLost.Reason.STOPPED);
        assertThat(timers.planned()).isZero();
    }

    private int inUse() {
        return store.occupancy(BulkheadId.of("reports"), 0).toCompletableFuture().join().inUse();
    }

    private static Throwable failure(Admission admission) {
        return admission.granted().toCompletableFuture().handle((done, failure) -> Failures.cause(failure)).getNow(null);
    }
}
