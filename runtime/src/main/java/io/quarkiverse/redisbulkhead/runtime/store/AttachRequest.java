package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;

/**
 * A request for a permit that was detached.
 *
 * @param permit the new id, lease and owner of the permit; its place and ticket are ignored
 * @param detachedId its present id
 * @param digest the digest of the secret by which it was detached
 * @param mostFromStart the latest end of the lease, counted from the start of the permit; zero: unlimited
 */
public record AttachRequest(AcquireRequest permit, String detachedId, String digest, Duration mostFromStart) {
}
