package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The admission to one bulkhead that was granted while it was asked for. */
final class GrantedAdmission implements Countable {

    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    private final HeldPermit permit;
    // Counts the execution until its end; null when there is nothing to count. Guarded by this.
    private UnderWay executions;

    GrantedAdmission(HeldPermit permit) {
        this.permit = permit;
    }

    @Override
    public Admission countedBy(UnderWay count) {
        synchronized (this) {
            executions = count;
        }
        return this;
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
        CompletableFuture<Boolean> released = permit.release().toCompletableFuture();
        if (released.isDone()) {
            countOff();
            return DONE;
        }
        return released.thenAccept(wasHeld -> countOff());
    }

    private void countOff() {
        UnderWay counted;
        synchronized (this) {
            counted = executions;
            executions = null;
        }
        if (counted != null) {
            counted.end();
        }
    }
}
