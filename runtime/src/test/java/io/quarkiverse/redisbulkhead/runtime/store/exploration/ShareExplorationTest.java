package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.runtime.store.ComparedShares;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.Bounds.Rare;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.ModelledInstance.Slip;
import io.quarkiverse.redisbulkhead.runtime.store.machine.ShareMutation;
import io.quarkiverse.redisbulkhead.runtime.store.redis.ScriptTexts;

/**
 * Explores what instances of a bulkhead and the server can do, in all orders, until so many states were seen. Small settings
 * are explored completely. {@code -Dexploration=long} sees more states.
 */
public class ShareExplorationTest {

    private static final boolean LONG = "long".equals(System.getProperty("exploration"));
    private static final int STATES = LONG ? 300_000 : 3_000;
    private static final int STATES_OF_THE_SCRIPT = LONG ? 30_000 : 500;
    private static final int STATES_UNTIL_A_DEFECT = 8_000;
    private static final int DEPTH = 100;

    /** What is explored. */
    public enum Setting {
        QUEUE(Bounds.of(1, 0, List.of(List.of(1, 1), List.of(1)))),
        LOSSES(Bounds.of(1, 0, List.of(List.of(1), List.of(1))).with(Rare.UNANSWERED, 1).with(Rare.REPEATED, 1)),
        LOST_OFFERS(Bounds.of(1, 0, List.of(List.of(1), List.of(1, 1))).after(1, 1).with(Rare.UNANSWERED, 1)
                .with(Rare.REPEATED, 1)),
        NO_WAIT(Bounds.of(1, 0, List.of(List.of(-1, -1), List.of(1, -1)))),
        GIVING_UP(Bounds.of(1, 0, List.of(List.of(1), List.of(1, 1), List.of(1))).after(1, 1, 1).with(Rare.GIVE_UP, 1)),
        KEEPING(Bounds.of(2, 3, List.of(List.of(1, 1), List.of(1, -1))).after(2, 0).keeping()),
        WEIGHTS(Bounds.of(2, 0, List.of(List.of(1, 2), List.of(2, 1)))),
        HEAVY_HEAD(Bounds.of(2, 0, List.of(List.of(1, 1), List.of(2), List.of(-1))).after(2, 1, 0)),
        OFFERS(Bounds.of(1, 4, List.of(List.of(1), List.of(1), List.of(-1))).after(1, 1, 0)),
        REPEATED_OFFERS(Bounds.of(1, 4, List.of(List.of(1), List.of(1))).after(1, 0).with(Rare.REPEATED, 1)),
        DEAD_WAITER(Bounds.of(1, 2, List.of(List.of(1), List.of(1, 1, 1, 1, 1), List.of(1))).after(1, 5, 1)
                .with(Rare.WAITER_DIES, 1)),
        DEAD_HOLDER(Bounds.of(1, 3, List.of(List.of(1), List.of(1))).after(1, 1).leaseSeconds(3).with(Rare.HOLDER_DIES, 1)),
        SHORT_LEASE(Bounds.of(1, 3, List.of(List.of(1), List.of(1))).leaseSeconds(1)),
        RENEWAL(Bounds.of(1, 9, List.of(List.of(1), List.of(-1))).after(1, 0).leaseSeconds(4)),
        CLOCK(Bounds.of(1, 2, List.of(List.of(1), List.of(1))).after(1, 1).leaseSeconds(3).with(Rare.CLOCK_BACK, 1)
                .with(Rare.HOLDER_DIES, 1)),
        MINIMUM_HOLD(Bounds.of(1, 3, List.of(List.of(1), List.of(1))).after(1, 1).with(Rare.MINIMUM_HOLD, 1)),
        ATTACH(Bounds.of(1, 0, List.of(List.of(1), List.of())).after(1, 0).with(Rare.DETACH, 1).with(Rare.UNANSWERED, 1)),
        REVOCATION(Bounds.of(2, 0, List.of(List.of(1, 1), List.of(1))).after(2, 1).with(Rare.REVOKE, 1)),
        FLUSH(Bounds.of(1, 2, List.of(List.of(1), List.of(1))).after(1, 0).with(Rare.FLUSH, 1).with(Rare.UNANSWERED, 1)),
        FLUSH_AND_DETACH(Bounds.of(1, 1, List.of(List.of(1), List.of(1))).after(1, 0).with(Rare.FLUSH, 1).with(Rare.DETACH, 1)),
        FAILOVER_FORGETS(Bounds.of(1, 1, List.of(List.of(1, 1), List.of(1, 1))).after(-1, -1).with(Rare.FAILOVER, 1)),
        FAILOVER_REMEMBERS(Bounds.of(1, 1, List.of(List.of(1), List.of(1))).after(1, 1).with(Rare.FAILOVER, 1)),
        FAILOVER_AND_CLOCK(Bounds.of(1, 1, List.of(List.of(1), List.of(1))).after(1, 1).with(Rare.FAILOVER, 1)
                .with(Rare.CLOCK_BACK, 1));

        final Bounds bounds;

        Setting(Bounds bounds) {
            this.bounds = bounds;
        }
    }

    /** Explores a setting with any implementation; fails with a shortest path that breaks a rule. */
    public static void explore(ComparedShares shares, Setting setting, int states) {
        long start = System.nanoTime();
        Explorer.Exploration exploration = Explorer.explore(new ShareModel(shares, setting.bounds), DEPTH, states);
        System.out.printf("%s: %d states, %d moves, depth %d, %s, %d ms%n", setting, exploration.states(), exploration.moves(),
                exploration.depth(), exploration.complete() ? "complete" : "more follow",
                (System.nanoTime() - start) / 1_000_000);
        assertThat(exploration.counterexample()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void machineKeepsTheRules(Setting setting) {
        explore(new ComparedShares.Machine(), setting, STATES);
    }

    @ParameterizedTest
    @EnumSource
    void scriptKeepsTheRules(Setting setting) {
        explore(new ComparedShares.Modelled(ScriptTexts.of("share")), setting, STATES_OF_THE_SCRIPT);
    }

    private static final Map<ShareMutation, Setting> WHERE_IT_SHOWS = Map.ofEntries(
            Map.entry(ShareMutation.RETURNED_COUNTS_TWICE, Setting.QUEUE),
            Map.entry(ShareMutation.LIMIT_OFF_BY_ONE, Setting.QUEUE),
            Map.entry(ShareMutation.OFFERS_ARE_NOT_TAKEN_BACK, Setting.DEAD_WAITER),
            Map.entry(ShareMutation.OFFERS_ARE_TAKEN_BACK_TOO_EARLY, Setting.OFFERS),
            Map.entry(ShareMutation.GRACE_IS_IGNORED, Setting.FAILOVER_FORGETS),
            Map.entry(ShareMutation.NO_GRACE_AFTER_A_NEW_RUN, Setting.FAILOVER_FORGETS),
            Map.entry(ShareMutation.CLAIMS_OF_THE_GRACE_NEED_ROOM, Setting.FAILOVER_REMEMBERS),
            Map.entry(ShareMutation.TOKENS_ARE_REUSED, Setting.QUEUE),
            Map.entry(ShareMutation.A_CLAIM_DOES_NOT_FREE_THE_RECORD, Setting.LOSSES),
            Map.entry(ShareMutation.ATTACHED_TWICE, Setting.ATTACH),
            Map.entry(ShareMutation.SHARES_EXPIRE_TOO_EARLY, Setting.RENEWAL));

    @ParameterizedTest
    @EnumSource
    void explorationFindsADefectOfTheScript(ShareMutation mutation) {
        Bounds bounds = WHERE_IT_SHOWS.get(mutation).bounds;
        ComparedShares broken = new ComparedShares.Modelled(mutation.applied(ScriptTexts.of("share")));

        assertThat(Explorer.explore(new ShareModel(broken, bounds), DEPTH, STATES_UNTIL_A_DEFECT).counterexample())
                .as(mutation.name()).isPresent();
    }

    private static final Map<Slip, Setting> WHERE_IT_SLIPS = Map.of(
            Slip.LEASE_BEGINS_WITH_THE_ANSWER, Setting.SHORT_LEASE,
            Slip.ANSWER_AFTER_THE_LEASE_COUNTS, Setting.SHORT_LEASE,
            Slip.OLDER_ANSWER_COUNTS, Setting.LOSSES,
            Slip.LATE_OFFER_COUNTS, Setting.OFFERS,
            Slip.RETURNED_PERMIT_IS_USED_AGAIN, Setting.GIVING_UP,
            Slip.PERMIT_SERVES_A_LATER_CALL, Setting.GIVING_UP,
            Slip.OLDER_TOKENS_STAY, Setting.GIVING_UP);

    @ParameterizedTest
    @EnumSource
    void explorationFindsADefectOfInstances(Slip slip) {
        Bounds bounds = WHERE_IT_SLIPS.get(slip).bounds.slipping(slip);

        assertThat(Explorer.explore(new ShareModel(new ComparedShares.Machine(), bounds), DEPTH, STATES_UNTIL_A_DEFECT)
                .counterexample()).as(slip.name()).isPresent();
    }
}
