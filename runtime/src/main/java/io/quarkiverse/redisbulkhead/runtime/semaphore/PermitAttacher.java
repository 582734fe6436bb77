package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.PermitGoneException;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.AttachRequest;
import io.quarkiverse.redisbulkhead.runtime.store.Attached;
import io.quarkiverse.redisbulkhead.runtime.store.Weights;

/**
 * Attaches permits that were {@linkplain LeasedPermit#detach() detached} in any process. Thread-safe.
 * <p>
 * The id of an attached permit follows from the token and this process, so that a retry after a lost answer is the same request
 * to the store. Two requests of this process for one token would both succeed there; only one of them is sent.
 */
final class PermitAttacher {

    private final LeasedPermit.Dependencies permits;
    private final HolderIdentity identity;
    private final Set<String> attaching = ConcurrentHashMap.newKeySet();

    PermitAttacher(LeasedPermit.Dependencies permits, HolderIdentity identity) {
        this.permits = permits;
        this.identity = identity;
    }

    /**
     * Attaches a permit.
     *
     * @param token from the detachment
     * @param method what the permit is for from now on, as operators see it
     * @return the permit; fails with {@link PermitGoneException}, or as the store does
     * @throws IllegalArgumentException when the token is malformed
     */
    CompletionStage<HeldPermit> attach(SemaphoreDefinition bulkhead, String token, String method) {
        DetachedPermit detached = DetachedPermit.parse(token);
        String id = permits.reconciler().attachedId(Weights.of(detached.permitId()), detached.fingerprint());
        if (!attaching.add(id)) {
            return CompletableFuture.failedStage(gone(bulkhead, detached));
        }
        if (permits.renewer().keeps(bulkhead.id(), id)) {
            attaching.remove(id);
            return CompletableFuture.failedStage(gone(bulkhead, detached));
        }
        // Counted until the permit is kept, so that a shutdown does not miss it.
        permits.requests().begin();
        return attach(bulkhead, detached, id, method).whenComplete((permit, failure) -> {
            attaching.remove(id);
            permits.requests().end();
        });
    }

    private CompletionStage<HeldPermit> attach(SemaphoreDefinition bulkhead, DetachedPermit detached, String id,
            String method) {
        if (permits.requests().isStopping()) {
            return CompletableFuture.failedStage(
                    new BulkheadUnavailableException(bulkhead.name(), "the application is stopping", null));
        }
        SemaphoreSpec spec = bulkhead.spec();
        SemaphoreDefinition.LeaseTerms terms = bulkhead.terms();
        Duration most = terms.holdIsBounded() ? Duration.ofNanos(terms.holdNanos()).plus(terms.margin()) : Duration.ZERO;
        AcquireRequest permit = new AcquireRequest(bulkhead.id(), id, spec.permits(), terms.lease(), spec.fair(), Duration.ZERO,
                identity.application(), identity.instance(), method);
        permits.reconciler().register(id);
        long requestedAt = permits.timers().nanoTime();
        return StoreFailures.translate(bulkhead.name(), permits.store()
                .attach(new AttachRequest(permit, detached.permitId(), detached.digest(), most))
                .whenComplete((found, failure) -> {
                    if (failure != null) {
                        // It may have been attached, and the caller may retry.
                        leaveToItsLease(bulkhead, id);
                    } else if (found.isEmpty()) {
                        permits.reconciler().forget(id);
                    }
                })).thenApply(found -> {
                    Attached attached = found.orElseThrow(() -> gone(bulkhead, detached));
                    return keep(bulkhead, id, method, attached, requestedAt);
                });
    }

    /** A permit that Redis may keep for this process must not be reconciled while its lease lasts. */
    private void leaveToItsLease(SemaphoreDefinition bulkhead, String id) {
        permits.timers().after(bulkhead.terms().lease(), () -> {
            permits.reconciler().forget(id);
            // A retry may have attached it.
            if (attaching.contains(id) || permits.renewer().keeps(bulkhead.id(), id)) {
                permits.reconciler().register(id);
            }
        });
    }

    // The permit started that long before the request, or later.
    private HeldPermit keep(SemaphoreDefinition bulkhead, String id, String method, Attached attached, long requestedAt) {
        SemaphoreDefinition.LeaseTerms terms = bulkhead.terms();
        long startedAt = requestedAt - attached.age().toNanos();
        long end = requestedAt + terms.leaseNanos();
        if (terms.holdIsBounded()) {
            end = Math.min(end, startedAt + terms.holdNanos() + terms.marginNanos());
        }
        LeasedPermit permit = new LeasedPermit(permits, bulkhead, id, method, attached.ticket(), false, startedAt, end,
                terms.marginNanos());
        permit.keep();
        return permit;
    }

    private static PermitGoneException gone(SemaphoreDefinition bulkhead, DetachedPermit detached) {
        return new PermitGoneException(bulkhead.name(),
                "The detached permit " + detached.permitId() + " is no longer in bulkhead '"
                        + bulkhead.id()
                        + "': its lease has ended, it was already attached, or it was revoked. Attach it once, within one "
                        + "lease (" + bulkhead.terms().lease() + "), and to the bulkhead, key or lock from which it was "
                        + "detached");
    }
}
