package io.quarkiverse.redisbulkhead.runtime.store.script;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.vertx.redis.client.Response;

/** Gives a permit back, or a place among the waiters; answers whether it was an unexpired permit. */
final class ReleaseCall extends BatchedCall<Boolean> {

    private final String permitId;

    ReleaseCall(BatchScript script, BulkheadId bulkhead, String permitId) {
        super(script, bulkhead);
        this.permitId = permitId;
    }

    @Override
    public int size() {
        return 1;
    }

    // An acquire goes right behind it.
    @Override
    public boolean isAwaited() {
        return false;
    }

    @Override
    void write(BatchArguments to) {
        to.release(permitId);
    }

    @Override
    Boolean read(Response reply, int first) {
        return reply.get(first).toInteger() == 1;
    }
}
