package io.quarkiverse.redisbulkhead.runtime.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.machine.ShareMachine;
import io.quarkiverse.redisbulkhead.runtime.store.redis.ScriptTexts;

/**
 * Trap 46: {@code share.lua} and {@link ShareMachine} play generated histories, and have the same answers, messages, data and
 * times to live after each step. {@code -Dmodel.seed=} sets the first seed, {@code -Dmodel.histories=} how many there are.
 */
public class SharesAgreeTest {

    private static final long FIRST_SEED = Long.getLong("model.seed", 1);
    private static final int HISTORIES = Integer.getInteger("model.histories", 20);
    private static final int STEPS = 150;

    @Test
    @DisplayName("Trap 46: the script of shares agrees with the state machine")
    void scriptAgreesWithTheStateMachine() {
        compare(List.of(new ComparedShares.Machine(), new ComparedShares.Modelled(ScriptTexts.of("share"))), HISTORIES);
    }

    /** Plays generated histories; fails with a short one if an answer differs. */
    public static void compare(List<ComparedShares> all, int histories) {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + histories; seed++) {
            List<Long> history = ComparedShareHistory.generate(seed, STEPS);
            Optional<String> difference = ComparedShareHistory.difference(all, history);
            if (difference.isPresent()) {
                List<Long> shrunk = Shrinker.shrink(history,
                        steps -> ComparedShareHistory.difference(all, steps).isPresent());
                assertThat(ComparedShareHistory.difference(all, shrunk)).as("To repeat: -Dmodel.seed=" + seed).isEmpty();
            }
        }
    }
}
