package io.quarkiverse.redisbulkhead.runtime;

/** Where permits live. */
public enum StoreKind {

    /** In Redis, kept by scripts. */
    SCRIPT,

    /** In this process. */
    LOCAL
}
