package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;

/** A permit that the test can lose. */
class ManualPermit implements HeldPermit {

    final CompletableFuture<PermitLost> lost = new CompletableFuture<>();
    boolean interruptsOnLoss = true;

    @Override
    public String id() {
        return "id";
    }

    @Override
    public String bulkhead() {
        return "reports";
    }

    @Override
    public Optional<String> key() {
        return Optional.empty();
    }

    @Override
    public long fencingToken() {
        return 7;
    }

    @Override
    public boolean isHeld() {
        return !lost.isDone();
    }

    @Override
    public CompletionStage<Boolean> refresh() {
        return CompletableFuture.completedStage(isHeld());
    }

    @Override
    public CompletionStage<Boolean> release() {
        return CompletableFuture.completedStage(isHeld());
    }

    @Override
    public CompletionStage<String> detach() {
        return CompletableFuture.failedStage(new UnsupportedOperationException());
    }

    @Override
    public void takeBack() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean awaitsRelease() {
        return false;
    }

    @Override
    public Optional<CompletionStage<PermitLost>> interruption() {
        return interruptsOnLoss ? Optional.of(lost) : Optional.empty();
    }

    void lose() {
        lost.complete(new PermitLost("reports", Optional.empty(), "id", 7, "A#a", PermitLost.Reason.REVOKED));
    }
}
