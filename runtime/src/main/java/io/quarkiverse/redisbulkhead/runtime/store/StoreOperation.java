package io.quarkiverse.redisbulkhead.runtime.store;

/** The operations of a {@link ShareStore}. */
public enum StoreOperation {

    /** {@link ShareStore#sync}. */
    SYNC,
    /** {@link ShareStore#look}. */
    LOOK,
    /** {@link ShareStore#revoke}. */
    REVOKE,
    /** {@link ShareStore#resize}. */
    RESIZE,
    /** {@link ShareStore#resize} with 0. */
    RESET_SIZE,
    /** {@link ShareStore#inUse}. */
    IN_USE
}
