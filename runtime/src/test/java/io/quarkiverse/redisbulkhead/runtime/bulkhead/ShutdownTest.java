package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits.WaitsOn;

/** Guarantee 2: a clean shutdown returns all permits immediately. */
class ShutdownTest extends TwoInstances {

    final Executions executions = new Executions();
    final Semaphore semaphore = semaphore(one,
            SemaphoreSpec.named("work").permits(2).maxWait(Duration.ofSeconds(5)).build());

    private Admission admit(Semaphore... semaphores) {
        return executions.admit(List.of(semaphores), "A#a", WaitsOn.NO_WORKER_THREAD);
    }

    @Test
    void runningExecutionsFinishAndWaitersAreRejected() {
        Admission first = admit(semaphore);
        Admission second = admit(semaphore, semaphore);
        Admission waiting = admit(semaphore);
        HeldPermit permit = held(first);
        waits(second);

        one.engine.refuseAndRejectWaiters();
        CompletableFuture<Void> idle = executions.idle().toCompletableFuture();

        assertThat(rejection(second)).isInstanceOf(BulkheadUnavailableException.class).hasMessageContaining("stopping");
        assertThat(rejection(waiting)).isInstanceOf(BulkheadUnavailableException.class);
        assertThat(rejection(admit(semaphore))).isInstanceOf(BulkheadUnavailableException.class);
        assertThat(look().granted()).as("the rejected chain released its first permit").isEqualTo(1);
        assertThat(idle).isNotDone();
        assertThat(permit.isHeld()).isTrue();
    }

    /** Otherwise a job interrupted by the shutdown would run again within the same tick. */
    @Test
    void shutdownKeepsMinHold() {
        Semaphore held = semaphore(one, semaphore.spec().toBuilder().minHold(Duration.ofSeconds(20)).build());
        admit(held);
        admit(held).end();
        advance(Duration.ofSeconds(5));

        one.engine.refuseAndRejectWaiters();
        assertThat(one.engine.releaseAll().toCompletableFuture()).isCompleted();
        one.engine.close();

        advance(Duration.ofMillis(14_900));
        assertThat(look().granted()).isEqualTo(2);
        advance(Duration.ofMillis(200));
        assertThat(look().granted()).isZero();
    }

    /** Regardless of how an execution got its permits. */
    @Test
    void eachExecutionIsCountedOnce() {
        Semaphore open = new Semaphore(one.engine, semaphore.spec(), false);
        Admission last = admit(open);
        endTwice(admit(semaphore));
        endTwice(admit(open));
        endTwice(admit(semaphore, semaphore));
        Admission both = admit(semaphore, semaphore);
        Admission waiting = admit(semaphore);
        endTwice(both);
        held(waiting);
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
        Admission running = admit(semaphore);
        HeldPermit taken = held(semaphore.admit("A#b"));
        one.engine.refuseAndRejectWaiters();

        assertThat(one.engine.releaseAll().toCompletableFuture()).isCompleted();
        one.engine.close();

        assertThat(look().granted()).isZero();
        assertThat(taken.isHeld()).isFalse();
        running.end();
        assertThat(one.losses.values()).as("running executions lose their permits").hasSize(2)
                .allMatch(loss -> loss.reason() == PermitLost.Reason.STOPPED);
        assertThat(one.planned()).isZero();
    }

    /** The signal to stop may come when the store is back, and this instance does not know yet. */
    @Test
    void permitsGoBackIfTheStoreReturnsInAMoment() {
        held(admit(semaphore));
        one.refusal = away();
        one.engine.refuseAndRejectWaiters();
        CompletableFuture<Void> released = one.engine.releaseAll().toCompletableFuture();
        advance(Duration.ofMillis(300));
        assertThat(released).isNotDone();

        one.refusal = null;
        advance(Duration.ofMillis(200));

        assertThat(released).isCompleted();
        assertThat(look().granted()).isZero();
    }

    /** It has left the share, and comes back with the answer. */
    @Test
    void permitWhoseDetachingFailedGoesBack() {
        HeldPermit permit = held(admit(semaphore));
        one.refusal = away();
        assertThat(permit.detach().toCompletableFuture()).isCompletedExceptionally();
        one.engine.refuseAndRejectWaiters();
        one.refusal = null;
        slowly(1_000);

        CompletableFuture<Void> released = one.engine.releaseAll().thenRun(one.engine::close).toCompletableFuture();

        advance(Duration.ofMillis(200));
        assertThat(released).isCompleted();
        assertThat(sharesNow()).isZero();
        assertThat(permit.isHeld()).isFalse();
    }

    @Test
    void shutdownTakesNoLongerThanACommandWhileTheStoreIsAway() {
        held(admit(semaphore));
        one.refusal = away();
        one.engine.refuseAndRejectWaiters();

        CompletableFuture<Void> released = one.engine.releaseAll().toCompletableFuture();

        advance(one.engine.commandTimeout.plusMillis(110));
        assertThat(released).isCompleted();
    }

    /** Trap 3: closing the connection first would leave the permits taken until their lease ends. */
    @Test
    void shutdownAwaitsStatementsInFlight() {
        held(semaphore.admit("A#a")).release();
        slowly(1_000);
        Admission lateGrant = semaphore(one, SemaphoreSpec.named("late").permits(1).build()).admit("A#a");
        one.engine.refuseAndRejectWaiters();

        CompletableFuture<Void> released = one.engine.releaseAll().toCompletableFuture();

        assertThat(released).isNotDone();
        advance(Duration.ofMillis(20));
        assertThat(released).isCompleted();
        assertThat(rejection(lateGrant)).isInstanceOf(BulkheadUnavailableException.class);
        server.calm();
        assertThat(look().granted()).isZero();
        assertThat(server.connect("observer").look(semaphore.id().forKey("none"), 1).toCompletableFuture().join().granted())
                .isZero();
    }
}
