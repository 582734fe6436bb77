package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.time.Duration;

/**
 * How the store behaves.
 *
 * @param lockTimeout after which time the lock of a process that died within a step is free
 * @param contentionTimeout for how long an operation tries to get the lock
 * @param slack how long keys outlive what they hold
 * @param clock the clock of the server
 */
record StepSettings(Duration lockTimeout, Duration contentionTimeout, Duration slack, ServerClock clock) {
}
