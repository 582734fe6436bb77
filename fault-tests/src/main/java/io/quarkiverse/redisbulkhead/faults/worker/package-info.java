/**
 * The application that fault tests start many times: it calls guarded methods as it is told, and each execution reports to an
 * observer outside of the process before it does anything, and before it ends.
 */
package io.quarkiverse.redisbulkhead.faults.worker;
