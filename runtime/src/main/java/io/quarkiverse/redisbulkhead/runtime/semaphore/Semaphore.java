package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.List;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.SemaphoreStatus;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;

/** A counting semaphore over a {@link PermitStore}. Safe for use by many threads. */
public final class Semaphore {

    private final SemaphoreSpec spec;
    private final PermitStore store;
    private final HolderIdentity identity;
    private final PermitIds ids;
    private final PermitReclaimer reclaimer;

    /**
     * Creates the semaphore; the store is not asked.
     *
     * @param spec what it is
     * @param store where its permits live
     * @param identity who takes permits here
     * @param ids makes the ids of permits
     * @param reclaimer takes over permits whose fate is unknown
     */
    public Semaphore(SemaphoreSpec spec, PermitStore store, HolderIdentity identity, PermitIds ids, PermitReclaimer reclaimer) {
        this.spec = spec;
        this.store = store;
        this.identity = identity;
        this.ids = ids;
        this.reclaimer = reclaimer;
    }

    /**
     * What this semaphore is.
     *
     * @return the definition
     */
    public SemaphoreSpec spec() {
        return spec;
    }

    /**
     * Asks for a permit, once.
     *
     * @param method what the permit is for, as operators see it
     * @return the request, under way
     */
    public Admission admit(String method) {
        AcquireRequest request = new AcquireRequest(spec.name(), ids.next(), spec.permits(), spec.expire(),
                identity.application(),
                identity.instance(), method);
        return new PermitAdmission(request, store, reclaimer);
    }

    /**
     * How full the semaphore is, over all processes.
     *
     * @return fails with {@link io.quarkiverse.redisbulkhead.BulkheadUnavailableException}
     */
    public CompletionStage<SemaphoreStatus> status() {
        return StoreFailures.translate(spec.name(), store.occupancy(spec.name(), 0))
                .thenApply(occupancy -> new SemaphoreStatus(spec.name(), spec.permits(), occupancy.inUse()));
    }

    /**
     * Who holds permits, over all processes.
     *
     * @param most how many to list at the most
     * @return the lease that ends first coming first; fails with
     *         {@link io.quarkiverse.redisbulkhead.BulkheadUnavailableException}
     */
    public CompletionStage<List<Holder>> holders(int most) {
        return StoreFailures.translate(spec.name(), store.occupancy(spec.name(), most))
                .thenApply(occupancy -> occupancy.holders());
    }
}
