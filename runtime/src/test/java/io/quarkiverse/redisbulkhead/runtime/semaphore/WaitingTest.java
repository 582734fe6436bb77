package io.quarkiverse.redisbulkhead.runtime.semaphore;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.semaphore.ManualStore.Asked;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Full;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Waiting;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.HandOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.HandedOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.NoticesMissed;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.PermitFree;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.PollReply;

/** How a waiter gets its permit, or leaves. */
class WaitingTest {

    static final SemaphoreSpec FAIR = SemaphoreSpec.named("reports").permits(1).fair(true).expire(Duration.ofSeconds(30))
            .maxWait(Duration.ofSeconds(60)).build();
    static final SemaphoreSpec UNFAIR = FAIR.toBuilder().fair(false).build();
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
        assertThat(engine.returns.pending()).as("permits to be given back").isZero();
    }

    /** The store hands the permit over; the waiter asks nothing more. */
    @Test
    void aHandOverEndsTheWait() {
        Admission admission = wait(FAIR);
        assertThat(granted(admission)).isNotDone();

        handOver(idOf("reports"), 30_000);

        assertThat(granted(admission)).isCompletedWithValueMatching(permits -> permits.get(0).fencingToken() == 42);
        assertThat(store.log).containsExactly("acquire reports");
        end(admission);
    }

    /**
     * The first lease of a hand-over may be shorter than the minimum hold. The execution starts when the waiter has the full
     * one, so that the permit stays taken for that long even if the process dies then.
     */
    @Test
    void withAMinimumHoldTheWaiterAsksForItsFullLeaseFirst() {
        SemaphoreSpec held = FAIR.toBuilder().minHold(Duration.ofSeconds(20)).build();
        Admission admission = wait(held);
        String id = idOf("reports");

        handOver(id, 2_000);
        assertThat(granted(admission)).as("before it has the full lease").isNotDone();
        assertThat(store.log).containsExactly("acquire reports", "acquire reports");
        assertThat(idOf("reports")).as("the same permit").isEqualTo(id);
        store.acquires.get("reports").complete(new Granted(42, false));

        assertThat(granted(admission)).isCompletedWithValueMatching(permits -> permits.get(0).fencingToken() == 42);
        end(admission);
        assertThat(store.minHolds).containsExactly(Duration.ofSeconds(20));
    }

    /** The hand-over may be faster than the answer that tells of the place. */
    @Test
    void withAMinimumHoldAHandOverBeforeTheAnswerIsAskedForToo() {
        Admission admission = ask(FAIR.toBuilder().minHold(Duration.ofSeconds(20)).build());
        handOver(idOf("reports"), 2_000);
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        assertThat(store.log).containsExactly("acquire reports", "acquire reports");

        store.acquires.get("reports").complete(new Granted(42, false));

        assertThat(granted(admission)).isCompleted();
        end(admission);
    }

    /** Nothing ran with it, so it is free at once. */
    @Test
    void aWaiterThatLeavesHasNoMinimumHold() {
        Admission admission = wait(FAIR.toBuilder().minHold(Duration.ofSeconds(20)).build());

        admission.end();
        store.answerReleases(false);

        assertThat(store.minHolds).containsExactly(Duration.ZERO);
        assertThat(granted(admission)).isCompletedExceptionally();
    }

    /** Trap 11: the notice may be faster than the answer to the request. */
    @Test
    void aHandOverMayComeBeforeTheAnswer() {
        Admission admission = ask(FAIR);
        handOver(idOf("reports"), 30_000);
        assertThat(granted(admission)).isCompleted();

        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));

        assertThat(granted(admission)).isCompleted();
        end(admission);
        assertThat(store.log).containsExactly("acquire reports", "release reports");
    }

    /**
     * Without the store's clock it is not known how old the hand-over is. Its first lease lasts two seconds from the request on
     * at least, and ends here a margin of a twentieth earlier.
     */
    @Test
    void aHandOverBeforeTheAnswerCountsForNoLongerThanIsSure() {
        Admission admission = ask(FAIR);
        handOver(idOf("reports"), STORE_TIME + 30_000);
        HeldPermit permit = granted(admission).getNow(List.of()).get(0);

        timers.jump(Duration.ofMillis(1_899));
        assertThat(permit.isHeld()).isTrue();
        timers.jump(Duration.ofMillis(1));
        assertThat(permit.isHeld()).isFalse();
        end(admission);
    }

    /** Trap 7: the process was paused, and asks a last time before it reads what came meanwhile. */
    @Test
    void anOldHandOverThatIsToldDuringTheLastLookIsNone() {
        Admission admission = wait(FAIR);
        timers.jump(Duration.ofMinutes(1));
        timers.advance(Duration.ofMillis(1));

        handOver(idOf("reports"), STORE_TIME + 500 + 30_000);

        assertThat(granted(admission)).as("its lease is over").isNotDone();
        store.acquires.get("reports").complete(new Full(1, FAR, false));
        assertThat(granted(admission)).isCompletedExceptionally();
    }

    /** Trap 4: the late answer tells that a copy of the request may follow; the release then refuses that. */
    @Test
    void aCopyThatIsToldLateIsRefusedAtTheEnd() {
        Admission admission = ask(FAIR);
        handOver(idOf("reports"), 30_000);
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, true));

        admission.end();

        assertThat(store.log).containsExactly("acquire reports", "cancel reports 1");
    }

    /** Trap 4: no answer came at all, but a notice: a copy of the request may still be on its way. */
    @Test
    void aRequestWithoutAnAnswerIsRefusedAtTheEnd() {
        Admission admission = ask(FAIR);
        handOver(idOf("reports"), 30_000);
        store.acquires.get("reports").completeExceptionally(ManualStore.lost());
        assertThat(granted(admission)).isCompleted();

        admission.end();

        assertThat(store.log).containsExactly("acquire reports", "cancel reports 1");
    }

    /** Trap 7: the answer took longer than the lease; the permit may belong to another caller by now. */
    @Test
    void aGrantThatIsToldTooLateIsNone() {
        Admission admission = ask(FAIR);
        timers.jump(Duration.ofSeconds(31));

        store.acquires.get("reports").complete(new Granted(7, false));

        assertThat(rejection(admission)).isInstanceOf(BulkheadUnavailableException.class).hasMessageContaining("lease");
        assertThat(store.cancelled).containsExactly(idOf("reports"));
        admission.end();
    }

    /** Definitions of one name may differ within a process: no waiter sleeps while a permit is free under its own limit. */
    @Test
    void theLargestLimitIsAskedFor() {
        Admission small = wait(UNFAIR);
        Admission large = wait(UNFAIR.toBuilder().permits(10).build());
        String largeId = idOf("reports");
        store.listener.accept(new NoticesMissed());
        assertThat(store.polledLimits).containsExactly(10);

        store.polls.get(0).reply().complete(new PollReply(Map.of(), Set.of(), 1, FAR, STORE_TIME));

        assertThat(idOf("reports")).isEqualTo(largeId);
        assertThat(store.log.stream().filter("acquire reports"::equals)).hasSize(3);
        store.acquires.get("reports").complete(new Granted(43, false));
        assertThat(granted(large)).isCompleted();
        end(large);
        leave(small);
    }

    @Test
    void aCopyThatIsToldAfterTheEndIsReclaimed() {
        Admission admission = ask(FAIR);
        handOver(idOf("reports"), 30_000);
        end(admission);
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, true));

        assertThat(store.log).containsExactly("acquire reports", "release reports", "cancel reports 1");
    }

    /** The lease began when the store handed the permit over, not when the message came. */
    @Test
    void theLeaseOfAHandOverIsByTheStoresClock() {
        Admission admission = wait(FAIR);
        timers.advance(Duration.ofMillis(1_500));
        // Handed over 500 ms after the request, and told a second later.
        handOver(idOf("reports"), STORE_TIME + 500 + 2_000);
        HeldPermit permit = granted(admission).getNow(List.of()).get(0);

        // A margin of 100 ms before it ends in the store.
        timers.jump(Duration.ofMillis(899));
        assertThat(permit.isHeld()).isTrue();
        timers.jump(Duration.ofMillis(1));
        assertThat(permit.isHeld()).isFalse();
        end(admission);
    }

    /** Trap 7, Trap 29: a hand-over received after its lease expired is discarded; the waiter queues again. */
    @Test
    void aHandOverThatIsToldTooLateIsNone() {
        Admission admission = wait(FAIR);
        String first = idOf("reports");
        timers.jump(Duration.ofSeconds(31));

        handOver(first, STORE_TIME + 500 + 30_000);

        assertThat(granted(admission)).isNotDone();
        assertThat(store.cancelled).containsExactly(first);
        assertThat(store.log).endsWith("acquire reports");
        assertThat(idOf("reports")).isNotEqualTo(first);
        store.acquires.get("reports").complete(new Granted(43, false));
        assertThat(granted(admission)).isCompleted();
        end(admission);
    }

    @Test
    void aFreePermitIsAskedForAgain() {
        Admission admission = wait(UNFAIR);
        String id = idOf("reports");

        store.listener.accept(new PermitFree(id));

        assertThat(store.log).containsExactly("acquire reports", "acquire reports");
        assertThat(idOf("reports")).as("the same place").isEqualTo(id);
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        assertThat(granted(admission)).as("another caller was faster").isNotDone();
        store.listener.accept(new PermitFree(id));
        store.acquires.get("reports").complete(new Granted(43, false));
        assertThat(granted(admission)).isCompleted();
        end(admission);
    }

    /** Trap 11: the message about the free permit arrives before the reply "wait". */
    @Test
    void aNoticeWhileAskingIsNotForgotten() {
        Admission admission = ask(UNFAIR);
        store.listener.accept(new PermitFree(idOf("reports")));
        assertThat(store.log).containsExactly("acquire reports");

        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));

        assertThat(store.log).containsExactly("acquire reports", "acquire reports");
        store.acquires.get("reports").complete(new Granted(43, false));
        end(admission);
    }

    /**
     * Trap 26: one notice makes one waiter ask, the one that the store chose. If another one took the permit in its place, the
     * store would tell no one of the next permit until this one had asked.
     */
    @Test
    void oneFreePermitWakesTheWaiterThatTheStoreChose() {
        Admission first = wait(UNFAIR);
        Admission second = wait(UNFAIR);
        String secondId = idOf("reports");

        store.listener.accept(new PermitFree(secondId));

        assertThat(store.log).containsExactly("acquire reports", "acquire reports", "acquire reports");
        assertThat(idOf("reports")).isEqualTo(secondId);
        store.acquires.get("reports").complete(new Granted(43, false));
        assertThat(granted(second)).isCompleted();
        assertThat(granted(first)).isNotDone();
        end(second);
        leave(first);
    }

    /** Trap 11, Trap 12: expiry is not published, so the waiters poll then, all of them in one command. */
    @Test
    void waitersAskWhenTheNearestLeaseEnds() {
        Admission first = wait(FAIR, Duration.ofMillis(700));
        Admission second = wait(FAIR, Duration.ofMillis(700));
        timers.advance(Duration.ofMillis(700));
        assertThat(store.polls).isEmpty();
        timers.advance(Duration.ofMillis(1));

        Asked<PollReply> poll = store.polls.get(0);
        assertThat(poll.permits()).hasSize(2).containsValue(PermitStore.LONGEST_PLACE);
        String firstId = poll.permits().keySet().stream().filter(id -> !id.equals(idOf("reports"))).findFirst().orElseThrow();
        poll.reply().complete(new PollReply(Map.of(firstId, new HandOver(42, STORE_TIME + 31_000)), Set.of(), 0,
                Duration.ofSeconds(30), STORE_TIME + 701));

        assertThat(granted(first)).isCompleted();
        assertThat(granted(second)).isNotDone();
        end(first);
        leave(second);
    }

    /** Trap 10, Trap 11: and else once a second, which also shows that they live; with a spread, never at a fixed rate. */
    @Test
    void waitersAskOnceASecond() {
        Admission admission = wait(FAIR);
        timers.advance(Duration.ofMillis(899));
        assertThat(store.polls).isEmpty();
        timers.advance(Duration.ofMillis(1));
        assertThat(store.polls).hasSize(1);

        answerPoll(FAR);
        timers.advance(Duration.ofMillis(900));
        assertThat(store.polls).hasSize(2);
        answerPoll(FAR);
        leave(admission);
        assertThat(timers.planned()).isZero();
    }

    /** Trap 10: on a slow link the answer to one sign of life does not hold up the next. */
    @Test
    void aSlowAnswerDoesNotDelayTheNextSignOfLife() {
        Admission admission = wait(FAIR);
        timers.advance(Duration.ofMillis(900));
        timers.advance(Duration.ofMillis(800));
        answerPoll(FAR);
        assertThat(store.polls).hasSize(1);
        timers.advance(Duration.ofMillis(100));
        assertThat(store.polls).as("900 ms after the first one was sent").hasSize(2);

        timers.advance(Duration.ofSeconds(2));
        answerPoll(FAR);
        timers.advance(Duration.ofMillis(1));
        assertThat(store.polls).as("as soon as the late answer is there").hasSize(3);
        leave(admission);
    }

    /** Trap 10: the first lease is short, as the waiter may be dead; a live one renews it at a third, as any other. */
    @Test
    void theShortLeaseOfAHandOverIsRenewedInTime() {
        Admission admission = wait(FAIR);
        handOver(idOf("reports"), 2_000);
        HeldPermit permit = granted(admission).getNow(List.of()).get(0);

        timers.advance(Duration.ofMillis(660));
        assertThat(store.renewals).isEmpty();
        timers.advance(Duration.ofMillis(10));
        assertThat(store.renewals).hasSize(1);
        assertThat(store.renewals.get(0).permits()).containsValue(FAIR.expire());
        store.renewals.get(0).reply().complete(Set.of());
        timers.jump(Duration.ofSeconds(20));
        assertThat(permit.isHeld()).isTrue();
        end(admission);
    }

    /** Trap 6: a renewal that fails is tried again while the short lease lasts, not after a share of a long one. */
    @Test
    void theShortLeaseOfAHandOverIsRenewedAgainWhenARenewalFails() {
        Admission admission = wait(FAIR);
        handOver(idOf("reports"), 2_000);
        HeldPermit permit = granted(admission).getNow(List.of()).get(0);
        timers.advance(Duration.ofMillis(670));
        store.renewals.get(0).reply().completeExceptionally(ManualStore.lost());

        timers.advance(Duration.ofMillis(400));
        assertThat(store.renewals).hasSize(2);
        store.renewals.get(1).reply().complete(Set.of());

        timers.jump(Duration.ofSeconds(20));
        assertThat(permit.isHeld()).isTrue();
        assertThat(losses).isEmpty();
        end(admission);
    }

    /** Work that is shorter than a third of the first lease costs no renewal. */
    @Test
    void shortWorkAfterAHandOverNeedsNoRenewal() {
        Admission admission = wait(FAIR);
        handOver(idOf("reports"), 2_000);
        timers.advance(Duration.ofMillis(600));
        end(admission);

        assertThat(store.log).containsExactly("acquire reports", "release reports");
        assertThat(store.renewals).isEmpty();
    }

    /** Leases that are renewed over and over seem to end soon each time; waiters must not ask each time. */
    @Test
    void askingInVainBecomesRare() {
        Admission admission = wait(FAIR, Duration.ofMillis(50));
        for (int i = 0; i < 1_000; i++) {
            timers.advance(Duration.ofMillis(50));
            if (!store.polls.isEmpty() && !store.polls.get(store.polls.size() - 1).reply().isDone()) {
                answerPoll(Duration.ofMillis(50));
            }
        }
        assertThat(store.polls).as("questions in 50 s").hasSizeBetween(50, 65);
        leave(admission);
    }

    @Test
    void waitersAskAtOnceWhenNoticesWereMissed() {
        Admission admission = wait(FAIR);

        store.listener.accept(new NoticesMissed());
        store.listener.accept(new NoticesMissed());

        assertThat(store.polls).as("one question at a time").hasSize(1);
        answerPoll(FAR);
        assertThat(store.polls).hasSize(2);
        answerPoll(FAR);
        assertThat(store.polls).hasSize(2);
        leave(admission);
    }

    @Test
    void freePermitsThatAreFoundByAskingAreAskedForByAsMany() {
        List<Admission> admissions = IntStream.range(0, 5).mapToObj(i -> wait(UNFAIR)).toList();
        store.listener.accept(new NoticesMissed());

        store.polls.get(0).reply().complete(new PollReply(Map.of(), Set.of(), 2, FAR, STORE_TIME));

        assertThat(store.log.stream().filter("acquire reports"::equals)).hasSize(5 + 2);
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        admissions.forEach(Admission::end);
        // The other one that asked leaves when its answer comes; the manual store keeps only the last.
        engine.waiters.stop();
        store.pending.forEach(reply -> reply.complete(new Waiting(1, FAR, STORE_TIME, 0, false)));
        store.answerReleases(false);
    }

    /** Redisson #6664: where messages are lost, a waiter that is too heavy for what is free does not block those behind it. */
    @Test
    void aPollLetsThoseAskForWhomEnoughIsFree() {
        Admission heavy = wait(UNFAIR.toBuilder().permits(5).weight(3).build());
        assertThat(idOf("reports")).startsWith("*3*");
        Admission light = wait(UNFAIR.toBuilder().permits(5).build());
        store.listener.accept(new NoticesMissed());

        store.polls.get(0).reply().complete(new PollReply(Map.of(), Set.of(), 2, FAR, STORE_TIME));

        assertThat(store.log.stream().filter("acquire reports"::equals)).hasSize(2 + 1);
        assertThat(idOf("reports")).doesNotStartWith("*");
        store.acquires.get("reports").complete(new Granted(43, false));
        assertThat(granted(light)).isCompleted();
        end(light);
        leave(heavy);
    }

    /** The limit became less than its weight while it waited. */
    @Test
    void aCallThatWeighsMoreThanTheLimitIsRejectedWithTheReason() {
        Admission heavy = wait(UNFAIR.toBuilder().permits(5).weight(3).build());
        store.listener.accept(new PermitFree(idOf("reports")));

        store.acquires.get("reports").complete(new Full(2, FAR, false));

        assertThat(rejection(heavy)).isInstanceOf(BulkheadFullException.class)
                .hasMessageContaining("has a limit of 2, below the weight 3 of this call");
        heavy.end();
    }

    @Test
    void aWaiterThatTheStoreForgotQueuesAgain() {
        Admission admission = wait(FAIR);
        String first = idOf("reports");
        store.listener.accept(new NoticesMissed());

        store.polls.get(0).reply().complete(new PollReply(Map.of(), Set.of(first), 0, FAR, STORE_TIME));

        assertThat(store.log).endsWith("acquire reports");
        assertThat(idOf("reports")).isNotEqualTo(first);
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        leave(admission);
    }

    /** Trap 4: a copy of the request for the old permit may still arrive; a message about that permit is too late. */
    @Test
    void whoBeginsAnewHasDoneWithTheOldPermit() {
        Admission admission = ask(FAIR);
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, true));
        String first = idOf("reports");
        store.whenCancelled = () -> handOver(first, 30_000);
        store.listener.accept(new NoticesMissed());

        store.polls.get(0).reply().complete(new PollReply(Map.of(), Set.of(first), 0, FAR, STORE_TIME));

        assertThat(store.cancelled).containsExactly(first);
        assertThat(granted(admission)).isNotDone();
        assertThat(store.log).endsWith("acquire reports");
        store.acquires.get("reports").complete(new Granted(43, false));
        assertThat(granted(admission)).isCompletedWithValueMatching(permits -> permits.get(0).fencingToken() == 43);
        end(admission);
        assertThat(store.log).as("no copy of the new one may come").endsWith("release reports");
    }

    /**
     * Guarantee 5: a waiter that the store has lost asks for another permit and keeps its order by its old ticket, as often as
     * that happens.
     */
    @Test
    void aLostWaiterQueuesAgainWithItsOldTicket() {
        Admission admission = ask(FAIR);
        assertThat(store.requests.get("reports").ticket()).isZero();
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 4711, false));
        for (int i = 0; i < 2; i++) {
            String id = idOf("reports");
            store.listener.accept(new NoticesMissed());
            store.polls.get(store.polls.size() - 1).reply()
                    .complete(new PollReply(Map.of(), Set.of(id), 0, FAR, STORE_TIME));

            assertThat(idOf("reports")).isNotEqualTo(id);
            assertThat(store.requests.get("reports").ticket()).isEqualTo(4711);
            store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 4711, false));
        }
        leave(admission);
    }

    /** The last look of a waiter that the store has lost meanwhile does not overtake. */
    @Test
    void theLastLookStatesTheTicket() {
        Admission admission = ask(FAIR);
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 4711, false));
        answerPolls();
        timers.advance(Duration.ofMinutes(1));

        assertThat(store.requests.get("reports").ticket()).isEqualTo(4711);
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 4711, false));
        leave(admission);
    }

    /** A permit that would not be held here from the start is none. */
    @Test
    void whatIsToldWithinTheMarginOfTheLeaseIsGivenBack() {
        Admission asking = ask(FAIR);
        timers.jump(Duration.ofMillis(29_001));
        store.acquires.get("reports").complete(new Granted(42, false));

        assertThat(rejection(asking)).isInstanceOf(BulkheadUnavailableException.class);
        assertThat(store.cancelled).containsExactly(idOf("reports"));

        Admission waiting = wait(FAIR);
        String first = idOf("reports");
        timers.jump(Duration.ofMillis(29_901));
        handOver(first, 30_000);
        assertThat(granted(waiting)).isNotDone();
        assertThat(store.cancelled).contains(first);
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        leave(waiting);
    }

    /** Trap 9, Trap 29: a waiter that gives up leaves the store first; a permit handed over meanwhile goes to the next one. */
    @Test
    void afterMaxWaitThePlaceIsGivenBackAndThenTheCallRejected() {
        Admission admission = wait(FAIR);
        answerPolls();
        timers.advance(Duration.ofSeconds(59));
        answerPolls();
        assertThat(store.log).doesNotContain("release reports");
        timers.advance(Duration.ofSeconds(1));
        assertThat(store.log).as("a last look").endsWith("acquire reports");
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        assertThat(store.log).endsWith("release reports");
        assertThat(granted(admission)).isNotDone();
        handOver(idOf("reports"), STORE_TIME + 90_000);
        assertThat(granted(admission)).as("too late").isNotDone();

        store.answerReleases(true);

        assertThat(rejection(admission)).isInstanceOfSatisfying(BulkheadFullException.class, e -> {
            assertThat(e.limit()).isEqualTo(1);
            assertThat(e.nearestLeaseEnd()).isEqualTo(FAR);
        });
        assertThat(admission.end().toCompletableFuture()).isCompleted();
        assertThat(losses).isEmpty();
    }

    /** Trap 11: the message about the free permit, or the hand-over, was lost; the last request finds it. */
    @Test
    void theLastLookMayFindAPermit() {
        Admission admission = wait(FAIR);
        String id = idOf("reports");
        answerPolls();
        timers.advance(Duration.ofMinutes(1));
        assertThat(idOf("reports")).isEqualTo(id);

        store.acquires.get("reports").complete(new Granted(43, false));

        assertThat(granted(admission)).isCompletedWithValueMatching(permits -> permits.get(0).fencingToken() == 43);
        assertThat(store.log).doesNotContain("release reports");
        end(admission);
    }

    /** In whole milliseconds, so that requests of about the same moment can share what they state, see {@code bulkhead.lua}. */
    @Test
    void aPlaceIsAWholeNumberOfMilliseconds() {
        Admission admission = wait(UNFAIR.toBuilder().maxWait(Duration.ofMillis(2_500)).build());
        timers.advance(Duration.ofNanos(300_000));

        store.listener.accept(new PermitFree(idOf("reports")));

        assertThat(store.requests.get("reports").place()).isEqualTo(Duration.ofMillis(2_499));
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        end(admission);
    }

    /** The place lives no longer than the caller waits. */
    @Test
    void aPlaceDoesNotOutliveTheWait() {
        SemaphoreSpec brief = FAIR.toBuilder().maxWait(Duration.ofMillis(2_500)).build();
        Admission admission = ask(brief);
        assertThat(store.requests.get("reports").place()).isEqualTo(Duration.ofMillis(2_500));
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        timers.advance(Duration.ofMillis(900));

        assertThat(store.polls.get(0).permits()).containsValue(Duration.ofMillis(1_600));
        leave(admission);
    }

    @Test
    void timeThatIsOverWhileAskingEndsTheWaitWithTheAnswer() {
        Admission admission = ask(FAIR);
        timers.advance(Duration.ofSeconds(60));
        assertThat(granted(admission)).isNotDone();

        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        store.answerReleases(false);

        assertThat(rejection(admission)).isInstanceOfSatisfying(BulkheadFullException.class,
                e -> assertThat(e.nearestLeaseEnd()).isEqualTo(FAR));
        assertThat(store.log).containsExactly("acquire reports", "release reports");
        admission.end();
    }

    /** Trap 9. */
    @Test
    void endingTheWaitLeavesTheStore() {
        Admission admission = wait(FAIR.toBuilder().awaitRelease(true).build());
        CompletableFuture<Void> ended = admission.end().toCompletableFuture();
        assertThat(store.log).containsExactly("acquire reports", "release reports");
        assertThat(ended).isNotDone();

        store.answerReleases(false);

        assertThat(ended).isCompleted();
        assertThat(rejection(admission)).isInstanceOf(CancellationException.class);
        assertThat(timers.planned()).isZero();
    }

    /** Trap 9. */
    @Test
    void endingWhileAskingLeavesTheStoreWhenTheAnswerComes() {
        Admission admission = ask(FAIR);
        CompletableFuture<Void> ended = admission.end().toCompletableFuture();
        assertThat(store.log).containsExactly("acquire reports");

        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));

        assertThat(store.log).containsExactly("acquire reports", "release reports");
        store.answerReleases(false);
        assertThat(ended).isCompleted();
    }

    /** Trap 9: the store is away when the waiter leaves. */
    @Test
    void aPlaceThatCannotBeGivenBackIsReclaimed() {
        Admission admission = wait(FAIR);
        store.down = true;
        CompletableFuture<Void> ended = admission.end().toCompletableFuture();
        store.releases.get("reports").completeExceptionally(ManualStore.lost());
        assertThat(ended).isCompleted();
        assertThat(engine.returns.pending()).isEqualTo(1);

        store.down = false;
        timers.advance(Duration.ofSeconds(1));

        assertThat(store.cancelled).containsExactly(idOf("reports"));
    }

    /** Trap 39: a caller that waits keeps waiting while the store is away, and has its permit when the store is back. */
    @Test
    void anOutageDoesNotEndAWait() {
        Admission admission = wait(FAIR);
        String id = idOf("reports");
        for (int i = 0; i < 3; i++) {
            timers.advance(Duration.ofSeconds(1));
            store.polls.get(i).reply().completeExceptionally(ManualStore.away());
            assertThat(granted(admission)).isNotDone();
        }
        store.listener.accept(new HandedOver(id, new HandOver(42, STORE_TIME + 5_000)));

        assertThat(granted(admission)).isCompleted();
        end(admission);
    }

    /** Trap 39: the wait ends in the middle of the outage. */
    @Test
    void aWaitThatEndsInAnOutageSaysSo() {
        Admission admission = wait(FAIR);
        timers.advance(Duration.ofSeconds(1));
        store.polls.get(0).reply().completeExceptionally(ManualStore.away());
        timers.advance(FAIR.maxWait());
        store.acquires.get("reports").completeExceptionally(ManualStore.away());

        assertThat(rejection(admission)).isInstanceOf(BulkheadUnavailableException.class).hasMessageContaining("1000 ms");
        assertThat(store.cancelled).as("the place is given back").hasSize(1);
        admission.end();
    }

    /**
     * Trap 39: a waiter that asks again just then asks once more, with the same permit, and its earlier copies are refused at
     * the end.
     */
    @Test
    void aWaiterThatAsksAgainInAnOutageAsksLater() {
        Admission admission = wait(UNFAIR);
        String id = idOf("reports");
        store.listener.accept(new PermitFree(id));
        store.acquires.get("reports").completeExceptionally(ManualStore.away());
        assertThat(granted(admission)).isNotDone();
        timers.advance(Duration.ofMillis(200));
        assertThat(idOf("reports")).isEqualTo(id);
        store.acquires.get("reports").complete(new Granted(7, false));

        assertThat(granted(admission)).isCompleted();
        admission.end();
        assertThat(store.cancelled).containsExactly(id);
    }

    /**
     * Trap 39: the poll of a waiter fails after the waiter has requested its permit, as both are in flight when an outage
     * begins.
     */
    @Test
    void aPollThatFailsDoesNotEndARequest() {
        Admission admission = wait(UNFAIR);
        timers.advance(Duration.ofSeconds(1));
        store.listener.accept(new PermitFree(idOf("reports")));
        store.polls.get(0).reply().completeExceptionally(ManualStore.away());
        assertThat(granted(admission)).as("while the request is in flight").isNotDone();
        store.acquires.get("reports").completeExceptionally(ManualStore.away());
        assertThat(granted(admission)).as("while it is retried").isNotDone();
        timers.advance(Duration.ofMillis(200));
        store.acquires.get("reports").complete(new Granted(7, false));

        assertThat(granted(admission)).isCompleted();
        admission.end();
    }

    /** Trap 4: a request fails after a hand-over has granted its permit. Its copies are refused when the permit is released. */
    @Test
    void aRequestThatFailsAfterTheHandOverLeavesNoCopy() {
        Admission admission = wait(UNFAIR);
        String id = idOf("reports");
        store.listener.accept(new PermitFree(id));
        handOver(id, 30_000);
        assertThat(granted(admission)).isCompleted();
        store.acquires.get("reports").completeExceptionally(ManualStore.away());
        assertThat(store.cancelled).as("while the permit is held").isEmpty();

        admission.end();

        assertThat(store.cancelled).containsExactly(id);
    }

    /** Trap 4: the reply to a retry is final, but the request before it may still arrive. */
    @Test
    void aRejectionAfterARetryLeavesNoCopy() {
        Admission admission = wait(UNFAIR);
        String id = idOf("reports");
        store.listener.accept(new PermitFree(id));
        store.acquires.get("reports").completeExceptionally(ManualStore.away());
        timers.advance(Duration.ofMillis(200));
        store.acquires.get("reports").complete(new Full(1, FAR, false));

        assertThat(rejection(admission)).isInstanceOf(BulkheadFullException.class);
        assertThat(store.cancelled).containsExactly(id);
        admission.end();
    }

    /** A hand-over comes just before the waiter requests its permit: the request would come behind the release. */
    @Test
    void aPermitThatIsHeldIsNotRequested() {
        Admission admission = ask(UNFAIR);
        String id = idOf("reports");
        store.listener.accept(new PermitFree(id));
        admission.attempted().thenRun(() -> handOver(id, 30_000));
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));

        assertThat(granted(admission)).isCompleted();
        assertThat(store.log).containsExactly("acquire reports");
        end(admission);
    }

    /**
     * The hand-over, the execution and the release all come while the request is on its way to the store, so it takes a permit,
     * or a place.
     */
    @Test
    void aRequestThatComesBehindTheReleaseTakesNothing() {
        for (AcquireReply reply : List.of(new Granted(43, false), new Waiting(1, FAR, STORE_TIME, 0, false))) {
            Admission admission = wait(UNFAIR);
            String id = idOf("reports");
            store.beforeAcquire = () -> {
                handOver(id, 30_000);
                end(admission);
            };
            store.listener.accept(new PermitFree(id));
            store.beforeAcquire = () -> {
            };
            store.acquires.get("reports").complete(reply);

            assertThat(granted(admission)).isCompleted();
            assertThat(store.cancelled).containsExactly(id);
            store.cancelled.clear();
        }
    }

    /** Trap 25: what cannot pass by itself, such as a missing right, ends the wait. */
    @Test
    void aRefusalThatStaysEndsTheWait() {
        Admission admission = wait(FAIR);
        timers.advance(Duration.ofSeconds(3));

        store.polls.get(0).reply().completeExceptionally(ManualStore.lost());

        assertThat(rejection(admission)).isInstanceOf(BulkheadUnavailableException.class);
        assertThat(store.cancelled).as("the place is given back").hasSize(1);
        admission.end();
    }

    @Test
    void whoWaitsIsToldThatTheApplicationStops() {
        Admission waiting = wait(FAIR);
        Admission asking = ask(SemaphoreSpec.named("other").permits(1).maxWait(Duration.ofSeconds(5)).build());

        engine.refuseAndRejectWaiters();
        store.answerReleases(false);
        store.acquires.get("other").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        store.answerReleases(false);

        assertThat(rejection(waiting)).isInstanceOf(BulkheadUnavailableException.class).hasMessageContaining("stopping");
        assertThat(rejection(asking)).isInstanceOf(BulkheadUnavailableException.class).hasMessageContaining("stopping");
        assertThat(rejection(ask(FAIR))).isInstanceOf(BulkheadUnavailableException.class).hasMessageContaining("stopping");
        assertThat(store.log.stream().filter(line -> line.startsWith("acquire"))).hasSize(2);
    }

    /** Trap 24: without waiting there is one attempt, and the store is told not to remember it. */
    @Test
    void withoutWaitingThereIsOneAttempt() {
        Admission admission = ask(FAIR.toBuilder().maxWait(Duration.ZERO).build());
        assertThat(store.requests.get("reports").place()).isZero();
        store.acquires.get("reports").complete(new Full(1, FAR, false));

        assertThat(rejection(admission)).isInstanceOf(BulkheadFullException.class);
        timers.advance(Duration.ofMinutes(1));
        assertThat(store.log).containsExactly("acquire reports");
        assertThat(timers.planned()).isZero();
    }

    @Test
    void askedTellsAsSoonAsItIsClearThatTheCallMustWait() {
        Admission admission = ask(FAIR);
        assertThat(admission.attempted().toCompletableFuture()).isNotDone();
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        assertThat(admission.attempted().toCompletableFuture()).isCompleted();
        leave(admission);
    }

    private Admission ask(SemaphoreSpec spec) {
        return engine.semaphore(spec).admit("A#a");
    }

    private Admission wait(SemaphoreSpec spec) {
        return wait(spec, FAR);
    }

    private Admission wait(SemaphoreSpec spec, Duration nearestLeaseEnd) {
        Admission admission = ask(spec);
        store.acquires.get(spec.name()).complete(new Waiting(1, nearestLeaseEnd, STORE_TIME, 0, false));
        return admission;
    }

    private void end(Admission admission) {
        admission.end();
        store.answerReleases(true);
        assertThat(admission.end().toCompletableFuture()).isCompleted();
    }

    private void leave(Admission admission) {
        admission.end();
        store.answerReleases(false);
        assertThat(admission.end().toCompletableFuture()).isCompleted();
    }

    private String idOf(String bulkhead) {
        return store.requests.get(bulkhead).permitId();
    }

    private void handOver(String id, long leaseEndMillis) {
        long end = leaseEndMillis < STORE_TIME ? STORE_TIME + leaseEndMillis : leaseEndMillis;
        store.listener.accept(new HandedOver(id, new HandOver(42, end)));
    }

    private void answerPoll(Duration nearestLeaseEnd) {
        store.polls.get(store.polls.size() - 1).reply()
                .complete(new PollReply(Map.of(), Set.of(), 0, nearestLeaseEnd, STORE_TIME));
    }

    private void answerPolls() {
        store.answerPolls = () -> new PollReply(Map.of(), Set.of(), 0, FAR, STORE_TIME);
    }

    private static CompletableFuture<List<HeldPermit>> granted(Admission admission) {
        return admission.granted().toCompletableFuture();
    }

    private static Throwable rejection(Admission admission) {
        return granted(admission).handle((done, failure) -> Failures.cause(failure)).getNow(null);
    }
}
