package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.PermitGoneException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;

/** Features that are rarely used together. */
class CombinationsTest extends TwoInstances {

    // ---- Time

    /** The next statement is not due before the lease of the last one has ended. */
    @Test
    void idlePermitServesACallWithALongerLease() {
        call(one, work(3, spec -> spec.expire(Duration.ofSeconds(3)))).end();

        HeldPermit permit = held(call(one, work(3, spec -> spec.expire(Duration.ofSeconds(30)))));
        advance(Duration.ofSeconds(60));

        assertThat(one.losses).isEmpty();
        assertThat(permit.isHeld()).isTrue();
    }

    /** The answer that was under way when it came brought the last permits, so that the store need not be asked any more. */
    @Test
    void callThatCameBeforeTheLastPermitGivesUpInTime() {
        slowly(1_000);
        called(work(2));
        Admission last = call(one, waiting(2));
        server.advance(100);
        Admission late = call(one, work(2, spec -> spec.maxWait(Duration.ofMillis(100))));
        advance(Duration.ofMillis(10));
        held(last);

        advance(Duration.ofMillis(200));

        assertThat(rejection(late)).isInstanceOf(BulkheadFullException.class);
    }

    /** The same; each of them counts for max-waiters. */
    @Test
    void callThatCameBeforeTheLastPermitIsCounted() {
        SemaphoreDefinition bounded = work(2, spec -> spec.maxWait(LONG).maxWaiters(1));
        slowly(1_000);
        called(work(2));
        Admission last = call(one, waiting(2));
        server.advance(100);
        Admission first = call(one, bounded);
        advance(Duration.ofMillis(10));
        held(last);

        assertThat(rejection(called(bounded))).isInstanceOf(BulkheadFullException.class);
        waits(first);
    }

    /** A call with a higher limit was to be stated, until the next one declared that of the permits that are all here. */
    @Test
    void callBetweenTwoLimitsGivesUpInTime() {
        held(call(one, work(2)));
        held(call(one, work(2)));
        one.isBusy = true;
        Admission between = call(one, work(3, spec -> spec.maxWait(Duration.ofMillis(100))));
        call(one, waiting(2));

        advance(Duration.ofMillis(101));

        assertThat(rejection(between)).isInstanceOf(BulkheadFullException.class);
    }

    /** Each window of keep-idle begins and ends while it is idle. */
    @Test
    void permitThatIsUsedInEachWindowStays() {
        for (int i = 0; i < 30; i++) {
            call(one, work(3)).end();
            advance(Duration.ofMillis(370));
        }

        assertThat(one.statements).as("the grant, and renewals").isLessThan(10);
    }

    /** The store takes the offer back, and no statement has told it that the execution has ended. */
    @Test
    void minimumHoldEndsWithTheOfferThatItUsed() {
        held(call(one, work(2)));
        Admission other = call(two, work(2));
        held(other);
        Admission offered = call(one, work(2, spec -> spec.maxWait(LONG).minHold(Duration.ofSeconds(5))));
        other.end();
        held(offered);
        server.timeoutMicros = 4_000_000;
        server.lostStatements = 1;
        advance(Duration.ofMillis(50));
        offered.end();
        server.lostStatements = 0;
        advance(Duration.ofMillis(4_500));

        held(call(one, work(2)));

        assertThat(sharesNow()).isEqualTo(2);
        assertThat(one.losses).isEmpty();
    }

    private Admission called(SemaphoreDefinition definition) {
        Admission call = call(one, definition);
        advance(Duration.ofMillis(10));
        return call;
    }

    // ---- Pauses

    /** The timer that ends the lease may be later than other threads of a process that stood still. */
    @Test
    void revokeAfterAPauseGivesNoPermitOfALeaseThatIsOver() {
        List<Admission> both = List.of(call(one, work(2)), call(one, work(2)));
        Admission waiter = call(one, waiting(2));
        String id = held(both.get(0)).id();
        one.pause();
        advance(Duration.ofSeconds(7));
        held(call(two, work(2)));
        held(call(two, work(2)));
        one.resume();

        one.engine.lose(WORK, id);

        waits(waiter);
    }

    /** It has left the share, because an attempt to detach it failed. */
    @Test
    void lossIsReportedByTheReleaseOfAPermitThatDidNotReturn() {
        HeldPermit permit = held(call(one, work(1)));
        one.refusal = away();
        assertThat(permit.detach().toCompletableFuture()).isCompletedExceptionally();
        one.pause();
        advance(Duration.ofSeconds(7));
        one.resume();

        assertThat(permit.release().toCompletableFuture()).isCompletedWithValue(false);

        assertThat(one.losses).containsOnlyKeys(permit.id());
    }

    // ---- Attaching

    /** Such as after a lower limit of its key. */
    @Test
    void permitThatIsHeavierThanTheLimitIsAttached() {
        HeldPermit permit = held(call(one, work(5, spec -> spec.weight(3))));
        String token = permit.detach().toCompletableFuture().join();

        CompletableFuture<HeldPermit> attached = two.engine.attach(work(2), token, "n").toCompletableFuture();

        assertThat(attached).isCompleted();
        assertThat(attached.join().isHeld()).isTrue();
        assertThat(look().granted()).isEqualTo(3);
        attached.join().release();
        advance(Duration.ofSeconds(2));
        assertThat(look().granted()).isZero();
    }

    /** One answer brings the permit that is attached, and takes the one that was revoked. */
    @Test
    void revokedPermitIsNotMadeUpForByOneThatIsAttached() {
        String token = held(call(two, work(3))).detach().toCompletableFuture().join();
        HeldPermit first = held(call(one, work(3)));
        server.lostMessages = 1;
        server.connect("operator").revoke(WORK, "one", "", 1);

        HeldPermit attached = one.engine.attach(work(3), token, "n").toCompletableFuture().join();

        assertThat(List.of(first.isHeld(), attached.isHeld())).as("of which one is held").containsOnlyOnce(true);
        first.release();
        attached.release();
        advance(Duration.ofSeconds(3));
        assertThat(look().granted()).isZero();
        held(call(one, work(3)));
    }

    /** The store has attached it, but the answer is lost in an outage. */
    private void attachWithoutAnswer(String token) {
        server.lostAnswers = 1;
        CompletionStage<HeldPermit> attached = one.engine.attach(work(1), token, "n");
        one.refusal = away();
        advance(Duration.ofSeconds(2));
        failure(attached);
        one.refusal = null;
        server.lostAnswers = 0;
        advance(Duration.ofSeconds(1));
    }

    @Test
    void attachingThatFailedInAnOutageIsTriedAgain() {
        String token = held(call(two, work(1))).detach().toCompletableFuture().join();
        attachWithoutAnswer(token);

        CompletableFuture<HeldPermit> again = one.engine.attach(work(1), token, "n").toCompletableFuture();

        assertThat(again).isCompleted();
        assertThat(call(two, work(1)).isHeldNow()).as("a second call with the only permit").isFalse();
        again.join().release();
        held(call(two, work(1)));
    }

    /** Within a lease. */
    @Test
    void attachedPermitIsReleasedIfItsCallerDoesNotTryAgain() {
        String token = held(call(two, work(1))).detach().toCompletableFuture().join();
        attachWithoutAnswer(token);
        assertThat(call(two, work(1)).isHeldNow()).isFalse();

        advance(Duration.ofSeconds(5));

        held(call(two, work(1)));
        assertThat(failure(one.engine.attach(work(1), token, "n"))).isInstanceOf(PermitGoneException.class);
        assertThat(one.losses).isEmpty();
    }

    /** Its message is delivered to another instance. */
    @Test
    void attachingThatWasNotSentInAnOutageLeavesThePermit() {
        String token = held(call(two, work(1))).detach().toCompletableFuture().join();
        one.refusal = away();
        failure(one.engine.attach(work(1), token, "n"));
        one.refusal = null;
        advance(Duration.ofSeconds(2));

        assertThat(two.engine.attach(work(1), token, "n").toCompletableFuture()).isCompleted();
    }

    /** A permit that was to be detached has left the share, so the end of the lease of the share does not tell. */
    @Test
    void permitWhoseDetachingFailedIsLostWhenItsLeaseEnds() {
        HeldPermit permit = held(call(one, work(1)));
        one.refusal = away();
        assertThat(permit.detach().toCompletableFuture()).isCompletedExceptionally();
        advance(Duration.ofSeconds(7));

        HeldPermit other = held(call(two, work(1)));

        assertThat(other.isHeld()).isTrue();
        assertThat(permit.isHeld()).as("while another instance holds the only permit").isFalse();
        assertThat(one.losses).containsOnlyKeys(permit.id());
    }

    // ---- Outages

    /** Trap 47: only this instance was cut off. */
    @Test
    void whatWasReleasedInAnOutageIsFreeSoonAfterIt() {
        Admission holder = call(one, work(1, spec -> spec.expire(Duration.ofSeconds(60))));
        held(holder);
        one.refusal = away();
        holder.end();
        advance(Duration.ofSeconds(5));

        one.refusal = null;
        one.engine.availabilityChanged();
        one.engine.reconnected();
        advance(Duration.ofSeconds(2));

        held(call(two, work(1)));
    }

    /** What was released meanwhile is stated by the same object, or the second one states that there is nothing. */
    @Test
    void callAfterAnOutageKeepsItsPermit() {
        Admission holder = call(one, work(1, spec -> spec.expire(Duration.ofSeconds(60))));
        held(holder);
        one.refusal = away();
        holder.end();
        advance(Duration.ofSeconds(5));
        one.refusal = null;

        HeldPermit permit = held(call(one, work(1, spec -> spec.expire(Duration.ofSeconds(60)))));
        advance(Duration.ofSeconds(2));

        assertThat(permit.isHeld()).isTrue();
        assertThat(call(two, work(1)).isHeldNow()).as("a second call with the only permit").isFalse();
    }

    /** What is returned cannot come back before the store does. */
    @Test
    void idlePermitStaysInAnOutage() {
        for (int i = 0; i < 3; i++) {
            call(one, work(3)).end();
            advance(Duration.ofMillis(900));
            one.refusal = away();
        }
        advance(Duration.ofMillis(2_500));

        held(call(one, work(3)));
    }

    /** Keys that were used before an outage need memory as long as their leases. */
    @Test
    void bulkheadIsForgottenInAnOutageWhenItsLeaseIsOver() {
        Admission holder = call(one, work(1));
        held(holder);
        one.refusal = away();
        holder.end();
        advance(Duration.ofSeconds(3));
        assertThat(one.engine.bulkheadNow(WORK)).isNotNull();

        advance(Duration.ofSeconds(6));

        assertThat(one.engine.bulkheadNow(WORK)).isNull();
    }

    /** The same, if an execution has ended before its minimum hold. */
    @Test
    void minimumHoldIsForgottenInAnOutageWhenItIsOver() {
        Admission holder = call(one, work(1, spec -> spec.minHold(Duration.ofSeconds(2))));
        held(holder);
        one.refusal = away();
        holder.end();

        advance(Duration.ofSeconds(9));

        assertThat(one.engine.bulkheadNow(WORK)).isNull();
    }

    /** The same, if a permit may have been attached. */
    @Test
    void attachingIsForgottenInAnOutageWhenItsLeaseIsOver() {
        String token = held(call(two, work(1))).detach().toCompletableFuture().join();
        server.lostAnswers = 1;
        CompletionStage<HeldPermit> attached = one.engine.attach(work(1), token, "n");
        one.refusal = away();

        advance(Duration.ofSeconds(10));

        failure(attached);
        assertThat(one.engine.bulkheadNow(WORK)).isNull();
    }

    /** The same, for a bulkhead that had nothing when the outage began. */
    @Test
    void callAfterAnAttemptToAttachInAnOutageKeepsItsPermit() {
        call(one, work(1)).end();
        one.refusal = away();
        assertThat(one.engine.attach(work(1), "abc-1." + "0".repeat(32), "n").toCompletableFuture()).isCompletedExceptionally();
        advance(Duration.ofSeconds(9));
        one.refusal = null;

        HeldPermit permit = held(call(one, work(1)));
        advance(Duration.ofSeconds(2));

        assertThat(permit.isHeld()).isTrue();
        assertThat(call(two, work(1)).isHeldNow()).as("a second call with the only permit").isFalse();
    }

    /** Trap 4, for the first call of an instance, which does not wait. */
    @Test
    void permitWhoseGrantWasLostIsFreeSoon() {
        server.lostAnswers = 1;
        Admission call = call(one, work(1));
        advance(Duration.ofMillis(1_010));
        rejection(call);
        server.lostAnswers = 0;

        advance(Duration.ofSeconds(2));

        held(call(two, work(1)));
    }

    /** It does not wait, because too many calls do; but it did not mean to take longer than that. */
    @Test
    void callThatMayNotWaitTakesNoLongerInTheGraceThanItWouldWait() {
        held(call(two, work(2)));
        server.changeRunId();

        Admission call = call(one, work(2, spec -> spec.maxWait(Duration.ofMillis(20)).maxWaiters(0)));
        waits(call);
        advance(Duration.ofMillis(21));

        assertThat(rejection(call)).hasMessageContaining("failed over");
    }

    // ---- Releases

    /** The answer to a statement that was under way lets idle permits stay, but not those whose release is awaited. */
    @Test
    void awaitedReleaseGoesBackAlthoughAStatementWasUnderWay() {
        SemaphoreDefinition awaited = work(3, spec -> spec.awaitRelease(true));
        slowly(1_000);
        Admission holder = called(awaited);
        Admission other = call(one, waiting(3));
        server.advance(100);
        CompletableFuture<Void> end = holder.end().toCompletableFuture();
        advance(Duration.ofMillis(10));

        held(other);
        assertThat(end).isCompleted();
        assertThat(sharesNow()).isEqualTo(1);
    }

    /** First come, first served: the store has granted the permit to the call that does not wait. */
    @Test
    void laterCallThatWaitsDoesNotTakeThePermitOfOneThatDoesNot() {
        slowly(1_000);
        Admission holder = called(work(2));
        Admission first = call(one, work(2));
        server.advance(100);
        Admission second = call(one, waiting(2));
        advance(Duration.ofMillis(10));

        held(holder);
        held(first);
        waits(second);
    }

    // ---- The end of the application

    /** The store answers the attaching when all permits have been released. */
    @Test
    void shutdownEndsAlthoughAPermitJoinsMeanwhile() {
        String token = held(call(two, work(1))).detach().toCompletableFuture().join();
        slowly(1_000);
        CompletableFuture<HeldPermit> attached = one.engine.attach(work(1), token, "n").toCompletableFuture();
        one.engine.refuseAndRejectWaiters();

        CompletableFuture<Void> released = one.engine.releaseAll().toCompletableFuture();
        advance(Duration.ofSeconds(1));

        assertThat(released).isCompleted();
        assertThat(attached).isDone();
        assertThat(sharesNow()).isZero();
    }

    /** The store never answers, and the thread that waits for the token is to end. */
    @Test
    void closedEngineLeavesNoStageIncomplete() {
        HeldPermit permit = held(call(one, work(1)));
        one.refusal = new StoreException(Kind.TRANSIENT, "no connection");
        CompletableFuture<String> token = permit.detach().toCompletableFuture();
        one.engine.refuseAndRejectWaiters();
        one.engine.releaseAll();
        one.engine.close();
        advance(Duration.ofSeconds(1));

        assertThat(token).isDone();
    }

    // ---- Long lines

    /** The first group behind those that a statement names. */
    @Test
    void callThatGivesUpBehindTheStatementStopsNobody() {
        Admission holder = call(two, work(50, spec -> spec.weight(50)));
        List<Admission> waiters = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            waiters.add(call(one, waiting(50)));
        }
        waiters.get(31).end();

        holder.end();
        advance(Duration.ofMillis(1));

        assertThat(waiters.stream().filter(Admission::isHeldNow)).hasSize(50);
    }

    /** A statement names 32 groups of calls at most. Those behind them do not wait for the next heartbeat. */
    @Test
    void permitsThatBecomeFreeTogetherServeTheWholeLine() {
        Admission holder = call(two, work(50, spec -> spec.weight(50)));
        List<Admission> waiters = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            waiters.add(call(one, waiting(50)));
        }

        holder.end();
        advance(Duration.ofMillis(1));

        assertThat(waiters.stream().filter(Admission::isHeldNow)).hasSize(50);
    }

    /** Trap 51: the calls behind those that a statement names are older than those of the other instance. */
    @Test
    void permitsThatBecomeFreeTogetherServeTheOldestCalls() {
        Admission holder = call(two, work(50, spec -> spec.weight(50)));
        List<Admission> waiters = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            waiters.add(call(one, waiting(50)));
        }
        Admission newcomer = call(two, waiting(50));

        holder.end();
        advance(Duration.ofMillis(1));

        assertThat(waiters.stream().filter(Admission::isHeldNow)).hasSize(50);
        waits(newcomer);
    }
}
