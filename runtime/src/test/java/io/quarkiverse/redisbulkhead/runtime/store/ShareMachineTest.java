package io.quarkiverse.redisbulkhead.runtime.store;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.machine.ShareMachine;

/** The state machine of shares by itself. */
class ShareMachineTest extends ShareStoreContract {

    @Override
    protected ComparedShares shares() {
        return new ComparedShares.Machine();
    }

    @Test
    void anotherLayoutIsRefused() {
        assertThatThrownBy(() -> new ShareMachine(StatedInstance.BULKHEAD, new HashMap<>(Map.of("bulkhead", "9 x")),
                new HashMap<>(), 1, ""))
                .isInstanceOf(StoreException.class).hasMessageContaining("layout 9");
    }
}
