package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;

/**
 * A permit that was detached and attached.
 *
 * @param ticket its new fencing token
 * @param age how long ago the permit started, by the clock of the store
 */
public record Attached(long ticket, Duration age) {
}
