package io.quarkiverse.redisbulkhead.runtime;

import java.util.Optional;

import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import io.quarkiverse.redisbulkhead.CurrentPermit;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.guard.HeldPermits;

/** Finds the permits of the guarded method that the current thread is calling. */
@Singleton
public class CurrentPermitBean implements CurrentPermit {

    private final Instance<BulkheadRuntime> runtime;

    /**
     * Creates the bean.
     *
     * @param runtime what permits work with; looked up when there is a permit, so that injecting this bean makes nothing
     */
    @Inject
    public CurrentPermitBean(Instance<BulkheadRuntime> runtime) {
        this.runtime = runtime;
    }

    @Override
    public Permit get() {
        return HeldPermits.innermost().map(this::view).orElseThrow(() -> new IllegalStateException(
                "No method guarded by @RedisBulkhead is running on this thread. A method that returns a Uni must get "
                        + "its permit while it assembles the Uni"));
    }

    @Override
    public Optional<Permit> find(String bulkhead) {
        if (bulkhead == null) {
            throw new IllegalArgumentException("bulkhead must not be null");
        }
        return HeldPermits.innermost(bulkhead).map(this::view);
    }

    private Permit view(HeldPermit permit) {
        return new PermitView(permit, runtime.get().continuations(), null);
    }
}
