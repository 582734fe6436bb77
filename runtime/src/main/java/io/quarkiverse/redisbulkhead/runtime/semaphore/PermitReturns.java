package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.InProcessPermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;

/**
 * Returns permits and places among the waiters. A return that the store does not answer is repeated in the background.
 * Thread-safe.
 */
final class PermitReturns {

    private static final Logger LOG = Logger.getLogger(PermitReturns.class);

    /** What a return found. */
    enum Found {
        /** A permit, or what may have been one. */
        HELD,
        /** No permit. */
        NOT_HELD,
        /** No answer; the return is repeated in the background. */
        NOT_KNOWN
    }

    private static final String NO_PERMIT = "none";

    private final PermitStore store;
    // Null when the store is not in this process.
    private final InProcessPermitStore inProcess;
    private final PermitReclaimer reclaimer;
    private final UnderWay underWay;
    private final AtomicInteger unanswered = new AtomicInteger();

    /**
     * @param underWay counts the returns that are not answered yet, so that a shutdown waits for them
     */
    PermitReturns(PermitStore store, PermitReclaimer reclaimer, UnderWay underWay) {
        this.store = store;
        this.inProcess = store instanceof InProcessPermitStore here ? here : null;
        this.reclaimer = reclaimer;
        this.underWay = underWay;
    }

    /**
     * Returns what is held or waits under an id. Requests that this process makes after this call come behind the return.
     *
     * @param minHold how long a permit stays taken at least, from its start; zero where nothing ran with it
     * @param copyMayFollow whether a copy of the request may still be on its way, and must be refused
     * @param then receives what was found; a shutdown waits for that, too
     * @return the result of {@code then}; never fails
     */
    <T> CompletableFuture<T> giveBack(BulkheadId bulkhead, String permitId, Duration lease, Duration minHold,
            boolean copyMayFollow, Function<Found, T> then) {
        if (inProcess != null && !copyMayFollow) {
            return CompletableFuture.completedFuture(
                    then.apply(inProcess.releaseNow(bulkhead, permitId, minHold) ? Found.HELD : Found.NOT_HELD));
        }
        underWay.begin();
        unanswered.incrementAndGet();
        CompletionStage<Boolean> answer = copyMayFollow ? releaseAndRefuse(bulkhead, permitId, lease, minHold)
                : store.release(bulkhead, permitId, minHold);
        return answer.handle((held, failure) -> {
            try {
                return then.apply(found(bulkhead, permitId, lease, minHold, held, failure));
            } finally {
                unanswered.decrementAndGet();
                underWay.end();
            }
        }).toCompletableFuture();
    }

    // A cancellation frees at once, so the release that knows of the minimum hold must have come before it.
    private CompletionStage<Boolean> releaseAndRefuse(BulkheadId bulkhead, String permitId, Duration lease, Duration minHold) {
        CompletionStage<Boolean> released = minHold.isZero() ? CompletableFuture.completedStage(true)
                : store.release(bulkhead, permitId, minHold);
        return released.thenCompose(held -> store.cancel(bulkhead, List.of(permitId), PermitReclaimer.longestDelay(lease)))
                .thenApply(done -> true);
    }

    /**
     * Waits for the returns to a bulkhead that have begun.
     *
     * @return completes when the store has answered them, if it does; never fails
     */
    CompletionStage<Void> behind(BulkheadId bulkhead) {
        // The store answers requests for a bulkhead in their order.
        return unanswered.get() == 0 ? CompletableFuture.completedStage(null)
                : store.release(bulkhead, NO_PERMIT).handle((held, failure) -> null);
    }

    private Found found(BulkheadId bulkhead, String permitId, Duration lease, Duration minHold, Boolean held,
            Throwable failure) {
        if (failure == null) {
            return held ? Found.HELD : Found.NOT_HELD;
        }
        LOG.debugf(failure, "Permit %s of bulkhead '%s' is given back in the background", permitId, bulkhead);
        inBackground(bulkhead, permitId, lease, minHold);
        return Found.NOT_KNOWN;
    }

    /** Returns what may be held or wait under an id, and repeats that until the store answers. Nothing ran with it. */
    void inBackground(BulkheadId bulkhead, String permitId, Duration lease) {
        inBackground(bulkhead, permitId, lease, Duration.ZERO);
    }

    /** Returns what may be held under an id, and repeats that until the store answers. */
    void inBackground(BulkheadId bulkhead, String permitId, Duration lease, Duration minHold) {
        reclaimer.reclaim(bulkhead, permitId, lease, minHold);
    }
}
