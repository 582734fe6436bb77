package io.quarkiverse.redisbulkhead.runtime.store.originals;

/** A mistake of translations: ZADD's answer 0, for a member that was there, is read as a failure, and 1 as success. */
final class RefreshMisread extends FairSemaphore {

    RefreshMisread(OriginalClient client, OriginalSpec spec) {
        super(client, spec);
    }

    @Override
    boolean refresh(String identifier) {
        return addTime(identifier);
    }
}
