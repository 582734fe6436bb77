package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.OptionalInt;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException.Reason;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits.WaitsOn;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;

/** Trap 41: waiting calls are bounded, and each is counted exactly while it waits. */
class WaiterLimitsTest extends TwoInstances {

    static final SemaphoreSpec SPEC = SemaphoreSpec.named("work").permits(1).expire(Duration.ofSeconds(30))
            .maxWait(Duration.ofSeconds(60)).build();

    final WaiterLimits waiting = new WaiterLimits(2);
    final SimulatedInstance bounded = new SimulatedInstance("bounded", server, waiting);

    @AfterEach
    void noCallIsCounted() {
        bounded.engine.refuseAndRejectWaiters();
        assertThat(waiting.isEmpty()).as("no call is still counted").isTrue();
    }

    private static SemaphoreSpec other(String name) {
        return SemaphoreSpec.named(name).permits(1).maxWait(Duration.ofSeconds(60)).build();
    }

    private Admission onThread(SemaphoreSpec spec) {
        return semaphore(bounded, spec).admit("A#a", WaitsOn.WORKER_THREAD);
    }

    /** The other instance holds the only permit. */
    private Admission take(SemaphoreSpec spec) {
        Admission holder = semaphore(two, spec).admit("B#b");
        held(holder);
        return holder;
    }

    private Admission waitOnThread(SemaphoreSpec spec) {
        Admission admission = onThread(spec);
        waits(admission);
        return admission;
    }

    @Test
    void callAtTheBoundMakesOneAttempt() {
        take(SPEC);
        take(other("others"));
        waitOnThread(SPEC);
        waitOnThread(other("others"));

        assertThat(rejection(onThread(SPEC))).isInstanceOfSatisfying(CallRejectedException.class,
                full -> assertThat(CallRejectedException.reasonOf(full)).isEqualTo(Reason.QUEUE_FULL))
                .hasMessage("Bulkhead 'work' is full, and the call cannot wait: 2 calls of this instance already block worker "
                        + "threads while they wait for permits. Return a Uni, use virtual threads, or raise "
                        + "quarkus.redis-bulkhead.max-blocked-threads");
        assertThat(waiting.blockedThreads()).isEqualTo(2);
        assertThat(look().waiting()).as("it does not queue").isEqualTo(1);
    }

    /** Calls that start together may all pass the first check. */
    @Test
    void boundIsCheckedAgainWhenTheCallMustWait() {
        take(SPEC);
        take(other("others"));
        slowly(1_000);
        Admission[] together = { onThread(SPEC), onThread(SPEC), onThread(SPEC) };
        assertThat(waiting.isEmpty()).isTrue();

        advance(Duration.ofMillis(10));

        waits(together[0]);
        waits(together[1]);
        assertThat(rejection(together[2])).isInstanceOfSatisfying(CallRejectedException.class,
                full -> assertThat(CallRejectedException.reasonOf(full)).isEqualTo(Reason.QUEUE_FULL))
                .hasMessageContaining("max-blocked-threads");
        advance(Duration.ofMillis(50));
        server.calm();
        assertThat(look().waiting()).as("it leaves the queue").isEqualTo(2);
    }

    @Test
    void maxWaitersCountsAllKeysAndBothKindsOfCalls() {
        Semaphore semaphore = semaphore(bounded, SPEC.toBuilder().maxWaiters(2).build());
        for (String key : new String[] { "a", "b", "c" }) {
            held(semaphore.forKey(key, OptionalInt.empty()).admit("A#a"));
        }
        waits(semaphore.forKey("a", OptionalInt.empty()).admit("A#a", WaitsOn.WORKER_THREAD));
        waits(semaphore.forKey("b", OptionalInt.empty()).admit("A#a"));

        assertThat(rejection(semaphore.forKey("c", OptionalInt.empty()).admit("A#a")))
                .hasMessage("Bulkhead 'work' is full for this key, and the call cannot wait: 2 calls of "
                        + "this instance already wait for this bulkhead. Raise quarkus.redis-bulkhead.\"work\".max-waiters, or "
                        + "SemaphoreSpec.maxWaiters for a bulkhead that is defined in code");
        take(other("others"));
        waits(semaphore(bounded, other("others")).admit("A#a"));
    }

    @Test
    void rejectionWithoutMaxWaitNamesNoBound() {
        take(SPEC);
        waitOnThread(SPEC);
        waitOnThread(SPEC);

        assertThat(rejection(onThread(SPEC.toBuilder().maxWait(Duration.ZERO).build())))
                .isExactlyInstanceOf(BulkheadFullException.class);
    }

    @Test
    void everyOutcomeFreesTheSlot() {
        SemaphoreSpec single = SPEC.toBuilder().fair(true).maxWaiters(1).build();
        Admission holder = take(single);
        Admission granted = waitOnThread(single);
        assertThat(waiting.atBulkhead("work")).isEqualTo(1);
        holder.end();
        held(granted);
        assertThat(waiting.isEmpty()).as("granted").isTrue();

        Admission cancelled = waitOnThread(single);
        cancelled.end();
        assertThat(waiting.isEmpty()).as("cancelled").isTrue();

        Admission late = waitOnThread(single);
        advance(Duration.ofSeconds(61));
        assertThat(rejection(late)).isExactlyInstanceOf(BulkheadFullException.class);
        assertThat(waiting.isEmpty()).as("timed out").isTrue();

        bounded.refusal = away();
        assertThat(rejection(onThread(other("others")))).isNotNull();
        assertThat(waiting.isEmpty()).as("failed").isTrue();
    }

    /** It counts once while it states its need again and again, also while the store is contended. */
    @Test
    void waiterIsCountedOnce() {
        take(SPEC);
        waitOnThread(SPEC);
        advance(Duration.ofSeconds(5));
        assertThat(waiting.blockedThreads()).isEqualTo(1);
        bounded.refusal = new StoreException(Kind.CONTENDED, "contended");
        advance(Duration.ofSeconds(5));
        assertThat(waiting.blockedThreads()).isEqualTo(1);

        waitOnThread(other("others"));
        assertThat(rejection(onThread(other("third")))).isInstanceOf(BulkheadContendedException.class);
        assertThat(waiting.blockedThreads()).isEqualTo(2);
    }

    /** The 50 ms in which other instances answer a recall block a thread, but are no wait in the queue. */
    @Test
    void answerToARecallCountsAsABlockedThread() {
        SemaphoreSpec two = SPEC.toBuilder().permits(2).maxWait(Duration.ZERO).maxWaiters(0).build();
        semaphore(this.two, two.toBuilder().weight(2).build()).admit("B#b").end();
        this.two.pause();
        Admission first = onThread(two);
        Admission second = onThread(two);
        waits(first);
        waits(second);
        assertThat(waiting.blockedThreads()).isEqualTo(2);
        assertThat(waiting.atBulkhead("work")).isZero();

        assertThat(rejection(onThread(two))).isExactlyInstanceOf(BulkheadFullException.class);
        advance(Duration.ofMillis(60));

        assertThat(rejection(first)).isExactlyInstanceOf(BulkheadFullException.class);
        assertThat(waiting.blockedThreads()).isZero();
    }

    /** The local and the shared limit count the same waiters. */
    @Test
    void waitersForLocalPermitsAreCounted() {
        bounded.refusal = away();
        SemaphoreSpec spec = SPEC.toBuilder().localPermits(1).onOutage(OnOutage.LOCAL).maxWaiters(1).build();
        Admission runs = onThread(spec);
        held(runs);
        Admission waits = waitOnThread(spec);
        assertThat(waiting.blockedThreads()).isEqualTo(1);
        assertThat(rejection(onThread(spec))).isInstanceOfSatisfying(CallRejectedException.class,
                full -> assertThat(CallRejectedException.reasonOf(full)).isEqualTo(Reason.QUEUE_FULL))
                .hasMessageContaining("max-waiters");

        runs.end();

        held(waits);
    }
}
