package io.quarkiverse.redisbulkhead.runtime.bulkhead;

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
import io.quarkiverse.redisbulkhead.runtime.bulkhead.ManualStore.BatchCall;
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

/** How waiters get a permit or leave the queue. */
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
        assertThat(engine.returns.pending()).as("permits to be returned").isZero();
    }

    /** The waiter sends no further request. */
    @Test
    void handOverEndsTheWait() {
        Admission admission = admitWaiter(FAIR);
        assertThat(granted(admission)).isNotDone();

        handOver(idOf("reports"), 30_000);

        assertThat(granted(admission)).isCompletedWithValueMatching(permits -> permits.get(0).fencingToken() == 42);
        assertThat(store.log).containsExactly("acquire reports");
        end(admission);
    }

    /**
     * The first lease of a hand-over may be shorter than min-hold. The execution starts after the waiter has the full lease,
     * so that min-hold applies even if the process then dies.
     */
    @Test
    void waiterWithMinHoldRequestsTheFullLeaseFirst() {
        SemaphoreSpec held = FAIR.toBuilder().minHold(Duration.ofSeconds(20)).build();
        Admission admission = admitWaiter(held);
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

    /** The hand-over may arrive before the reply to the request. */
    @Test
    void handOverBeforeTheReplyWithMinHoldRequestsTheFullLease() {
        Admission admission = admit(FAIR.toBuilder().minHold(Duration.ofSeconds(20)).build());
        handOver(idOf("reports"), 2_000);
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        assertThat(store.log).containsExactly("acquire reports", "acquire reports");

        store.acquires.get("reports").complete(new Granted(42, false));

        assertThat(granted(admission)).isCompleted();
        end(admission);
    }

    /** No execution used the permit. */
    @Test
    void leavingWaiterHasNoMinHold() {
        Admission admission = admitWaiter(FAIR.toBuilder().minHold(Duration.ofSeconds(20)).build());

        admission.end();
        store.replyToReleases(false);

        assertThat(store.minHolds).containsExactly(Duration.ZERO);
        assertThat(granted(admission)).isCompletedExceptionally();
    }

    /** Trap 11: the notification may arrive before the reply. */
    @Test
    void handOverMayArriveBeforeTheReply() {
        Admission admission = admit(FAIR);
        handOver(idOf("reports"), 30_000);
        assertThat(granted(admission)).isCompleted();

        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));

        assertThat(granted(admission)).isCompleted();
        end(admission);
        assertThat(store.log).containsExactly("acquire reports", "release reports");
    }

    /**
     * The age of the hand-over is unknown without the store's clock. Its first lease lasts at least two seconds from the
     * request, minus a margin of a twentieth.
     */
    @Test
    void handOverBeforeTheReplyCountsForTheShortestLease() {
        Admission admission = admit(FAIR);
        handOver(idOf("reports"), STORE_TIME + 30_000);
        HeldPermit permit = granted(admission).getNow(List.of()).get(0);

        timers.jump(Duration.ofMillis(1_899));
        assertThat(permit.isHeld()).isTrue();
        timers.jump(Duration.ofMillis(1));
        assertThat(permit.isHeld()).isFalse();
        end(admission);
    }

    /** Trap 7: after a pause, the process sends its last request before it reads the pending messages. */
    @Test
    void expiredHandOverDuringTheLastRequestIsDiscarded() {
        Admission admission = admitWaiter(FAIR);
        timers.jump(Duration.ofMinutes(1));
        timers.advance(Duration.ofMillis(1));

        handOver(idOf("reports"), STORE_TIME + 500 + 30_000);

        assertThat(granted(admission)).as("its lease is over").isNotDone();
        store.acquires.get("reports").complete(new Full(1, FAR, false));
        assertThat(granted(admission)).isCompletedExceptionally();
    }

    /** Trap 4: the late reply shows that a copy of the request may follow; the release refuses it. */
    @Test
    void copyReportedByALateReplyIsRefusedAtTheEnd() {
        Admission admission = admit(FAIR);
        handOver(idOf("reports"), 30_000);
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, true));

        admission.end();

        assertThat(store.log).containsExactly("acquire reports", "cancel reports 1");
    }

    /** Trap 4: a hand-over arrives but no reply; a copy of the request may still be in flight. */
    @Test
    void requestWithoutAReplyIsRefusedAtTheEnd() {
        Admission admission = admit(FAIR);
        handOver(idOf("reports"), 30_000);
        store.acquires.get("reports").completeExceptionally(ManualStore.lost());
        assertThat(granted(admission)).isCompleted();

        admission.end();

        assertThat(store.log).containsExactly("acquire reports", "cancel reports 1");
    }

    /** Trap 7: the reply took longer than the lease; another caller may hold the permit. */
    @Test
    void grantReceivedAfterItsLeaseIsDiscarded() {
        Admission admission = admit(FAIR);
        timers.jump(Duration.ofSeconds(31));

        store.acquires.get("reports").complete(new Granted(7, false));

        assertThat(rejection(admission)).isInstanceOf(BulkheadUnavailableException.class).hasMessageContaining("lease");
        assertThat(store.cancelled).containsExactly(idOf("reports"));
        admission.end();
    }

    /**
     * AnnotationDefinitions of one bulkhead may differ within a process: no waiter sleeps while a permit is free under its own
     * limit.
     */
    @Test
    void pollUsesTheLargestLimit() {
        Admission small = admitWaiter(UNFAIR);
        Admission large = admitWaiter(UNFAIR.toBuilder().permits(10).build());
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
    void copyReportedAfterTheEndIsCancelled() {
        Admission admission = admit(FAIR);
        handOver(idOf("reports"), 30_000);
        end(admission);
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, true));

        assertThat(store.log).containsExactly("acquire reports", "release reports", "cancel reports 1");
    }

    /** The lease starts when the store hands over the permit, not when the message arrives. */
    @Test
    void handOverLeaseUsesTheStoresClock() {
        Admission admission = admitWaiter(FAIR);
        timers.advance(Duration.ofMillis(1_500));
        // Handed over 500 ms after the request, received a second later.
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
    void handOverReceivedAfterItsLeaseIsDiscarded() {
        Admission admission = admitWaiter(FAIR);
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
    void notifiedWaiterRequestsThePermit() {
        Admission admission = admitWaiter(UNFAIR);
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

    /** Trap 11: the message about a free permit arrives before the reply. */
    @Test
    void notificationBeforeTheReplyIsKept() {
        Admission admission = admit(UNFAIR);
        store.listener.accept(new PermitFree(idOf("reports")));
        assertThat(store.log).containsExactly("acquire reports");

        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));

        assertThat(store.log).containsExactly("acquire reports", "acquire reports");
        store.acquires.get("reports").complete(new Granted(43, false));
        end(admission);
    }

    /**
     * Trap 26: one notification makes one waiter request a permit, the waiter that the store chose. If another waiter took
     * the permit, the store would notify no one of the next permit until the chosen waiter requested it.
     */
    @Test
    void freePermitWakesOnlyTheNotifiedWaiter() {
        Admission first = admitWaiter(UNFAIR);
        Admission second = admitWaiter(UNFAIR);
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

    /** Trap 11, Trap 12: expiry is not published, so the waiters poll then, in one command. */
    @Test
    void waitersPollAtTheNearestLeaseEnd() {
        Admission first = admitWaiter(FAIR, Duration.ofMillis(700));
        Admission second = admitWaiter(FAIR, Duration.ofMillis(700));
        timers.advance(Duration.ofMillis(700));
        assertThat(store.polls).isEmpty();
        timers.advance(Duration.ofMillis(1));

        BatchCall<PollReply> poll = store.polls.get(0);
        assertThat(poll.permits()).hasSize(2).containsValue(PermitStore.LONGEST_PLACE);
        String firstId = poll.permits().keySet().stream().filter(id -> !id.equals(idOf("reports"))).findFirst().orElseThrow();
        poll.reply().complete(new PollReply(Map.of(firstId, new HandOver(42, STORE_TIME + 31_000)), Set.of(), 0,
                Duration.ofSeconds(30), STORE_TIME + 701));

        assertThat(granted(first)).isCompleted();
        assertThat(granted(second)).isNotDone();
        end(first);
        leave(second);
    }

    /** Trap 10, Trap 11: the poll is also the heartbeat of waiters. Its interval has jitter. */
    @Test
    void waitersPollOnceASecond() {
        Admission admission = admitWaiter(FAIR);
        timers.advance(Duration.ofMillis(899));
        assertThat(store.polls).isEmpty();
        timers.advance(Duration.ofMillis(1));
        assertThat(store.polls).hasSize(1);

        replyToPoll(FAR);
        timers.advance(Duration.ofMillis(900));
        assertThat(store.polls).hasSize(2);
        replyToPoll(FAR);
        leave(admission);
        assertThat(timers.planned()).isZero();
    }

    /** Trap 10: on a slow link, a slow reply does not delay the next heartbeat. */
    @Test
    void slowReplyDoesNotDelayTheNextPoll() {
        Admission admission = admitWaiter(FAIR);
        timers.advance(Duration.ofMillis(900));
        timers.advance(Duration.ofMillis(800));
        replyToPoll(FAR);
        assertThat(store.polls).hasSize(1);
        timers.advance(Duration.ofMillis(100));
        assertThat(store.polls).as("900 ms after the first one was sent").hasSize(2);

        timers.advance(Duration.ofSeconds(2));
        replyToPoll(FAR);
        timers.advance(Duration.ofMillis(1));
        assertThat(store.polls).as("as soon as the late reply arrives").hasSize(3);
        leave(admission);
    }

    /** Trap 10: the first lease is short because the waiter may be dead; a live waiter renews it at a third. */
    @Test
    void shortHandOverLeaseIsRenewedOnTime() {
        Admission admission = admitWaiter(FAIR);
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

    /** Trap 6: the retry comes within the short lease, not after a fraction of the full lease. */
    @Test
    void renewalOfShortHandOverLeaseIsRetried() {
        Admission admission = admitWaiter(FAIR);
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

    /** An execution shorter than a third of the first lease needs no renewal. */
    @Test
    void shortExecutionAfterAHandOverIsNotRenewed() {
        Admission admission = admitWaiter(FAIR);
        handOver(idOf("reports"), 2_000);
        timers.advance(Duration.ofMillis(600));
        end(admission);

        assertThat(store.log).containsExactly("acquire reports", "release reports");
        assertThat(store.renewals).isEmpty();
    }

    /** Leases that are renewed repeatedly always seem to end soon; waiters must not poll each time. */
    @Test
    void pollsBackOffWhenNothingIsFree() {
        Admission admission = admitWaiter(FAIR, Duration.ofMillis(50));
        for (int i = 0; i < 1_000; i++) {
            timers.advance(Duration.ofMillis(50));
            if (!store.polls.isEmpty() && !store.polls.get(store.polls.size() - 1).reply().isDone()) {
                replyToPoll(Duration.ofMillis(50));
            }
        }
        assertThat(store.polls).as("polls in 50 s").hasSizeBetween(50, 65);
        leave(admission);
    }

    @Test
    void missedNotificationsTriggerAPoll() {
        Admission admission = admitWaiter(FAIR);

        store.listener.accept(new NoticesMissed());
        store.listener.accept(new NoticesMissed());

        assertThat(store.polls).as("one poll at a time").hasSize(1);
        replyToPoll(FAR);
        assertThat(store.polls).hasSize(2);
        replyToPoll(FAR);
        assertThat(store.polls).hasSize(2);
        leave(admission);
    }

    @Test
    void pollWakesAsManyWaitersAsPermitsAreFree() {
        List<Admission> admissions = IntStream.range(0, 5).mapToObj(i -> admitWaiter(UNFAIR)).toList();
        store.listener.accept(new NoticesMissed());

        store.polls.get(0).reply().complete(new PollReply(Map.of(), Set.of(), 2, FAR, STORE_TIME));

        assertThat(store.log.stream().filter("acquire reports"::equals)).hasSize(5 + 2);
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        admissions.forEach(Admission::end);
        // The other retrying waiter leaves when its reply arrives; the manual store keeps only the last.
        engine.waiters.stop();
        store.pending.forEach(reply -> reply.complete(new Waiting(1, FAR, STORE_TIME, 0, false)));
        store.replyToReleases(false);
    }

    /** Redisson #6664: if messages are lost, a waiter too heavy for the free permits does not block those behind it. */
    @Test
    void pollWakesWaitersThatFit() {
        Admission heavy = admitWaiter(UNFAIR.toBuilder().permits(5).weight(3).build());
        assertThat(idOf("reports")).startsWith("*3*");
        Admission light = admitWaiter(UNFAIR.toBuilder().permits(5).build());
        store.listener.accept(new NoticesMissed());

        store.polls.get(0).reply().complete(new PollReply(Map.of(), Set.of(), 2, FAR, STORE_TIME));

        assertThat(store.log.stream().filter("acquire reports"::equals)).hasSize(2 + 1);
        assertThat(idOf("reports")).doesNotStartWith("*");
        store.acquires.get("reports").complete(new Granted(43, false));
        assertThat(granted(light)).isCompleted();
        end(light);
        leave(heavy);
    }

    /** The limit drops below its weight while it waits. */
    @Test
    void waiterHeavierThanTheLimitIsRejected() {
        Admission heavy = admitWaiter(UNFAIR.toBuilder().permits(5).weight(3).build());
        store.listener.accept(new PermitFree(idOf("reports")));

        store.acquires.get("reports").complete(new Full(2, FAR, false));

        assertThat(rejection(heavy)).isInstanceOf(BulkheadFullException.class)
                .hasMessageContaining("has a limit of 2, below the weight 3 of this call");
        heavy.end();
    }

    @Test
    void forgottenWaiterQueuesAgain() {
        Admission admission = admitWaiter(FAIR);
        String first = idOf("reports");
        store.listener.accept(new NoticesMissed());

        store.polls.get(0).reply().complete(new PollReply(Map.of(), Set.of(first), 0, FAR, STORE_TIME));

        assertThat(store.log).endsWith("acquire reports");
        assertThat(idOf("reports")).isNotEqualTo(first);
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        leave(admission);
    }

    /** Trap 4: a copy of the old request may still arrive; messages about the old permit are ignored. */
    @Test
    void waiterRequeuesWithNewPermitIdAfterLosingItsPlace() {
        Admission admission = admit(FAIR);
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
        assertThat(store.log).as("the new request has no copy").endsWith("release reports");
    }

    /** Guarantee 5: a waiter that loses its place requests a new permit and keeps its order by its old ticket, each time. */
    @Test
    void forgottenWaiterKeepsItsTicket() {
        Admission admission = admit(FAIR);
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

    /** The last request of a forgotten waiter does not overtake others. */
    @Test
    void lastRequestSendsTheTicket() {
        Admission admission = admit(FAIR);
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 4711, false));
        replyToPolls();
        timers.advance(Duration.ofMinutes(1));

        assertThat(store.requests.get("reports").ticket()).isEqualTo(4711);
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 4711, false));
        leave(admission);
    }

    /** A lease that is already over here is discarded. */
    @Test
    void permitReceivedWithinTheLeaseMarginIsReturned() {
        Admission requesting = admit(FAIR);
        timers.jump(Duration.ofMillis(29_001));
        store.acquires.get("reports").complete(new Granted(42, false));

        assertThat(rejection(requesting)).isInstanceOf(BulkheadUnavailableException.class);
        assertThat(store.cancelled).containsExactly(idOf("reports"));

        Admission waiting = admitWaiter(FAIR);
        String first = idOf("reports");
        timers.jump(Duration.ofMillis(29_901));
        handOver(first, 30_000);
        assertThat(granted(waiting)).isNotDone();
        assertThat(store.cancelled).contains(first);
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        leave(waiting);
    }

    /**
     * Trap 9, Trap 29: a waiter that times out leaves the queue before the rejection; a permit handed over in between goes to
     * the next waiter.
     */
    @Test
    void timedOutWaiterLeavesQueueBeforeTheRejection() {
        Admission admission = admitWaiter(FAIR);
        replyToPolls();
        timers.advance(Duration.ofSeconds(59));
        replyToPolls();
        assertThat(store.log).doesNotContain("release reports");
        timers.advance(Duration.ofSeconds(1));
        assertThat(store.log).as("a last request").endsWith("acquire reports");
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        assertThat(store.log).endsWith("release reports");
        assertThat(granted(admission)).isNotDone();
        handOver(idOf("reports"), STORE_TIME + 90_000);
        assertThat(granted(admission)).as("too late").isNotDone();

        store.replyToReleases(true);

        assertThat(rejection(admission)).isInstanceOfSatisfying(BulkheadFullException.class, e -> {
            assertThat(e.limit()).isEqualTo(1);
            assertThat(e.nearestLeaseEnd()).isEqualTo(FAR);
        });
        assertThat(admission.end().toCompletableFuture()).isCompleted();
        assertThat(losses).isEmpty();
    }

    /** Trap 11: the message was lost; the last request gets the permit. */
    @Test
    void lastRequestMayGetThePermit() {
        Admission admission = admitWaiter(FAIR);
        String id = idOf("reports");
        replyToPolls();
        timers.advance(Duration.ofMinutes(1));
        assertThat(idOf("reports")).isEqualTo(id);

        store.acquires.get("reports").complete(new Granted(43, false));

        assertThat(granted(admission)).isCompletedWithValueMatching(permits -> permits.get(0).fencingToken() == 43);
        assertThat(store.log).doesNotContain("release reports");
        end(admission);
    }

    /** So that concurrent requests can share what they state, see {@code bulkhead.lua}. */
    @Test
    void placeDurationIsInWholeMilliseconds() {
        Admission admission = admitWaiter(UNFAIR.toBuilder().maxWait(Duration.ofMillis(2_500)).build());
        timers.advance(Duration.ofNanos(300_000));

        store.listener.accept(new PermitFree(idOf("reports")));

        assertThat(store.requests.get("reports").place()).isEqualTo(Duration.ofMillis(2_499));
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        end(admission);
    }

    @Test
    void placeDoesNotOutliveTheWait() {
        SemaphoreSpec brief = FAIR.toBuilder().maxWait(Duration.ofMillis(2_500)).build();
        Admission admission = admit(brief);
        assertThat(store.requests.get("reports").place()).isEqualTo(Duration.ofMillis(2_500));
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        timers.advance(Duration.ofMillis(900));

        assertThat(store.polls.get(0).permits()).containsValue(Duration.ofMillis(1_600));
        leave(admission);
    }

    @Test
    void timeoutDuringARequestTakesEffectWithTheReply() {
        Admission admission = admit(FAIR);
        timers.advance(Duration.ofSeconds(60));
        assertThat(granted(admission)).isNotDone();

        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        store.replyToReleases(false);

        assertThat(rejection(admission)).isInstanceOfSatisfying(BulkheadFullException.class,
                e -> assertThat(e.nearestLeaseEnd()).isEqualTo(FAR));
        assertThat(store.log).containsExactly("acquire reports", "release reports");
        admission.end();
    }

    /** Trap 9. */
    @Test
    void cancelledWaiterLeavesTheQueue() {
        Admission admission = admitWaiter(FAIR.toBuilder().awaitRelease(true).build());
        CompletableFuture<Void> ended = admission.end().toCompletableFuture();
        assertThat(store.log).containsExactly("acquire reports", "release reports");
        assertThat(ended).isNotDone();

        store.replyToReleases(false);

        assertThat(ended).isCompleted();
        assertThat(rejection(admission)).isInstanceOf(CancellationException.class);
        assertThat(timers.planned()).isZero();
    }

    /** Trap 9. */
    @Test
    void callCancelledDuringItsRequestLeavesTheQueueAfterTheReply() {
        Admission admission = admit(FAIR);
        CompletableFuture<Void> ended = admission.end().toCompletableFuture();
        assertThat(store.log).containsExactly("acquire reports");

        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));

        assertThat(store.log).containsExactly("acquire reports", "release reports");
        store.replyToReleases(false);
        assertThat(ended).isCompleted();
    }

    /** Trap 9: an outage while the waiter leaves. */
    @Test
    void placeIsReclaimedAfterAnOutage() {
        Admission admission = admitWaiter(FAIR);
        store.down = true;
        CompletableFuture<Void> ended = admission.end().toCompletableFuture();
        store.releases.get("reports").completeExceptionally(ManualStore.lost());
        assertThat(ended).isCompleted();
        assertThat(engine.returns.pending()).isEqualTo(1);

        store.down = false;
        timers.advance(Duration.ofSeconds(1));

        assertThat(store.cancelled).containsExactly(idOf("reports"));
    }

    /** Trap 39: waiters stay during an outage and get their permit after it. */
    @Test
    void waitersSurviveAnOutage() {
        Admission admission = admitWaiter(FAIR);
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

    /** Trap 39: the wait times out during the outage. */
    @Test
    void timeoutDuringAnOutageIsReportedAsUnavailable() {
        Admission admission = admitWaiter(FAIR);
        timers.advance(Duration.ofSeconds(1));
        store.polls.get(0).reply().completeExceptionally(ManualStore.away());
        timers.advance(FAIR.maxWait());
        store.acquires.get("reports").completeExceptionally(ManualStore.away());

        assertThat(rejection(admission)).isInstanceOf(BulkheadUnavailableException.class).hasMessageContaining("1000 ms");
        assertThat(store.cancelled).as("leaves the queue").hasSize(1);
        admission.end();
    }

    /** Trap 39: a request that meets the outage is retried with the same permit id; the end refuses earlier copies. */
    @Test
    void requestOfAWaiterIsRetriedAfterAnOutage() {
        Admission admission = admitWaiter(UNFAIR);
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

    /** Trap 39: the poll fails after the waiter sent its request; both are in flight when an outage starts. */
    @Test
    void failedPollDoesNotEndARequest() {
        Admission admission = admitWaiter(UNFAIR);
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

    /** Trap 4: a hand-over grants the permit before its request fails. The release refuses copies of the request. */
    @Test
    void requestFailingAfterAHandOverLeavesNoCopy() {
        Admission admission = admitWaiter(UNFAIR);
        String id = idOf("reports");
        store.listener.accept(new PermitFree(id));
        handOver(id, 30_000);
        assertThat(granted(admission)).isCompleted();
        store.acquires.get("reports").completeExceptionally(ManualStore.away());
        assertThat(store.cancelled).as("while the permit is held").isEmpty();

        admission.end();

        assertThat(store.cancelled).containsExactly(id);
    }

    /** Trap 4: the reply to a retry is final, but the first request may still arrive. */
    @Test
    void rejectionAfterARetryLeavesNoCopy() {
        Admission admission = admitWaiter(UNFAIR);
        String id = idOf("reports");
        store.listener.accept(new PermitFree(id));
        store.acquires.get("reports").completeExceptionally(ManualStore.away());
        timers.advance(Duration.ofMillis(200));
        store.acquires.get("reports").complete(new Full(1, FAR, false));

        assertThat(rejection(admission)).isInstanceOf(BulkheadFullException.class);
        assertThat(store.cancelled).containsExactly(id);
        admission.end();
    }

    /** The hand-over arrives just before the waiter sends its request, which would reach the store behind the release. */
    @Test
    void heldPermitIsNotRequested() {
        Admission admission = admit(UNFAIR);
        String id = idOf("reports");
        store.listener.accept(new PermitFree(id));
        admission.attempted().thenRun(() -> handOver(id, 30_000));
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));

        assertThat(granted(admission)).isCompleted();
        assertThat(store.log).containsExactly("acquire reports");
        end(admission);
    }

    /** Hand-over, execution and release all happen before the store gets the request, so it takes a permit or a place. */
    @Test
    void releaseBehindRequestLeavesNoPermit() {
        for (AcquireReply reply : List.of(new Granted(43, false), new Waiting(1, FAR, STORE_TIME, 0, false))) {
            Admission admission = admitWaiter(UNFAIR);
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

    /** The store got the request before the release, so nothing is left. */
    @Test
    void releaseBeforeTheReplyNeedsNoCancellation() {
        Admission admission = admit(UNFAIR);
        handOver(idOf("reports"), 30_000);
        end(admission);
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));

        assertThat(store.cancelled).isEmpty();
    }

    /** Trap 25: a permanent failure, such as a missing permission, ends the wait. */
    @Test
    void permanentRefusalEndsTheWait() {
        Admission admission = admitWaiter(FAIR);
        timers.advance(Duration.ofSeconds(3));

        store.polls.get(0).reply().completeExceptionally(ManualStore.lost());

        assertThat(rejection(admission)).isInstanceOf(BulkheadUnavailableException.class);
        assertThat(store.cancelled).as("leaves the queue").hasSize(1);
        admission.end();
    }

    @Test
    void shutdownRejectsWaiters() {
        Admission waiting = admitWaiter(FAIR);
        Admission requesting = admit(SemaphoreSpec.named("other").permits(1).maxWait(Duration.ofSeconds(5)).build());

        engine.refuseAndRejectWaiters();
        store.replyToReleases(false);
        store.acquires.get("other").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        store.replyToReleases(false);

        assertThat(rejection(waiting)).isInstanceOf(BulkheadUnavailableException.class).hasMessageContaining("stopping");
        assertThat(rejection(requesting)).isInstanceOf(BulkheadUnavailableException.class).hasMessageContaining("stopping");
        assertThat(rejection(admit(FAIR))).isInstanceOf(BulkheadUnavailableException.class).hasMessageContaining("stopping");
        assertThat(store.log.stream().filter(line -> line.startsWith("acquire"))).hasSize(2);
    }

    /** Trap 24: the store does not queue the call. */
    @Test
    void callWithoutMaxWaitMakesOneAttempt() {
        Admission admission = admit(FAIR.toBuilder().maxWait(Duration.ZERO).build());
        assertThat(store.requests.get("reports").place()).isZero();
        store.acquires.get("reports").complete(new Full(1, FAR, false));

        assertThat(rejection(admission)).isInstanceOf(BulkheadFullException.class);
        timers.advance(Duration.ofMinutes(1));
        assertThat(store.log).containsExactly("acquire reports");
        assertThat(timers.planned()).isZero();
    }

    @Test
    void attemptedCompletesWhenTheCallMustWait() {
        Admission admission = admit(FAIR);
        assertThat(admission.attempted().toCompletableFuture()).isNotDone();
        store.acquires.get("reports").complete(new Waiting(1, FAR, STORE_TIME, 0, false));
        assertThat(admission.attempted().toCompletableFuture()).isCompleted();
        leave(admission);
    }

    private Admission admit(SemaphoreSpec spec) {
        return engine.semaphore(spec).admit("A#a");
    }

    private Admission admitWaiter(SemaphoreSpec spec) {
        return admitWaiter(spec, FAR);
    }

    private Admission admitWaiter(SemaphoreSpec spec, Duration nearestLeaseEnd) {
        Admission admission = admit(spec);
        store.acquires.get(spec.name()).complete(new Waiting(1, nearestLeaseEnd, STORE_TIME, 0, false));
        return admission;
    }

    private void end(Admission admission) {
        admission.end();
        store.replyToReleases(true);
        assertThat(admission.end().toCompletableFuture()).isCompleted();
    }

    private void leave(Admission admission) {
        admission.end();
        store.replyToReleases(false);
        assertThat(admission.end().toCompletableFuture()).isCompleted();
    }

    private String idOf(String bulkhead) {
        return store.requests.get(bulkhead).permitId();
    }

    private void handOver(String id, long leaseEndMillis) {
        long end = leaseEndMillis < STORE_TIME ? STORE_TIME + leaseEndMillis : leaseEndMillis;
        store.listener.accept(new HandedOver(id, new HandOver(42, end)));
    }

    private void replyToPoll(Duration nearestLeaseEnd) {
        store.polls.get(store.polls.size() - 1).reply()
                .complete(new PollReply(Map.of(), Set.of(), 0, nearestLeaseEnd, STORE_TIME));
    }

    private void replyToPolls() {
        store.pollReply = () -> new PollReply(Map.of(), Set.of(), 0, FAR, STORE_TIME);
    }

    private static CompletableFuture<List<HeldPermit>> granted(Admission admission) {
        return admission.granted().toCompletableFuture();
    }

    private static Throwable rejection(Admission admission) {
        return granted(admission).handle((done, failure) -> Failures.cause(failure)).getNow(null);
    }
}
