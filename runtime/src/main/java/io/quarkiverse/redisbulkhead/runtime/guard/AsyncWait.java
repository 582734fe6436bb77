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
 * How an asynchronous guard waits.
 * <ul>
 * <li>An event loop never waits. The execution continues on the Vert.x context of the caller.</li>
 * <li>Any other thread waits for the store's first answer and continues itself if a permit is free. Otherwise it returns, and
 * the execution continues as {@link Continuations} describes.</li>
 * </ul>
 * In both cases a guarded method runs with its caller's Vert.x context, and so with its CDI request context and span.
 */
final class AsyncWait {

    private final Continuations continuations;

    AsyncWait(Continuations continuations) {
        this.continuations = continuations;
    }

    /**
     * Waits for permits, at each subscription.
     *
     * @param bulkhead the name of the bulkhead, for messages
     * @param admission the request for them
     */
    Uni<List<HeldPermit>> await(String bulkhead, Admission admission) {
        return Uni.createFrom().deferred(() -> {
            if (BlockingOperationControl.isBlockingAllowed()) {
                BlockingWait.await(bulkhead, admission.attempted());
                CompletableFuture<List<HeldPermit>> granted = admission.granted().toCompletableFuture();
                if (granted.isDone()) {
                    return Uni.createFrom().item(BlockingWait.await(bulkhead, granted));
                }
            }
            return continuations.answer(admission::granted);
        });
    }

    /**
     * Ends something and waits until it has ended. Interrupts do not cut the wait short.
     *
     * @param end starts the end; its stage completes in bounded time and never fails
     */
    Uni<Void> awaitEnd(Supplier<CompletionStage<Void>> end) {
        CompletableFuture<Void> ended = end.get().toCompletableFuture();
        return hasEnded(ended) ? Uni.createFrom().voidItem() : later(ended);
    }

    /**
     * Waits for an end where the thread may wait.
     *
     * @param ended completes in bounded time and never fails
     * @return {@code false} when it goes on {@link #later}
     */
    boolean hasEnded(CompletableFuture<Void> ended) {
        if (!ended.isDone() && BlockingOperationControl.isBlockingAllowed()) {
            BlockingWait.awaitUninterruptibly(ended);
        }
        return ended.isDone();
    }

    /** Emits on the caller's Vert.x context when it has ended. */
    Uni<Void> later(CompletableFuture<Void> ended) {
        return continuations.answer(() -> ended);
    }
}
