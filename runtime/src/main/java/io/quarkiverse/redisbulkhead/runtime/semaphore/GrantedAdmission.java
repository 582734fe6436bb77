package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * An admission that was granted immediately, by a store of this process or without a limit: it goes without what a wait needs.
 */
final class GrantedAdmission implements Admission {

    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    private final HeldPermit permit;
    // Null once the execution has ended, and for permits that are not executions. Guarded by this.
    private InFlightCounter executions;

    GrantedAdmission(HeldPermit permit, InFlightCounter executions) {
        this.permit = permit;
        this.executions = executions;
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
    public CompletionStage<Void> attempted() {
        return DONE;
    }

    @Override
    public CompletionStage<Void> end() {
        // Synchronous, and there is no copy of the request to refuse.
        permit.release();
        InFlightCounter counted;
        synchronized (this) {
            counted = executions;
            executions = null;
        }
        if (counted != null) {
            counted.end();
        }
        return DONE;
    }
}
