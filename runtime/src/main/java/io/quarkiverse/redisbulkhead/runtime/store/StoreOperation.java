package io.quarkiverse.redisbulkhead.runtime.store;

/** The operations of a {@link ShareStore} and of a {@link PermitStore}. */
public enum StoreOperation {

    /** {@link ShareStore#sync}. */
    SYNC,
    /** {@link ShareStore#look}. */
    LOOK,

    /** {@link PermitStore#acquire}. */
    ACQUIRE,
    /** {@link PermitStore#release}. */
    RELEASE,
    /** {@link PermitStore#cancel}. */
    CANCEL,
    /** {@link PermitStore#renew}. */
    RENEW,
    /** {@link PermitStore#poll}. */
    POLL,
    /** {@link PermitStore#detach}. */
    DETACH,
    /** {@link PermitStore#attach}. */
    ATTACH,
    /** {@link PermitStore#revoke}. */
    REVOKE,
    /** {@link PermitStore#resize}. */
    RESIZE,
    /** {@link PermitStore#resetSize}. */
    RESET_SIZE,
    /** {@link PermitStore#occupancy}. */
    OCCUPANCY,
    /** {@link PermitStore#ownPermits}. */
    OWN_PERMITS,
    /** {@link PermitStore#inUse}. */
    IN_USE
}
