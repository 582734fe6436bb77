package io.quarkiverse.redisbulkhead.runtime.store.script;

import java.time.Duration;
import java.util.List;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.vertx.redis.client.Response;

/** Undoes acquires whose outcome is not known, and those that have not arrived yet; answers with nothing. */
final class CancelCall extends BatchedCall<Void> {

    private final List<String> permitIds;
    private final Duration forgetAfter;

    CancelCall(BatchScript script, BulkheadId bulkhead, List<String> permitIds, Duration forgetAfter) {
        super(script, bulkhead);
        this.permitIds = permitIds;
        this.forgetAfter = forgetAfter;
    }

    @Override
    public int size() {
        return permitIds.size();
    }

    // An acquire goes right behind it.
    @Override
    public boolean isAwaited() {
        return false;
    }

    @Override
    void write(BatchArguments to) {
        to.cancel(permitIds, forgetAfter);
    }

    @Override
    Void read(Response reply, int first) {
        return null;
    }
}
