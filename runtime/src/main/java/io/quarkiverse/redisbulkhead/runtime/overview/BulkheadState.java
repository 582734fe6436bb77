package io.quarkiverse.redisbulkhead.runtime.overview;

import java.util.List;

/**
 * A bulkhead at one moment.
 *
 * @param name its name
 * @param declared whether an annotation of this application declares it; else it is defined in code, behind a lock, or
 *        another application's
 * @param keyed whether it has one limit for each key
 * @param limits its only limit, or that of each key that is in use, by key
 * @param keysWithoutText how many more keys are in use whose texts Redis does not keep, because they are long
 */
public record BulkheadState(String name, boolean declared, boolean keyed, List<LimitState> limits, int keysWithoutText) {

    /** Copies the list. */
    public BulkheadState {
        limits = List.copyOf(limits);
    }
}
