package io.quarkiverse.redisbulkhead.runtime.store;

/** Puts a store in front of the one that keeps the permits. Any bean of this type takes part; production has none. */
@FunctionalInterface
public interface StoreDecorator {

    /**
     * Called once, before the store is used.
     *
     * @param store keeps the permits
     * @return what the bulkheads use instead; it may be away although {@code store} never is
     */
    PermitStore decorate(PermitStore store);
}
