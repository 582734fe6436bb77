package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Cancelled;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Full;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;

/** The admission to one bulkhead: one permit, asked for once. */
final class PermitAdmission implements Admission {

    private static final Logger LOG = Logger.getLogger(PermitAdmission.class);

    private final AcquireRequest request;
    private final PermitStore store;
    private final PermitReclaimer reclaimer;
    // Completes with the permit to give back, or with null when there is none. Before that, an unknown outcome has been handed to
    // the reclaimer.
    private final CompletableFuture<Granted> held = new CompletableFuture<>();
    private final CompletableFuture<Void> granted = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final AtomicBoolean ending = new AtomicBoolean();

    PermitAdmission(AcquireRequest request, PermitStore store, PermitReclaimer reclaimer) {
        this.request = request;
        this.store = store;
        this.reclaimer = reclaimer;
        store.acquire(request).whenComplete(this::answered);
    }

    private void answered(AcquireReply reply, Throwable failure) {
        if (failure == null && reply instanceof Granted permit) {
            held.complete(permit);
            granted.complete(null);
        } else {
            if (failure == null ? reply.copyMayFollow() : mayBeCarriedOut(failure)) {
                reclaimer.reclaim(request.bulkhead(), request.permitId(), request.lease());
            }
            held.complete(null);
            granted.completeExceptionally(
                    failure == null ? rejection(reply) : StoreFailures.unavailable(request.bulkhead(), failure));
        }
    }

    private static boolean mayBeCarriedOut(Throwable failure) {
        return !(StoreFailures.cause(failure) instanceof StoreException known) || known.outcomeUnknown();
    }

    private RuntimeException rejection(AcquireReply reply) {
        if (reply instanceof Full full) {
            return new BulkheadFullException(request.bulkhead(), request.limit(), full.nearestLeaseEnd());
        }
        if (reply instanceof Cancelled) {
            return new BulkheadUnavailableException(request.bulkhead(), "the request was given up before it arrived", null);
        }
        throw new IllegalStateException("Neither granted nor rejected: " + reply);
    }

    @Override
    public CompletionStage<Void> granted() {
        return granted.minimalCompletionStage();
    }

    @Override
    public CompletionStage<Void> end() {
        if (ending.compareAndSet(false, true)) {
            held.thenAccept(permit -> {
                if (permit != null) {
                    release(permit);
                } else {
                    ended.complete(null);
                }
            });
        }
        return ended.minimalCompletionStage();
    }

    private void release(Granted permit) {
        giveBack(permit).whenComplete((wasHeld, failure) -> {
            if (failure != null) {
                LOG.debugf(failure, "Permit %s of bulkhead '%s' is given back in the background", request.permitId(),
                        request.bulkhead());
                reclaimer.reclaim(request.bulkhead(), request.permitId(), request.lease());
            } else if (!wasHeld) {
                LOG.warnf("The permit of %s in bulkhead '%s' was gone before the execution ended: it ran longer than its lease "
                        + "of %s, or Redis lost the permit. More executions than the limit may have run meanwhile. Make expire "
                        + "longer than the longest execution", request.method(), request.bulkhead(), request.lease());
            }
            ended.complete(null);
        });
    }

    private CompletionStage<Boolean> giveBack(Granted permit) {
        if (permit.copyMayFollow()) {
            return store.cancel(request.bulkhead(), List.of(request.permitId()), PermitReclaimer.longestDelay(request.lease()))
                    .thenApply(done -> true);
        }
        return store.release(request.bulkhead(), request.permitId());
    }
}
