package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;

/**
 * A request for a permit that was detached.
 *
 * @param permit what the permit becomes: its new id, lease and owner; the place and the ticket are of no matter
 * @param detachedId the id that it has
 * @param digest the digest of the secret by which it was detached
 * @param mostFromStart for how long from its start the lease may reach at most; zero: there is no bound
 */
public record AttachRequest(AcquireRequest permit, String detachedId, String digest, Duration mostFromStart) {
}
