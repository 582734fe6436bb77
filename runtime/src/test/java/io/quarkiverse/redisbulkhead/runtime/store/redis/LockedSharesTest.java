package io.quarkiverse.redisbulkhead.runtime.store.redis;

import io.quarkiverse.redisbulkhead.runtime.store.ComparedShares;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStoreContract;

/** Steps under the lock, on a model of Redis. */
class LockedSharesTest extends ShareStoreContract {

    @Override
    protected ComparedShares shares() {
        return new LockedShares();
    }
}
