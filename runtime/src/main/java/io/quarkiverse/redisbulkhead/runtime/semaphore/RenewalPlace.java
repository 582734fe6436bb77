package io.quarkiverse.redisbulkhead.runtime.semaphore;

/**
 * The place of a permit among the {@link KeptPermits} of its bulkhead. It is a part of the permit, so that keeping one for
 * a short time allocates nothing. All of it is guarded by these permits.
 */
abstract class RenewalPlace {

    LeasedPermit before;
    LeasedPermit after;
    boolean kept;
    boolean renewing;
    long renewAt;
}
