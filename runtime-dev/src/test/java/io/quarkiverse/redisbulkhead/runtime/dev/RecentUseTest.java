package io.quarkiverse.redisbulkhead.runtime.dev;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.BulkheadState;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.LimitState;
import io.vertx.core.json.JsonObject;

class RecentUseTest {

    final RecentUse recently = new RecentUse();
    Instant at = Instant.parse("2026-11-21T10:00:00Z");

    private void later(int spans) {
        at = at.plus(RecentUse.SPAN.multipliedBy(spans));
    }

    private void see(int inUse) {
        LimitState limit = new LimitState(Optional.of("acme"), OptionalInt.of(5), new Occupancy(inUse, new TreeMap<>(), 0,
                OptionalInt.empty(), new TreeSet<>(), List.of(), List.of()));
        recently.add(new Snapshot(at, List.of(new BulkheadState("search", true, Optional.empty(), true,
                inUse == 0 ? List.of() : List.of(limit), 0)), Optional.empty()));
    }

    private JsonObject limit() {
        JsonObject limit = new JsonObject().put("key", "acme");
        recently.addTo(limit, "search");
        return limit;
    }

    private List<Object> history() {
        return limit().getJsonArray("history").stream().toList();
    }

    @Test
    void historyHasThePeakOfEachSpan() {
        see(1);
        see(3);
        see(2);
        later(1);
        see(0);
        assertThat(history()).hasSize(RecentUse.POINTS).endsWith(null, 3, 0);

        later(3);
        see(1);
        assertThat(history()).as("no page was open in between").endsWith(3, 0, null, null, 1);
    }

    @Test
    void oldSpansAreDropped() {
        see(9);
        recently.add(new PermitLost("search", Optional.of("acme"), "p", 1, "Job#run", PermitLost.Reason.GONE), at);
        later(RecentUse.POINTS - 1);
        see(1);
        assertThat(history()).hasSize(RecentUse.POINTS).startsWith(9).endsWith(1);
        assertThat(limit().getInteger("lost")).isEqualTo(1);

        later(1);
        see(1);
        assertThat(history()).doesNotContain(9);
        assertThat(limit().getInteger("lost")).isZero();
    }
}
