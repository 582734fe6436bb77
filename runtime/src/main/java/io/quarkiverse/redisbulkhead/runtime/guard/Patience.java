package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HeldPermit;
import io.quarkus.runtime.BlockingOperationControl;
import io.smallrye.mutiny.Uni;

/**
 * How an asynchronous guard waits for its permits.
 * <ul>
 * <li>On an event loop nothing waits. Execution goes back to the Vert.x context that it came from.</li>
 * <li>Any other thread, worker, virtual or the caller's own, waits for the store's answer, and goes on itself when there
 * is a permit at once. When there is none it is left, and the execution goes on elsewhere, see
 * {@link Continuations}.</li>
 * </ul>
 * Either way a guarded method has its caller's Vert.x context, and with it the CDI request context and the tracing
 * span.
 */
final class Patience {

    private final Continuations continuations;

    Patience(Continuations continuations) {
        this.continuations = continuations;
    }

    /**
     * Waits for the permits at each subscription.
     *
     * @param bulkhead the bulkhead that is asked, for messages
     * @param admission the request for them
     */
    Uni<List<HeldPermit>> await(String bulkhead, Admission admission) {
        return Uni.createFrom().deferred(() -> {
            if (BlockingOperationControl.isBlockingAllowed()) {
                BlockingWait.await(bulkhead, admission.asked());
                CompletableFuture<List<HeldPermit>> granted = admission.granted().toCompletableFuture();
                if (granted.isDone()) {
                    return Uni.createFrom().item(BlockingWait.await(bulkhead, granted));
                }
            }
            return continuations.answer(admission::granted);
        });
    }

    /**
     * Brings the end of something about, and waits for it; an interrupt does not end that.
     *
     * @param end brings the end about, which comes in bounded time and never fails
     */
    Uni<Void> awaitEnd(Supplier<CompletionStage<Void>> end) {
        CompletableFuture<Void> ended = end.get().toCompletableFuture();
        if (ended.isDone()) {
            return Uni.createFrom().voidItem();
        }
        if (BlockingOperationControl.isBlockingAllowed()) {
            BlockingWait.awaitUninterruptibly(ended);
            return Uni.createFrom().voidItem();
        }
        return continuations.answer(() -> ended);
    }
}
