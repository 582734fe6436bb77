package io.quarkiverse.redisbulkhead.runtime.dev;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot;

/**
 * What there is to show at one moment.
 *
 * @param at the moment
 * @param snapshot the last state that is known; empty when Redis never gave an answer
 * @param error why there is no newer one; empty when the last question was answered
 * @param history the use of each limit during the last minutes
 */
record Seen(Instant at, Optional<Snapshot> snapshot, Optional<String> error, Map<LimitId, List<Integer>> history) {
}
