package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** An admission whose permits need no store. */
public final class GrantedAdmission implements Admission {

    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    private final List<HeldPermit> permits;
    // Null once the execution has ended, and for permits that are not executions. Guarded by this.
    private InFlightCounter executions;

    /**
     * Admits.
     *
     * @param permits held until the end
     */
    public GrantedAdmission(List<HeldPermit> permits) {
        this(permits, null);
    }

    /**
     * @param executions has counted the execution; null for none
     */
    GrantedAdmission(List<HeldPermit> permits, InFlightCounter executions) {
        this.permits = permits;
        this.executions = executions;
    }

    @Override
    public List<HeldPermit> heldNow() {
        return permits;
    }

    @Override
    public CompletionStage<List<HeldPermit>> granted() {
        return CompletableFuture.completedFuture(permits);
    }

    @Override
    public CompletionStage<Void> attempted() {
        return DONE;
    }

    @Override
    public CompletionStage<Void> end() {
        permits.forEach(HeldPermit::release);
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
