package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.time.Duration;

/**
 * How steps under the lock are done.
 *
 * @param stepTimeout after which time the lock of a process that died within a step is free
 * @param contentionTimeout for how long an operation tries to get the lock
 * @param slack how long keys outlive what they hold
 * @param most how many holders and waiters a bulkhead may have
 * @param clock the clock of the server
 */
record StepSettings(Duration stepTimeout, Duration contentionTimeout, Duration slack, int most, ServerClock clock) {
}
