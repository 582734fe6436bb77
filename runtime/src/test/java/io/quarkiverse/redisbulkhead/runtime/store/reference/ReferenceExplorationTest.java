package io.quarkiverse.redisbulkhead.runtime.store.reference;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import io.quarkiverse.redisbulkhead.reference.BasicSemaphore;
import io.quarkiverse.redisbulkhead.reference.FairSemaphore;
import io.quarkiverse.redisbulkhead.reference.LockedSemaphore;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.Counterexample;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.Exploration;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.Explorer;

/** The explorer finds where the reference semaphores grant the only permit to two clients. */
class ReferenceExplorationTest {

    private static final int DEEPEST = 40;

    @Test
    void basicAdmitsASlowClientAlthoughClocksAgree() {
        Counterexample found = counterexample(new ReferenceModel(BasicSemaphore::new, 1, 0L, 0L));

        assertThat(found.steps()).hasSize(4);
    }

    @Test
    void fairAdmitsAClientThatGotItsNumberFirstAndJoinedLast() {
        Counterexample found = counterexample(new ReferenceModel(FairSemaphore::new, 0, 0L, 0L));

        assertThat(found.steps()).hasSize(6);
    }

    @Test
    void fastClockRemovesAHolderOfFair() {
        Counterexample found = counterexample(new ReferenceModel(FairSemaphore::new, 0, 0L, 3_600_000L));

        assertThat(found.steps()).hasSize(6);
    }

    /** The longest path to a counterexample. */
    @Test
    @EnabledIfSystemProperty(named = "exploration", matches = "long")
    void lockedAdmitsAClientPausedBeyondItsLock() {
        Counterexample found = counterexample(new ReferenceModel(LockedSemaphore::new, 2, 0L, 0L));

        assertThat(found.steps()).contains("a tick passes");
    }

    /** Shows that the pause is the only cause. */
    @Test
    void lockedKeepsTheLimitWithoutPauses() {
        assertThat(explore(new ReferenceModel(LockedSemaphore::new, 0, 0L, 0L)).counterexample()).isEmpty();
    }

    private static Counterexample counterexample(ReferenceModel model) {
        Counterexample found = explore(model).counterexample().orElseThrow();
        System.out.println(found);
        return found;
    }

    private static Exploration explore(ReferenceModel model) {
        return Explorer.explore(model, DEEPEST);
    }
}
