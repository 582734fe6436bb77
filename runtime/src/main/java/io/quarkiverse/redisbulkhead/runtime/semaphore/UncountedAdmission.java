package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The admission of a bulkhead that lets everything through: it is switched off, or the store is away. */
record UncountedAdmission(UncountedPermit permit) implements Admission {

    static UncountedAdmission of(Bulkhead bulkhead) {
        return new UncountedAdmission(new UncountedPermit(bulkhead.id()));
    }

    @Override
    public List<HeldPermit> heldNow() {
        return List.of(permit);
    }

    @Override
    public CompletionStage<List<HeldPermit>> granted() {
        return CompletableFuture.completedStage(heldNow());
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
