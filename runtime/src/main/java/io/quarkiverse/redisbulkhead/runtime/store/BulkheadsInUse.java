package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The bulkheads, and the keys of bulkheads, with holders in any application.
 *
 * @param bulkheads in order; some may be empty by now
 * @param keysWithoutText by the name of a bulkhead, how many more of its keys are in use whose texts the store does not keep,
 *        because they are long
 * @param incomplete why there may be more; empty when these are all
 */
public record BulkheadsInUse(List<BulkheadId> bulkheads, Map<String, Integer> keysWithoutText, Optional<String> incomplete) {

    /** Copies the values. */
    public BulkheadsInUse {
        bulkheads = List.copyOf(bulkheads);
        keysWithoutText = Map.copyOf(keysWithoutText);
    }

    /**
     * The answer of a store that does not know.
     *
     * @param why the reason
     */
    public static BulkheadsInUse unknown(String why) {
        return new BulkheadsInUse(List.of(), Map.of(), Optional.of(why));
    }
}
