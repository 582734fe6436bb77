package io.quarkiverse.redisbulkhead.runtime.bulkhead;

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
 * Trap 47: the old master confirmed a release, and a failover lost it. The reconciler frees permits that Redis lists for this
 * process but the process neither holds nor requests.
 */
class PermitReconcilerTest {

    private static final SemaphoreSpec SPEC = SemaphoreSpec.named("reports").permits(5).expire(Duration.ofSeconds(30)).build();

    final ManualStore store = new ManualStore();
    final ManualTimers timers = new ManualTimers();
    final SemaphoreEngine engine = new SemaphoreEngine(store, timers, new HolderIdentity("app", "host:1"), loss -> {
    }, new SemaphoreEngine(new ManualStore(), timers, new HolderIdentity("app", "host:1"), loss -> {
    }, false, new WaiterLimits(Integer.MAX_VALUE)));

    private Admission admit() {
        return engine.semaphore(SPEC).admit("A#a");
    }

    private String grant() {
        String id = store.requests.get("reports").permitId();
        store.acquires.get("reports").complete(new Granted(7, false));
        return id;
    }

    private String holdAndRelease() {
        Admission admission = admit();
        String id = grant();
        admission.end();
        store.replyToReleases(true);
        store.released.clear();
        return id;
    }

    @Test
    void reconnectFreesPermitsThatAreNotHeld() {
        String lost = holdAndRelease();
        Admission holder = admit();
        String held = grant();
        Admission requesting = admit();
        String requested = store.requests.get("reports").permitId();

        store.listener.accept(new Reconnected());
        assertThat(store.own).hasSize(1);
        store.own.get(0).complete(Set.of(lost, held, requested));

        assertThat(store.released).containsExactly(lost);
        holder.end();
        requesting.end();
    }

    /** The new master lost the release, but not the start of the permit. */
    @Test
    void reconciliationKeepsMinHold() {
        SemaphoreSpec held = SPEC.toBuilder().minHold(Duration.ofSeconds(20)).build();
        Admission admission = engine.semaphore(held).admit("A#a");
        String lost = grant();
        admission.end();
        store.replyToReleases(true);
        store.minHolds.clear();

        store.listener.accept(new Reconnected());
        store.own.get(0).complete(Set.of(lost));

        assertThat(store.minHolds).containsExactly(Duration.ofSeconds(20));
    }

    /** Freeing the permit would make the release in flight report a loss. */
    @Test
    void releaseInFlightIsNotReconciled() {
        holdAndRelease();
        Admission admission = admit();
        String id = grant();
        store.listener.accept(new Reconnected());
        admission.end();
        store.released.clear();

        store.own.get(0).complete(Set.of(id));

        assertThat(store.released).isEmpty();
    }

    /** The client may hide a failover; a full bulkhead is then the only sign. */
    @Test
    void fullBulkheadIsReconciledWithBackOff() {
        String lost = holdAndRelease();
        List<Duration> checks = new ArrayList<>();
        for (int second = 0; second < 20; second++) {
            int before = store.own.size();
            admit();
            store.acquires.get("reports").complete(new Full(5, Duration.ofSeconds(25), false));
            if (store.own.size() > before) {
                checks.add(Duration.ofSeconds(second));
                store.own.get(before).complete(second == 0 ? Set.of(lost) : Set.of());
            }
            timers.advance(Duration.ofSeconds(1));
        }

        assertThat(store.released).containsExactly(lost);
        assertThat(checks).extracting(Duration::toSeconds).containsExactly(0L, 1L, 3L, 7L, 15L);
    }

    @Test
    void withoutRecentReleasesNothingIsReconciled() {
        admit();
        store.acquires.get("reports").complete(new Full(5, Duration.ofSeconds(25), false));
        store.listener.accept(new Reconnected());
        assertThat(store.own).isEmpty();

        holdAndRelease();
        timers.advance(Duration.ofSeconds(31));
        admit();
        store.acquires.get("reports").complete(new Full(5, Duration.ofSeconds(25), false));
        store.listener.accept(new Reconnected());
        assertThat(store.own).isEmpty();
    }

    /** The next reconciliation or the lease expiry frees the permit. */
    @Test
    void failedReconciliationFreesNothing() {
        String lost = holdAndRelease();
        store.listener.accept(new Reconnected());
        store.own.get(0).completeExceptionally(ManualStore.away());
        assertThat(store.released).isEmpty();

        store.listener.accept(new Reconnected());
        store.own.get(1).complete(Set.of(lost));
        assertThat(store.released).containsExactly(lost);
    }

    @Test
    void reconciliationsInFlightAreBounded() {
        for (int i = 0; i < 20; i++) {
            SemaphoreSpec spec = SemaphoreSpec.named("b" + i).permits(5).build();
            Admission admission = engine.semaphore(spec).admit("A#a");
            store.acquires.get("b" + i).complete(new Granted(7, false));
            admission.end();
            store.replyToReleases(true);
        }
        store.listener.accept(new Reconnected());
        assertThat(store.own).hasSize(8);
        for (int i = 0; i < 20; i++) {
            store.own.get(i).complete(Set.of());
        }
        assertThat(store.own).hasSize(20);
    }
}
