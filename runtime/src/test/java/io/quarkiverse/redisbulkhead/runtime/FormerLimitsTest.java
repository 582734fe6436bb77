package io.quarkiverse.redisbulkhead.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.InMemoryShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Need;

/** The limit that a process declared before a live reload is not reported as that of another instance. */
class FormerLimitsTest {

    static final BulkheadId REPORTS = BulkheadId.of("reports");

    final InMemoryShareStore server = new InMemoryShareStore(1);
    final FormerLimits former = new FormerLimits();
    int instances;

    @Test
    void limitBeforeTheReloadIsHidden() {
        call(connect(), 5);
        former.note(List.of(spec(5)), System.nanoTime());
        ShareStore store = former.hiddenIn(connect());

        assertThat(call(store, 7)).isEmpty();
        assertThat(declared(store)).containsExactly(7);
        assertThat(declared(connect())).as("in the store").containsExactly(5, 7);
    }

    @Test
    void limitOfAnotherInstanceIsShown() {
        call(connect(), 5);
        call(connect(), 9);
        former.note(List.of(spec(5)), System.nanoTime());
        ShareStore store = former.hiddenIn(connect());

        assertThat(call(store, 7)).containsExactly(9);
        assertThat(declared(store)).containsExactly(7, 9);
    }

    @Test
    void limitInForceAgainIsShown() {
        former.note(List.of(spec(5)), System.nanoTime());
        former.note(List.of(spec(7)), System.nanoTime());
        ShareStore store = former.hiddenIn(connect());
        call(connect(), 7);
        call(store, 5);

        assertThat(declared(store)).containsExactly(5);
    }

    /** Another instance may still have the old limit. */
    @Test
    void limitIsHiddenForAMinute() {
        former.note(List.of(spec(5)), System.nanoTime() - Duration.ofSeconds(62).toNanos());
        call(connect(), 5);
        ShareStore store = former.hiddenIn(connect());

        assertThat(call(store, 7)).containsExactly(5);
        assertThat(declared(store)).containsExactly(5, 7);
    }

    private static SemaphoreSpec spec(int permits) {
        return SemaphoreSpec.named("reports").permits(permits).build();
    }

    private ShareStore connect() {
        return server.connect("i" + ++instances);
    }

    private static Set<Integer> declared(ShareStore store) {
        return store.look(REPORTS, 0).toCompletableFuture().join().declaredLimits();
    }

    /** The first call of an instance; returns the other limits that the answer tells. */
    private static Set<Integer> call(ShareStore store, int permits) {
        return store.sync(new Statement(REPORTS, 1, 0, 0, 0, 0, 30_000, permits, false, false, List.of(),
                List.of(new Need(0, 0, 1, 1)), 0, 0, "", -1, List.of(), List.of())).toCompletableFuture().join().otherLimits();
    }
}
