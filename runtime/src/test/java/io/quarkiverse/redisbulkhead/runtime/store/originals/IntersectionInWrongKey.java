package io.quarkiverse.redisbulkhead.runtime.store.originals;

import static io.quarkiverse.redisbulkhead.originals.BlockingRedis.request;

import io.quarkiverse.redisbulkhead.originals.FairSemaphore;
import io.quarkiverse.redisbulkhead.originals.OriginalClient;
import io.quarkiverse.redisbulkhead.originals.OriginalSpec;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;

/** A mistake of translations: the intersection replaces the times, not the owners, so owners never time out. */
final class IntersectionInWrongKey extends FairSemaphore {

    IntersectionInWrongKey(OriginalClient client, OriginalSpec spec) {
        super(client, spec);
    }

    @Override
    protected Request intersect() {
        return request(Command.ZINTERSTORE, times(), 2, owners(), times(), "WEIGHTS", 1, 0);
    }
}
