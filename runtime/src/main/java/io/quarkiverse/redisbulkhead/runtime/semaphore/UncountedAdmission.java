package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;

/** The admission of a bulkhead that lets everything through: it is switched off, or the store is away. */
record UncountedAdmission(UncountedPermit permit) implements Admission {

    static UncountedAdmission of(SemaphoreSpec spec) {
        return new UncountedAdmission(new UncountedPermit(spec.name()));
    }

    @Override
    public CompletionStage<List<HeldPermit>> granted() {
        return CompletableFuture.completedStage(List.of(permit));
    }

    @Override
    public CompletionStage<Void> asked() {
        return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<Void> end() {
        return permit.release().thenApply(released -> null);
    }
}
