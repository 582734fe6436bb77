package io.quarkiverse.redisbulkhead.runtime.semaphore;

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
    // Completes with whether there is a permit to give back, after an unknown outcome has been handed to the reclaimer.
    private final CompletableFuture<Boolean> held = new CompletableFuture<>();
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
        held.complete(reply instanceof Granted);
        if (failure != null) {
            boolean certain = StoreFailures.cause(failure) instanceof StoreException known && !known.outcomeUnknown();
            if (!certain) {
                reclaimer.reclaim(request.bulkhead(), request.permitId(), request.lease());
            }
            granted.completeExceptionally(StoreFailures.unavailable(request.bulkhead(), failure));
        } else if (reply instanceof Full full) {
            granted.completeExceptionally(
                    new BulkheadFullException(request.bulkhead(), request.limit(), full.nearestLeaseEnd()));
        } else if (reply instanceof Cancelled) {
            granted.completeExceptionally(
                    new BulkheadUnavailableException(request.bulkhead(), "the request was given up before it arrived", null));
        } else {
            granted.complete(null);
        }
    }

    @Override
    public CompletionStage<Void> granted() {
        return granted.minimalCompletionStage();
    }

    @Override
    public CompletionStage<Void> end() {
        if (ending.compareAndSet(false, true)) {
            held.thenAccept(permit -> {
                if (permit) {
                    release();
                } else {
                    ended.complete(null);
                }
            });
        }
        return ended.minimalCompletionStage();
    }

    private void release() {
        store.release(request.bulkhead(), request.permitId()).whenComplete((wasHeld, failure) -> {
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
}
