package io.quarkiverse.redisbulkhead.runtime.store.originals;

import static io.quarkiverse.redisbulkhead.runtime.store.originals.BlockingRedis.request;

import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;

/** A mistake of translations: the intersection replaces the times, not the owners, so owners never time out. */
final class IntersectionInWrongKey extends FairSemaphore {

    IntersectionInWrongKey(OriginalClient client, OriginalSpec spec) {
        super(client, spec);
    }

    @Override
    Request intersect() {
        return request(Command.ZINTERSTORE, times(), 2, owners(), times(), "WEIGHTS", 1, 0);
    }
}
