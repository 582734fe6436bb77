package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.security.SecureRandom;
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
 * Hands permits from one process to another: detaches them here, and attaches what was detached anywhere. Thread-safe.
 * <p>
 * The id of an attached permit follows from the token and this process, so that a retry after a lost answer is the same request
 * to the store. Two requests of this process for one token would both succeed there; only one of them is let through.
 */
final class PermitHandOver {

    private final SemaphoreEngine engine;
    private final SecureRandom random = new SecureRandom();
    private final Set<String> detaching = ConcurrentHashMap.newKeySet();
    private final Set<String> attaching = ConcurrentHashMap.newKeySet();

    PermitHandOver(SemaphoreEngine engine) {
        this.engine = engine;
    }

    /**
     * Detaches a permit. Until the store has answered, it is held and renewed as before.
     *
     * @param copyMayFollow whether a copy of the request may still be on its way, and must be refused
     * @return its token; fails with {@link PermitGoneException}, or as the store does
     */
    CompletionStage<String> detach(LeasedPermit permit, Bulkhead bulkhead, boolean copyMayFollow) {
        // Only one caller gets the token.
        if (!detaching.add(permit.id())) {
            return CompletableFuture.failedStage(gone(bulkhead, "The permit " + permit.id() + " of bulkhead '" + bulkhead.name()
                    + "' is being detached already"));
        }
        DetachedPermit detached = permit.detachment(random);
        engine.underWay().begin();
        return StoreFailures.translate(bulkhead.name(), engine.store().detach(bulkhead.id(), permit.id(),
                permit.nextLease(engine.timers().nanoTime()), detached.digest(),
                copyMayFollow ? PermitReclaimer.longestDelay(bulkhead.terms().lease()) : Duration.ZERO)).thenApply(wasHeld -> {
                    if (!wasHeld) {
                        permit.loseGone();
                    } else if (permit.detached()) {
                        // A failover may lose it, and then Redis keeps the permit for this process.
                        leaveToItsLease(bulkhead, permit.id());
                        return detached.token();
                    }
                    throw gone(bulkhead, "The permit " + permit.id() + " of bulkhead '" + bulkhead.name()
                            + "' was released or lost before it was detached");
                }).whenComplete((token, failure) -> {
                    detaching.remove(permit.id());
                    engine.underWay().end();
                });
    }

    /** A permit that Redis may keep for this process must not be reconciled while its lease lasts. */
    private void leaveToItsLease(Bulkhead bulkhead, String id) {
        engine.timers().after(bulkhead.terms().lease(), () -> {
            engine.reconciler().forget(id);
            // A further try may have attached it.
            if (attaching.contains(id) || engine.keeper().keeps(bulkhead.id(), id)) {
                engine.reconciler().register(id);
            }
        });
    }

    private static PermitGoneException gone(Bulkhead bulkhead, String message) {
        return new PermitGoneException(bulkhead.name(), message);
    }

    /**
     * Attaches a permit that was detached.
     *
     * @param token its token
     * @param method what it is for from now on, as operators see it
     * @return the permit; fails with {@link PermitGoneException}, or as the store does
     * @throws IllegalArgumentException when the token is none
     */
    CompletionStage<HeldPermit> attach(Bulkhead bulkhead, String token, String method) {
        DetachedPermit detached = DetachedPermit.parse(token);
        String id = engine.ids().attached(bulkhead.spec().permits(), Weights.of(detached.permitId()),
                detached.fingerprint());
        if (!attaching.add(id)) {
            return CompletableFuture.failedStage(notThere(bulkhead, detached));
        }
        if (engine.keeper().keeps(bulkhead.id(), id)) {
            attaching.remove(id);
            return CompletableFuture.failedStage(notThere(bulkhead, detached));
        }
        // A shutdown sees the permit at any moment either under way or kept.
        engine.underWay().begin();
        return attach(bulkhead, detached, id, method).whenComplete((permit, failure) -> {
            attaching.remove(id);
            engine.underWay().end();
        });
    }

    private CompletionStage<HeldPermit> attach(Bulkhead bulkhead, DetachedPermit detached, String id, String method) {
        if (engine.isStopping()) {
            return CompletableFuture.failedStage(
                    new BulkheadUnavailableException(bulkhead.name(), "the application is stopping", null));
        }
        SemaphoreSpec spec = bulkhead.spec();
        LeaseTerms terms = bulkhead.terms();
        Duration most = terms.holdIsBounded() ? Duration.ofNanos(terms.holdNanos()).plus(terms.margin()) : Duration.ZERO;
        AcquireRequest permit = new AcquireRequest(bulkhead.id(), id, spec.permits(), terms.lease(), spec.fair(), Duration.ZERO,
                engine.identity().application(), engine.identity().instance(), method);
        engine.reconciler().register(id);
        long askedAt = engine.timers().nanoTime();
        return StoreFailures.translate(bulkhead.name(), engine.store()
                .attach(new AttachRequest(permit, detached.permitId(), detached.digest(), most))
                .whenComplete((found, failure) -> {
                    if (failure != null) {
                        // It may have been attached, and the caller may try again.
                        leaveToItsLease(bulkhead, id);
                    } else if (found.isEmpty()) {
                        engine.reconciler().forget(id);
                    }
                })).thenApply(found -> {
                    Attached attached = found.orElseThrow(() -> notThere(bulkhead, detached));
                    return keep(bulkhead, id, method, attached, askedAt);
                });
    }

    // It counts from its start, which was by so much before the store was asked, or later.
    private HeldPermit keep(Bulkhead bulkhead, String id, String method, Attached attached, long askedAt) {
        LeaseTerms terms = bulkhead.terms();
        long startedAt = askedAt - attached.age().toNanos();
        long end = askedAt + terms.leaseNanos();
        if (terms.holdIsBounded()) {
            end = Math.min(end, startedAt + terms.holdNanos() + terms.marginNanos());
        }
        LeasedPermit permit = new LeasedPermit(engine, bulkhead, id, method, attached.ticket(), false, startedAt, end,
                terms.marginNanos());
        engine.keeper().keep(permit);
        return permit;
    }

    private static PermitGoneException notThere(Bulkhead bulkhead, DetachedPermit detached) {
        return gone(bulkhead, "The detached permit " + detached.permitId() + " is not in bulkhead '" + bulkhead.id()
                + "' any more: its lease has ended, it was attached already, or it was revoked. Attach it within one lease ("
                + bulkhead.terms().lease() + "), once, and where it was detached: at the same bulkhead, key or lock");
    }
}
