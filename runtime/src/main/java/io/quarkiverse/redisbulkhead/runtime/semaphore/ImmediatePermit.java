package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.semaphore.PermitReturns.Found;
import io.quarkiverse.redisbulkhead.runtime.store.InProcessPermitStore.Taken;

/**
 * A permit that an in-process store grants immediately. It is also the admission of its execution, which saves an object per
 * call.
 */
final class ImmediatePermit extends LeasedPermit implements Admission {

    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    private final Taken taken;
    // Null once the execution has ended, and for permits that are not executions. Guarded by this.
    private InFlightCounter executions;

    /**
     * A permit that was granted.
     *
     * @param taken the permit in the store
     * @param method what it is for, as operators see it
     * @param sinceNanos when it started
     * @param executions has counted the execution, and ends it with the admission; null for none
     */
    ImmediatePermit(Dependencies dependencies, SemaphoreDefinition bulkhead, Taken taken, String method, long sinceNanos,
            InFlightCounter executions) {
        super(dependencies, bulkhead, null, method, taken.ticket(), false, sinceNanos,
                sinceNanos + bulkhead.terms().leaseNanos(), bulkhead.terms().marginNanos());
        this.taken = taken;
        this.executions = executions;
    }

    @Override
    public String id() {
        return taken.id();
    }

    @Override
    Found returnNow(Duration minHold) {
        return dependencies().returns().returnNow(taken, minHold);
    }

    @Override
    public boolean isHeldNow() {
        return true;
    }

    @Override
    public List<HeldPermit> heldNow() {
        return List.of(this);
    }

    @Override
    public List<CompletionStage<PermitLost>> interruptions() {
        return interruption().isEmpty() ? List.of() : List.of(interruption().get());
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
        release();
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
