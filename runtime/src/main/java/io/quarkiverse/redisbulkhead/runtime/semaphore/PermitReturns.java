package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.InProcessPermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;

/** Gives permits and places among the waiters back, in the way that fits what is known of them. */
final class PermitReturns {

    private static final Logger LOG = Logger.getLogger(PermitReturns.class);

    /** What a return found. */
    enum Found {
        /** A permit, or what may have been one. */
        HELD,
        /** No permit. */
        NOT_HELD,
        /** No answer; the return goes on in the background. */
        NOT_KNOWN
    }

    private static final CompletableFuture<Found> WAS_HELD = CompletableFuture.completedFuture(Found.HELD);
    private static final CompletableFuture<Found> WAS_NOT_HELD = CompletableFuture.completedFuture(Found.NOT_HELD);

    private final PermitStore store;
    // Null when the store is not in this process.
    private final InProcessPermitStore inProcess;
    private final PermitReclaimer reclaimer;

    PermitReturns(PermitStore store, PermitReclaimer reclaimer) {
        this.store = store;
        this.inProcess = store instanceof InProcessPermitStore here ? here : null;
        this.reclaimer = reclaimer;
    }

    /**
     * Gives back what is held or waits under an id.
     *
     * @param copyMayFollow whether a copy of the request may still be on its way, and must be refused
     * @return never fails
     */
    CompletionStage<Found> giveBack(BulkheadId bulkhead, String permitId, Duration lease, boolean copyMayFollow) {
        if (inProcess != null && !copyMayFollow) {
            return inProcess.releaseNow(bulkhead, permitId) ? WAS_HELD : WAS_NOT_HELD;
        }
        CompletionStage<Boolean> answer = copyMayFollow
                ? store.cancel(bulkhead, List.of(permitId), PermitReclaimer.longestDelay(lease)).thenApply(done -> true)
                : store.release(bulkhead, permitId);
        return answer.handle((held, failure) -> {
            if (failure == null) {
                return held ? Found.HELD : Found.NOT_HELD;
            }
            LOG.debugf(failure, "Permit %s of bulkhead '%s' is given back in the background", permitId, bulkhead);
            inBackground(bulkhead, permitId, lease);
            return Found.NOT_KNOWN;
        });
    }

    /** Gives back what may be held or wait under an id; nobody waits for that. */
    void inBackground(BulkheadId bulkhead, String permitId, Duration lease) {
        reclaimer.reclaim(bulkhead, permitId, lease);
    }
}
