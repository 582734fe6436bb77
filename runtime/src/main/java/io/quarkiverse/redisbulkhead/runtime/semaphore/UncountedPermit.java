package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * The right to run that nobody counts: given by a bulkhead that is switched off, or that allows everything while the
 * store is away.
 */
final class UncountedPermit implements HeldPermit {

    private final BulkheadId bulkhead;
    private final AtomicBoolean released = new AtomicBoolean();

    UncountedPermit(BulkheadId bulkhead) {
        this.bulkhead = bulkhead;
    }

    @Override
    public String id() {
        return "";
    }

    @Override
    public String bulkhead() {
        return bulkhead.name();
    }

    @Override
    public Optional<String> key() {
        return bulkhead.key();
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
    public CompletionStage<String> detach() {
        return CompletableFuture.failedStage(LeasedPermit.givenWithoutRedis(bulkhead.name()));
    }

    @Override
    public boolean awaitsRelease() {
        return false;
    }

    @Override
    public Optional<CompletionStage<PermitLost>> interruption() {
        return Optional.empty();
    }
}
