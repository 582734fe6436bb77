package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.Function;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.ComparedShares;
import io.quarkiverse.redisbulkhead.runtime.store.machine.ShareMutation;
import io.quarkiverse.redisbulkhead.runtime.store.redis.ScriptTexts;

/**
 * Both halves of the protocol together, on a virtual clock: traps 3, 4, 7, 9 to 12, 20, 21, 29, 47, 49, 50, 52 and 53.
 * {@code -Dmodel.seed=} sets the first seed, {@code -Dmodel.histories=} how many there are.
 */
class HistoriesTest {

    private static final int HISTORIES = Integer.getInteger("model.histories", 20);
    private static final int FIRST = Integer.getInteger("model.seed", 1);
    /** The model of Redis is slower than the machine, with which the script agrees. */
    private static final int HISTORIES_OF_THE_SCRIPT = Math.max(1, HISTORIES / 5);
    /** A defect that is not found within so many histories of each kind is found by luck. */
    private static final int HISTORIES_OF_A_DEFECT = 60;
    private static final int STEPS = 250;

    private int granted;
    private int lost;

    @ParameterizedTest
    @EnumSource(History.Faults.class)
    void nothingIsPromisedTooMuch(History.Faults faults) {
        play(HISTORIES, faults, ComparedShares.Machine::new);

        assertThat(granted).as("calls that got permits").isGreaterThan(HISTORIES * STEPS / 20);
        if (faults == History.Faults.NONE || faults == History.Faults.DELAYS) {
            assertThat(lost).as("losses without faults").isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(History.Faults.class)
    void scriptPromisesNothingTooMuch(History.Faults faults) {
        play(HISTORIES_OF_THE_SCRIPT, faults, script(ScriptTexts.of("share")));
    }

    /** Without those that only the exploration finds: an engine confirms an offer long before it is taken back. */
    @ParameterizedTest
    @EnumSource(names = { "OFFERS_ARE_TAKEN_BACK_TOO_EARLY", "CLAIMS_OF_THE_GRACE_NEED_ROOM" }, mode = Mode.EXCLUDE)
    void historiesFindADefect(ShareMutation mutation) {
        assertThatThrownBy(() -> {
            for (History.Faults faults : History.Faults.values()) {
                play(HISTORIES_OF_A_DEFECT, faults, script(mutation.applied(ScriptTexts.of("share"))));
            }
        }).as(mutation.name()).isInstanceOf(AssertionError.class).hasMessageNotContaining("LuaError");
    }

    private static Function<BulkheadId, ComparedShares> script(String text) {
        return bulkhead -> new ComparedShares.Modelled(text, bulkhead);
    }

    private void play(int histories, History.Faults faults, Function<BulkheadId, ComparedShares> implementation) {
        for (int seed = FIRST; seed < FIRST + histories; seed++) {
            History history = new History(seed, faults, implementation);
            history.run(STEPS);
            granted += history.granted;
            lost += history.lost;
        }
    }
}
