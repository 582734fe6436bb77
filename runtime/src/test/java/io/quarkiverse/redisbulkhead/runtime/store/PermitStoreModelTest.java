package io.quarkiverse.redisbulkhead.runtime.store;

import org.junit.jupiter.api.Test;

/**
 * Compares a store with {@link BulkheadModel}, step by step, over random histories. The system property
 * {@code model.seed} sets the seed of the first history; a failure tells which one repeats it. {@code model.histories} sets how
 * many there are; the profile {@code nightly} runs many.
 */
public abstract class PermitStoreModelTest {

    private static final long DEFAULT_SEED = 1;
    private static final int HISTORIES = Integer.getInteger("model.histories", 60);

    /** Opens the store for all histories; each uses a bulkhead of its own. */
    protected abstract StoreFixture open();

    protected int histories() {
        return HISTORIES;
    }

    protected int stepsPerHistory() {
        return 60;
    }

    @Test
    void theStoreDoesWhatTheModelDoes() {
        try (StoreFixture stores = open()) {
            ModelCheck.check(stores, Long.getLong("model.seed", DEFAULT_SEED), histories(), stepsPerHistory());
        }
    }
}
