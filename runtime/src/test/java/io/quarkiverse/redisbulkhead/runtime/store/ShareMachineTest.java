package io.quarkiverse.redisbulkhead.runtime.store;

/** The state machine of shares by itself. */
class ShareMachineTest extends ShareStoreContract {

    @Override
    protected ComparedShares shares() {
        return new ComparedShares.Machine();
    }
}
