/**
 * The life of a permit: {@link io.quarkiverse.redisbulkhead.runtime.semaphore.PermitRequest requested},
 * {@linkplain io.quarkiverse.redisbulkhead.runtime.semaphore.WaiterRegistry waited for},
 * {@linkplain io.quarkiverse.redisbulkhead.runtime.semaphore.LeaseRenewer renewed},
 * {@linkplain io.quarkiverse.redisbulkhead.runtime.semaphore.PermitReturns returned}, and
 * {@linkplain io.quarkiverse.redisbulkhead.runtime.semaphore.PermitReconciler reconciled} after a failover. Independent of CDI,
 * configuration and Redis; clock and threads are passed in. Everything is asynchronous; blocking callers wait for the stage.
 * Classes do not depend on each other in cycles.
 */
package io.quarkiverse.redisbulkhead.runtime.semaphore;
