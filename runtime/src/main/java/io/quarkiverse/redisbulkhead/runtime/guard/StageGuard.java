package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.smallrye.mutiny.Uni;

/**
 * Guards a method that returns a {@link CompletionStage} or {@link CompletableFuture}. The permits are asked for at
 * the call and given back when the stage completes, or when the caller cancels the future that it got.
 */
public final class StageGuard implements Guard {

    private final String bulkhead;
    private final UniGuard guard;

    /**
     * Creates the guard.
     *
     * @param bulkhead the name of its first bulkhead, for messages
     * @param continuations where executions go on that had to wait
     */
    public StageGuard(String bulkhead, Continuations continuations) {
        this.bulkhead = bulkhead;
        this.guard = new UniGuard(bulkhead, continuations);
    }

    @Override
    @SuppressWarnings("unchecked")
    public CompletableFuture<Object> call(Supplier<Admission> admissions, Callable<Object> method) {
        return guard.guard(admissions, () -> Uni.createFrom().completionStage(
                Returned.value((CompletionStage<Object>) method.call(), bulkhead, "CompletionStage")))
                .subscribeAsCompletionStage();
    }
}
