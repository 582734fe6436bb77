package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * A permit of a bulkhead that is disabled, and the admission of its execution.
 */
final class UncountedPermit implements HeldPermit, Admission {

    private final BulkheadId bulkhead;
    private final AtomicReference<Runnable> whenEnded;
    private final AtomicBoolean released = new AtomicBoolean();

    /**
     * @param whenEnded runs when this is ended as an admission; null for nothing
     */
    UncountedPermit(BulkheadId bulkhead, Runnable whenEnded) {
        this.bulkhead = bulkhead;
        this.whenEnded = new AtomicReference<>(whenEnded);
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
        return CompletableFuture.failedStage(grantedWithoutRedis(bulkhead.name()));
    }

    /**
     * What detaching fails with for a permit that another instance could not attach.
     *
     * @param bulkhead its name
     */
    static IllegalStateException grantedWithoutRedis(String bulkhead) {
        return new IllegalStateException("The permit of bulkhead '" + bulkhead + "' cannot be detached, because it "
                + "was granted without Redis: the bulkhead is disabled, or Redis was away and on-outage is not "
                + "'reject'. Permit.fencingToken() is 0 in these cases, so check it first");
    }

    @Override
    public List<HeldPermit> heldNow() {
        return List.of(this);
    }

    @Override
    public CompletionStage<Void> end() {
        release();
        Runnable first = whenEnded.getAndSet(null);
        if (first != null) {
            first.run();
        }
        return attempted();
    }
}
