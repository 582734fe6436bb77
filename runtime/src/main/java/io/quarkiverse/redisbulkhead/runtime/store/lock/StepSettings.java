package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.time.Duration;

/**
 * How long steps may take and be waited for, and what they go by.
 *
 * @param stepTimeout after which time the lock of a process that died within a step is free
 * @param contentionTimeout for how long an operation tries to get the lock
 * @param slack how long keys outlive what they hold
 * @param few how many of those who hold and wait a step looks at, beyond the ids that it is about; at least 1
 * @param clock the clock of the server
 */
record StepSettings(Duration stepTimeout, Duration contentionTimeout, Duration slack, int few, ServerClock clock) {
}
