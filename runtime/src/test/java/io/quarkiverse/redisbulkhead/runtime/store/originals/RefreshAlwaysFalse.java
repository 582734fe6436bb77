package io.quarkiverse.redisbulkhead.runtime.store.originals;

/** A mistake of translations: the refresh has no branch that answers {@code true}. */
final class RefreshAlwaysFalse extends FairSemaphore {

    RefreshAlwaysFalse(OriginalClient client, OriginalSpec spec) {
        super(client, spec);
    }

    @Override
    boolean refresh(String identifier) {
        if (addTime(identifier)) {
            release(identifier);
        }
        return false;
    }
}
