package io.quarkiverse.redisbulkhead.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.RealTimers;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.SemaphoreEngine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.LimitMismatch;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.local.LocalPermitStore;

/** The limit that a process declared before a live reload is not reported as that of another instance. */
class FormerLimitsTest {

    static final BulkheadId REPORTS = BulkheadId.of("reports");

    final RealTimers timers = new RealTimers();
    final PermitStore shared = new LocalPermitStore(timers::nanoTime, 1_000_000);
    final FormerLimits former = new FormerLimits();
    final List<LimitMismatch> mismatches = new ArrayList<>();
    final List<SemaphoreEngine> engines = new ArrayList<>();

    @AfterEach
    void close() {
        engines.forEach(SemaphoreEngine::close);
    }

    @Test
    void limitBeforeTheReloadIsHidden() {
        call(shared, 5);
        former.note(List.of(spec(5)), System.nanoTime());
        PermitStore store = former.hiddenIn(shared);
        call(store, 7);

        assertThat(mismatches).isEmpty();
        assertThat(declared(store)).containsExactly(7);
        assertThat(declared(shared)).as("in the store").containsExactly(5, 7);
    }

    @Test
    void limitOfAnotherInstanceIsShown() {
        call(shared, 5);
        call(shared, 9);
        former.note(List.of(spec(5)), System.nanoTime());
        PermitStore store = former.hiddenIn(shared);
        call(store, 7);

        assertThat(mismatches).containsExactly(new LimitMismatch(REPORTS, 7, Set.of(9)));
        assertThat(declared(store)).containsExactly(7, 9);
    }

    @Test
    void limitInForceAgainIsShown() {
        former.note(List.of(spec(5)), System.nanoTime());
        former.note(List.of(spec(7)), System.nanoTime());
        PermitStore store = former.hiddenIn(shared);
        call(shared, 7);
        call(store, 5);

        assertThat(declared(store)).containsExactly(5);
    }

    /** Another instance may still have the old limit. */
    @Test
    void limitIsHiddenForAMinute() {
        former.note(List.of(spec(5)), System.nanoTime() - Duration.ofSeconds(62).toNanos());
        call(shared, 5);
        PermitStore store = former.hiddenIn(shared);
        call(store, 7);

        assertThat(mismatches).containsExactly(new LimitMismatch(REPORTS, 7, Set.of(5)));
        assertThat(declared(store)).containsExactly(5, 7);
    }

    private static SemaphoreSpec spec(int permits) {
        return SemaphoreSpec.named("reports").permits(permits).build();
    }

    private static Set<Integer> declared(PermitStore store) {
        return store.occupancy(REPORTS, 0).toCompletableFuture().join().declaredLimits();
    }

    private void call(PermitStore store, int permits) {
        SemaphoreEngine engine = new SemaphoreEngine(store, timers, new HolderIdentity("app", "host:1"), loss -> {
        }, true, new WaiterLimits(Integer.MAX_VALUE));
        engines.add(engine);
        mismatches.clear();
        store.listen(notice -> {
        }, mismatches::add);
        engine.semaphore(spec(permits)).admit("A#a").end().toCompletableFuture().join();
    }
}
