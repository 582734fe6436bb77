package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import io.quarkiverse.redisbulkhead.PermitLost;

/**
 * The right to run that nobody counts: given by a bulkhead that is switched off, or that allows everything while the
 * store is away.
 */
final class UncountedPermit implements HeldPermit {

    private final String bulkhead;
    private final AtomicBoolean released = new AtomicBoolean();

    UncountedPermit(String bulkhead) {
        this.bulkhead = bulkhead;
    }

    @Override
    public String id() {
        return "";
    }

    @Override
    public String bulkhead() {
        return bulkhead;
    }

    @Override
    public long fencingToken() {
        return 0;
    }

    @Override
    public boolean isHeld() {
        return !released.get();
    }

    @Override
    public CompletionStage<Boolean> refresh() {
        return CompletableFuture.completedStage(isHeld());
    }

    @Override
    public CompletionStage<Boolean> release() {
        return CompletableFuture.completedStage(released.compareAndSet(false, true));
    }

    @Override
    public Optional<CompletionStage<PermitLost>> interruption() {
        return Optional.empty();
    }
}
