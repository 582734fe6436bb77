package io.quarkiverse.redisbulkhead.runtime.dev;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;

import org.junit.jupiter.api.Test;

class UseHistoryTest {

    static final Optional<String> TENANT = Optional.of("acme");

    final UseHistory history = new UseHistory();
    Instant at = Instant.parse("2026-11-21T10:00:00Z");

    private void later() {
        at = at.plus(UseHistory.SPAN);
    }

    @Test
    void recordsThePeakOfEachSpan() {
        history.add(Snapshots.at(at, Snapshots.bulkhead("reports", 1)));
        history.add(Snapshots.at(at.plusSeconds(1), Snapshots.bulkhead("reports", 3)));
        history.add(Snapshots.at(at.plusSeconds(2), Snapshots.bulkhead("reports", 2)));
        later();
        history.add(Snapshots.at(at, Snapshots.bulkhead("reports", 0)));

        assertThat(history.of("reports", Optional.empty())).hasSize(UseHistory.POINTS).endsWith(3, 0);
    }

    @Test
    void hasNoValueForSpansWithoutSnapshots() {
        history.add(Snapshots.at(at, Snapshots.bulkhead("reports", 1)));
        later();
        later();
        later();
        history.add(Snapshots.at(at, Snapshots.bulkhead("reports", 2)));

        assertThat(history.of("reports", Optional.empty())).endsWith(1, null, null, 2);
    }

    @Test
    void dropsOldSpans() {
        history.add(Snapshots.at(at, Snapshots.bulkhead("reports", 9)));
        for (int i = 0; i < UseHistory.POINTS; i++) {
            later();
            history.add(Snapshots.at(at, Snapshots.bulkhead("reports", 1)));
        }

        assertThat(history.of("reports", Optional.empty())).containsOnly(1);
        assertThat(history.spans()).isEqualTo(UseHistory.POINTS);
    }

    @Test
    void brieflyUnusedKeyKeepsItsHistory() {
        history.add(Snapshots.at(at, Snapshots.keyed("search", Snapshots.limit(TENANT, 2))));
        later();
        history.add(Snapshots.at(at, Snapshots.keyed("search")));
        later();
        history.add(Snapshots.at(at, Snapshots.keyed("search", Snapshots.limit(TENANT, 1))));

        assertThat(history.of("search", TENANT)).endsWith(2, 0, 1);
    }

    @Test
    void dropsUnusedKeys() {
        history.add(Snapshots.at(at, Snapshots.keyed("search", Snapshots.limit(TENANT, 2))));
        for (int i = 0; i < UseHistory.POINTS; i++) {
            later();
            history.add(Snapshots.at(at, Snapshots.keyed("search")));
        }

        assertThat(history.of("search", TENANT)).containsOnly(0);
    }

    @Test
    void isEmptyAtFirst() {
        assertThat(history.of("reports", Optional.empty())).isEmpty();
    }
}
