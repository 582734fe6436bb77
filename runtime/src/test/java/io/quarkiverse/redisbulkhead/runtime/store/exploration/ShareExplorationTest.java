package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.runtime.store.ComparedShares;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.Bounds.Rare;

class ShareExplorationTest {

    enum Setting {
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
        DEAD_WAITER(Bounds.of(1, 2, List.of(List.of(1), List.of(1), List.of(1))).after(1, 1, 1).with(Rare.WAITER_DIES, 1)),
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
        FAILOVER_REMEMBERS(Bounds.of(1, 1, List.of(List.of(1), List.of(1))).after(1, 1).with(Rare.FAILOVER, 1));

        final Bounds bounds;

        Setting(Bounds bounds) {
            this.bounds = bounds;
        }
    }

    @ParameterizedTest
    @EnumSource
    void machineKeepsTheRules(Setting setting) {
        Exploration all = Explorer.explore(new ShareModel(new ComparedShares.Machine(), setting.bounds), 60);
        assertThat(all.counterexample()).isEmpty();
    }

    public static void main(String... args) {
        for (Setting setting : Setting.values()) {
            if (args.length > 1 && !args[1].contains(setting.name())) {
                continue;
            }
            Exploration all = Explorer.explore(new ShareModel(new ComparedShares.Machine(), setting.bounds), 60,
                    Integer.parseInt(args[0]));
            System.out.println(setting + " " + all.states() + " states " + all.moves() + " moves depth " + all.depth() + " "
                    + (all.complete() ? "complete " : "") + all.took().toMillis() + " ms");
            all.counterexample().ifPresent(System.out::println);
        }
    }
}
