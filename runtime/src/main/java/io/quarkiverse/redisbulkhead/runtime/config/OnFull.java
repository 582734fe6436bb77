package io.quarkiverse.redisbulkhead.runtime.config;

/** What happens to a call of a guarded method when its bulkhead is full, immediately or after its wait. */
public enum OnFull {

    /** It fails with {@link io.quarkiverse.redisbulkhead.BulkheadFullException}. */
    REJECT,

    /** It returns without having run the method. Only for methods that return nothing. */
    SKIP
}
