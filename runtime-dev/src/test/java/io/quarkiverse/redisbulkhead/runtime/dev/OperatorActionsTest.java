package io.quarkiverse.redisbulkhead.runtime.dev;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.dev.OperatorActions.Outcome;
import io.quarkiverse.redisbulkhead.runtime.overview.OperatorTargets;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.LimitState;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.smallrye.mutiny.Uni;

class OperatorActionsTest {

    static final Optional<String> NONE = Optional.empty();

    final LocalBulkheads bulkheads = new LocalBulkheads();
    int changes;
    final OperatorActions actions = new OperatorActions(
            new OperatorTargets(bulkheads, bulkheads::undeclared,
                    Uni.createFrom().completionStage(() -> bulkheads.overview.snapshot(0))),
            () -> changes++);

    private static Outcome outcome(Uni<Outcome> action) {
        return OperatorActions.shown(action).await().indefinitely();
    }

    @Test
    void revokes() {
        String permit = bulkheads.take("reports");

        Outcome revoked = outcome(actions.revoke("reports", NONE, permit));
        assertThat(revoked.done()).isTrue();
        assertThat(revoked.message()).contains(permit, "at once, or with its next renewal");
        assertThat(bulkheads.limits("reports")).extracting(LimitState::inUse).containsExactly(0);

        Outcome gone = outcome(actions.revoke("reports", NONE, permit));
        assertThat(gone.done()).isFalse();
        assertThat(gone.message()).contains("no longer held");
        assertThat(changes).as("invalidates the state after each").isEqualTo(2);
    }

    @Test
    void resizesAndResets() {
        assertThat(outcome(actions.resetSize("reports", NONE)).done()).isFalse();

        assertThat(outcome(actions.resize("reports", NONE, 7))).isEqualTo(
                new Outcome(true, "The limit of 'reports' is now 7 for all applications"));
        assertThat(bulkheads.limits("reports").get(0).limit()).hasValue(7);

        assertThat(outcome(actions.resetSize("reports", NONE)).done()).isTrue();
        assertThat(bulkheads.limits("reports").get(0).limit()).hasValue(5);
    }

    @Test
    void actsOnKeysIncludingTheEmptyOne() {
        bulkheads.take("pages", "");
        bulkheads.take("pages", "a");

        assertThat(outcome(actions.resize("pages", Optional.of(""), 7)).done()).isTrue();

        assertThat(bulkheads.limits("pages")).extracting(limit -> limit.limit().getAsInt()).containsExactly(7, 5);
    }

    @Test
    void actsOnBulkheadsOfOtherApplications() {
        String permit = bulkheads.take("of others");

        assertThat(outcome(actions.resize("of others", NONE, 7)).done()).isTrue();
        assertThat(outcome(actions.resetSize("of others", NONE)).done()).isTrue();
        assertThat(outcome(actions.revoke("of others", NONE, permit)).done()).isTrue();
        assertThat(bulkheads.limits("of others")).isEmpty();
    }

    @Test
    void mistypedNameChangesNothing() {
        assertRefused(actions.resize("report", NONE, 7), "Did you mean 'reports'?");

        bulkheads.take("report");
        assertThat(bulkheads.limits("report").get(0).limit()).as("no limit is left").hasValue(5);
    }

    @Test
    void rejectsLocks() {
        assertRefused(actions.revoke("lock:orders", NONE, "p"), "belongs to a lock");
    }

    @Test
    void rejectsMissingAndUnexpectedKeys() {
        assertRefused(actions.resetSize("pages", NONE), "has one limit for each key");
        assertRefused(actions.resize("reports", Optional.of("a"), 7), "has one limit for all calls");
    }

    @Test
    void rejectsMissingValues() {
        assertThat(outcome(actions.resize(null, NONE, 7))).isEqualTo(new Outcome(false, "bulkhead is missing"));
        assertThat(outcome(actions.resize("reports", NONE, null))).isEqualTo(new Outcome(false, "permits is missing"));
        assertThat(outcome(actions.revoke("reports", NONE, null))).isEqualTo(new Outcome(false, "permitId is missing"));
    }

    @Test
    void reportsOutages() {
        OperatorActions away = new OperatorActions(new OperatorTargets(bulkheads, bulkheads::undeclared,
                Uni.createFrom().failure(new StoreException("Redis is away", false, null))), () -> {
                });

        assertThat(outcome(away.resetSize("of others", NONE))).isEqualTo(new Outcome(false, "Redis is away"));
    }

    private void assertRefused(Uni<Outcome> action, String reason) {
        Outcome outcome = outcome(action);
        assertThat(outcome.done()).isFalse();
        assertThat(outcome.message()).contains(reason);
        assertThat(changes).isZero();
    }
}
