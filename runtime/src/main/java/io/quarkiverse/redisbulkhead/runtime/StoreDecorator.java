package io.quarkiverse.redisbulkhead.runtime;

import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;

/** Puts a store in front of the one that keeps the shares. Any bean of this type takes part; production has none. */
public interface StoreDecorator {

    /**
     * Called once, before the store is used.
     *
     * @param store keeps the shares
     * @return what the bulkheads use instead
     */
    ShareStore decorate(ShareStore store);

    /**
     * Called once, when the instance is ready.
     *
     * @param instance uses what {@link #decorate} returned
     */
    void control(Engine instance);
}
