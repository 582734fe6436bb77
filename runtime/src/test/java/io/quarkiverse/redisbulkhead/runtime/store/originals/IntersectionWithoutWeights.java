package io.quarkiverse.redisbulkhead.runtime.store.originals;

import static io.quarkiverse.redisbulkhead.originals.BlockingRedis.request;

import io.quarkiverse.redisbulkhead.originals.FairSemaphore;
import io.quarkiverse.redisbulkhead.originals.OriginalClient;
import io.quarkiverse.redisbulkhead.originals.OriginalSpec;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;

/** A mistake of translations: the times are added to the numbers, so the next caller has the smallest number of all. */
final class IntersectionWithoutWeights extends FairSemaphore {

    IntersectionWithoutWeights(OriginalClient client, OriginalSpec spec) {
        super(client, spec);
    }

    @Override
    protected Request intersect() {
        return request(Command.ZINTERSTORE, owners(), 2, owners(), times());
    }
}
