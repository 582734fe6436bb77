package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The admission to one bulkhead in this process that was granted while it was asked for. */
final class GrantedAdmission extends CountedAdmission {

    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    private final HeldPermit permit;

    GrantedAdmission(HeldPermit permit) {
        this.permit = permit;
    }

    @Override
    public List<HeldPermit> heldNow() {
        return List.of(permit);
    }

    @Override
    public CompletionStage<List<HeldPermit>> granted() {
        return CompletableFuture.completedFuture(heldNow());
    }

    @Override
    public CompletionStage<Void> asked() {
        return DONE;
    }

    @Override
    public CompletionStage<Void> end() {
        // In this process there is nothing to wait for, and no copy of the request to refuse.
        permit.release();
        countOff();
        return DONE;
    }
}
