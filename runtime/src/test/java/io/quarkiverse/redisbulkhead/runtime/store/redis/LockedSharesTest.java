package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.ComparedShares;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStoreContract;
import io.quarkiverse.redisbulkhead.runtime.store.SharesAgreeTest;

/** Steps under the lock, on a model of Redis. */
class LockedSharesTest extends ShareStoreContract {

    @Override
    protected ComparedShares shares() {
        return new LockedShares();
    }

    /** What a step reads and writes is what the state machine has, after each step of generated histories. */
    @Test
    @DisplayName("Trap 46: steps under the lock agree with the state machine")
    void stepsAgreeWithTheStateMachine() {
        SharesAgreeTest.compare(List.of(new ComparedShares.Machine(), new LockedShares()), 20);
    }
}
