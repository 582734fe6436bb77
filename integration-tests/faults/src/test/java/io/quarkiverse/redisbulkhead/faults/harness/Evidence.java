package io.quarkiverse.redisbulkhead.faults.harness;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A snapshot of a history, for the {@link Checker}.
 *
 * @param visits all executions
 * @param pauses when processes stood still
 * @param losses when Redis lost data
 * @param silences when executions may start without a permit
 * @param limits how many executions of each bulkhead may be inside at once, from which time on
 */
record Evidence(List<Visit> visits, List<Pause> pauses, List<DataLoss> losses, List<Silence> silences,
        Map<String, TreeMap<Long, Integer>> limits) {

    int limit(Visit visit, long at) {
        TreeMap<Long, Integer> ofBulkhead = limits.get(visit.bulkhead());
        if (ofBulkhead == null) {
            throw new IllegalStateException("No limit was reported for " + visit.bulkhead());
        }
        return ofBulkhead.floorEntry(at).getValue();
    }
}
