package io.quarkiverse.redisbulkhead.runtime.dev;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.overview.LimitState;

class UseHistoryTest {

    static final LimitId REPORTS = new LimitId("reports", Optional.empty());
    static final LimitId TENANT = new LimitId("search", Optional.of("acme"));

    final UseHistory history = new UseHistory();
    Instant at = Instant.parse("2026-11-21T10:00:00Z");

    private void later() {
        at = at.plus(UseHistory.SPAN);
    }

    @Test
    void hasThePeakOfEachSpan() {
        history.add(Snapshots.at(at, Snapshots.bulkhead("reports", 1)));
        history.add(Snapshots.at(at.plusSeconds(1), Snapshots.bulkhead("reports", 3)));
        history.add(Snapshots.at(at.plusSeconds(2), Snapshots.bulkhead("reports", 2)));
        later();
        history.add(Snapshots.at(at, Snapshots.bulkhead("reports", 0)));

        assertThat(history.of(REPORTS)).hasSize(UseHistory.POINTS).endsWith(3, 0);
    }

    @Test
    void knowsWhenNobodyLooked() {
        history.add(Snapshots.at(at, Snapshots.bulkhead("reports", 1)));
        later();
        later();
        later();
        history.add(Snapshots.at(at, Snapshots.bulkhead("reports", 2)));

        assertThat(history.of(REPORTS)).endsWith(1, null, null, 2);
    }

    @Test
    void forgetsWhatIsOlder() {
        history.add(Snapshots.at(at, Snapshots.bulkhead("reports", 9)));
        for (int i = 0; i < UseHistory.POINTS; i++) {
            later();
            history.add(Snapshots.at(at, Snapshots.bulkhead("reports", 1)));
        }

        assertThat(history.of(REPORTS)).containsOnly(1);
    }

    @Test
    void aKeyThatIsNotInUseForAMomentKeepsItsHistory() {
        history.add(Snapshots.at(at, Snapshots.keyed("search", Snapshots.limit(TENANT.key(), 2))));
        later();
        history.add(Snapshots.at(at, Snapshots.keyed("search")));
        later();
        history.add(Snapshots.at(at, Snapshots.keyed("search", Snapshots.limit(TENANT.key(), 1))));

        assertThat(history.of(TENANT)).endsWith(2, 0, 1);
    }

    @Test
    void forgetsKeysThatAreGone() {
        history.add(Snapshots.at(at, Snapshots.keyed("search", Snapshots.limit(TENANT.key(), 2))));
        for (int i = 0; i < UseHistory.POINTS; i++) {
            later();
            history.add(Snapshots.at(at, Snapshots.keyed("search")));
        }

        assertThat(history.of(TENANT)).isEmpty();
    }

    @Test
    void isBounded() {
        history.add(Snapshots.at(at, Snapshots.keyed("search", IntStream.range(0, UseHistory.MOST_LIMITS + 1)
                .mapToObj(i -> Snapshots.limit(Optional.of("k" + i), 1)).toArray(LimitState[]::new))));

        assertThat(history.of(new LimitId("search", Optional.of("k0")))).isNotEmpty();
        assertThat(history.of(new LimitId("search", Optional.of("k" + UseHistory.MOST_LIMITS)))).isEmpty();
    }
}
