package io.quarkiverse.redisbulkhead.runtime.store.local;

import io.quarkiverse.redisbulkhead.runtime.store.PermitStoreModelTest;
import io.quarkiverse.redisbulkhead.runtime.store.StoreFixture;

class LocalPermitStoreModelTest extends PermitStoreModelTest {

    @Override
    protected StoreFixture open() {
        return new LocalStoreFixture();
    }

    @Override
    protected int histories() {
        return 5_000;
    }
}
