package io.quarkiverse.redisbulkhead.runtime.store.local;

/** A request that was undone, and is refused until its end in case it comes later. */
final class CancelledRequest extends Expiring.Entry<String> {

    private final String permitId;

    CancelledRequest(String permitId) {
        this.permitId = permitId;
    }

    @Override
    String key() {
        return permitId;
    }
}
