package io.quarkiverse.redisbulkhead.runtime.semaphore;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Full;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.Reconnected;

/**
 * Trap 47: a release that an old master confirmed and the new one never heard of. What stands in the name of this process and
 * is
 * neither held nor asked for is freed, and nothing else.
 */
class PermitReconcilerTest {

    private static final SemaphoreSpec SPEC = SemaphoreSpec.named("reports").permits(5).expire(Duration.ofSeconds(30)).build();

    final ManualStore store = new ManualStore();
    final ManualTimers timers = new ManualTimers();
    final SemaphoreEngine engine = new SemaphoreEngine(store, timers, new HolderIdentity("app", "host:1"), loss -> {
    }, new SemaphoreEngine(new ManualStore(), timers, new HolderIdentity("app", "host:1"), loss -> {
    }, false, new WaiterLimits(Integer.MAX_VALUE)));

    private Admission ask() {
        return engine.semaphore(SPEC).admit("A#a");
    }

    private String grant() {
        String id = store.requests.get("reports").permitId();
        store.acquires.get("reports").complete(new Granted(7, false));
        return id;
    }

    private String holdAndRelease() {
        Admission admission = ask();
        String id = grant();
        admission.end();
        store.answerReleases(true);
        store.released.clear();
        return id;
    }

    @Test
    void afterAReconnectionPermitsThatAreNotHeldAreFreed() {
        String lost = holdAndRelease();
        Admission holder = ask();
        String held = grant();
        Admission asking = ask();
        String asked = store.requests.get("reports").permitId();

        store.listener.accept(new Reconnected());
        assertThat(store.own).hasSize(1);
        store.own.get(0).complete(Set.of(lost, held, asked));

        assertThat(store.released).containsExactly(lost);
        holder.end();
        asking.end();
    }

    /** The new master knows nothing of the release, but it knows when the permit started. */
    @Test
    void aMinimumHoldIsKeptByAReconciliation() {
        SemaphoreSpec held = SPEC.toBuilder().minHold(Duration.ofSeconds(20)).build();
        Admission admission = engine.semaphore(held).admit("A#a");
        String lost = grant();
        admission.end();
        store.answerReleases(true);
        store.minHolds.clear();

        store.listener.accept(new Reconnected());
        store.own.get(0).complete(Set.of(lost));

        assertThat(store.minHolds).containsExactly(Duration.ofSeconds(20));
    }

    /** A release in flight is answered to its caller, which would otherwise report a loss. */
    @Test
    void whatIsBeingReleasedIsLeftAlone() {
        holdAndRelease();
        Admission admission = ask();
        String id = grant();
        store.listener.accept(new Reconnected());
        admission.end();
        store.released.clear();

        store.own.get(0).complete(Set.of(id));

        assertThat(store.released).isEmpty();
    }

    /** The client may hide a failover; then a full bulkhead is the only sign. */
    @Test
    void aFullBulkheadIsLookedThroughLessAndLessOften() {
        String lost = holdAndRelease();
        List<Duration> looks = new ArrayList<>();
        for (int second = 0; second < 20; second++) {
            int before = store.own.size();
            ask();
            store.acquires.get("reports").complete(new Full(5, Duration.ofSeconds(25), false));
            if (store.own.size() > before) {
                looks.add(Duration.ofSeconds(second));
                store.own.get(before).complete(second == 0 ? Set.of(lost) : Set.of());
            }
            timers.advance(Duration.ofSeconds(1));
        }

        assertThat(store.released).containsExactly(lost);
        assertThat(looks).extracting(Duration::toSeconds).containsExactly(0L, 1L, 3L, 7L, 15L);
    }

    @Test
    void whereNothingWasReleasedLatelyNothingIsLookedThrough() {
        ask();
        store.acquires.get("reports").complete(new Full(5, Duration.ofSeconds(25), false));
        store.listener.accept(new Reconnected());
        assertThat(store.own).isEmpty();

        holdAndRelease();
        timers.advance(Duration.ofSeconds(31));
        ask();
        store.acquires.get("reports").complete(new Full(5, Duration.ofSeconds(25), false));
        store.listener.accept(new Reconnected());
        assertThat(store.own).isEmpty();
    }

    /** A failure is left to the next look, or to the lease. */
    @Test
    void aFailedLookFreesNothing() {
        String lost = holdAndRelease();
        store.listener.accept(new Reconnected());
        store.own.get(0).completeExceptionally(ManualStore.away());
        assertThat(store.released).isEmpty();

        store.listener.accept(new Reconnected());
        store.own.get(1).complete(Set.of(lost));
        assertThat(store.released).containsExactly(lost);
    }

    @Test
    void someBulkheadsAtATime() {
        for (int i = 0; i < 20; i++) {
            SemaphoreSpec spec = SemaphoreSpec.named("b" + i).permits(5).build();
            Admission admission = engine.semaphore(spec).admit("A#a");
            store.acquires.get("b" + i).complete(new Granted(7, false));
            admission.end();
            store.answerReleases(true);
        }
        store.listener.accept(new Reconnected());
        assertThat(store.own).hasSize(8);
        for (int i = 0; i < 20; i++) {
            store.own.get(i).complete(Set.of());
        }
        assertThat(store.own).hasSize(20);
    }
}
