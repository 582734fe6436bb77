package io.quarkiverse.redisbulkhead.runtime.store.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.runtime.store.ComparedShares;
import io.quarkiverse.redisbulkhead.runtime.store.machine.ShareWorld.Trouble;
import io.quarkiverse.redisbulkhead.runtime.store.redis.ScriptTexts;

/**
 * Generated histories of instances that share one bulkhead through the script. {@code -Dmodel.seed=} sets the first seed,
 * {@code -Dmodel.histories=} how many there are.
 */
class ShareHistoriesTest {

    private static final long FIRST_SEED = Long.getLong("model.seed", 1);
    private static final int HISTORIES = Integer.getInteger("model.histories", 20);
    /** The model of Redis is slower than the machine, with which the script agrees. */
    private static final int HISTORIES_OF_THE_SCRIPT = Math.max(1, HISTORIES / 5);
    /** A defect that is not found within so many histories is found by luck. */
    private static final int HISTORIES_OF_A_DEFECT = 8;
    private static final int SECONDS = 20;

    @Test
    void machineKeepsTheRules() {
        assertThat(broken(new ComparedShares.Machine(), HISTORIES, Set.of())).isEmpty();
    }

    @Test
    void scriptKeepsTheRules() {
        assertThat(broken(new ComparedShares.Modelled(ScriptTexts.of("share")), HISTORIES_OF_THE_SCRIPT, Set.of())).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void historiesFindADefect(ShareMutation mutation) {
        Optional<String> found = broken(new ComparedShares.Modelled(mutation.applied(ScriptTexts.of("share"))),
                HISTORIES_OF_A_DEFECT, mutation.troubles());
        assertThat(found).as(mutation.name()).isPresent();
    }

    /** The first rule that is broken in histories with these troubles, or with some troubles by default. */
    private static Optional<String> broken(ComparedShares server, int histories, Set<Trouble> required) {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + histories; seed++) {
            Set<Trouble> troubles = required.isEmpty() ? troubles(seed) : required;
            ShareWorld world = new ShareWorld(server, seed, troubles);
            try {
                world.play(SECONDS);
            } catch (ShareWorld.Broken | RuntimeException broken) {
                return Optional.of("seed " + seed + " " + troubles + " " + broken);
            }
        }
        return Optional.empty();
    }

    /** Every fifth history has no trouble; the others have some. */
    private static Set<Trouble> troubles(long seed) {
        Set<Trouble> troubles = EnumSet.noneOf(Trouble.class);
        Random random = new Random(seed);
        for (Trouble trouble : Trouble.values()) {
            if (seed % 5 > 0 && random.nextInt(4) == 0) {
                troubles.add(trouble);
            }
        }
        return troubles;
    }
}
