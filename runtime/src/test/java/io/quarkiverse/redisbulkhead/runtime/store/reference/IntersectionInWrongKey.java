package io.quarkiverse.redisbulkhead.runtime.store.reference;

import static io.quarkiverse.redisbulkhead.reference.BlockingRedis.request;

import io.quarkiverse.redisbulkhead.reference.FairSemaphore;
import io.quarkiverse.redisbulkhead.reference.ReferenceClient;
import io.quarkiverse.redisbulkhead.reference.ReferenceSpec;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;

/** A mistake of ports: the intersection replaces the times instead of the owners, so owners never time out. */
final class IntersectionInWrongKey extends FairSemaphore {

    IntersectionInWrongKey(ReferenceClient client, ReferenceSpec spec) {
        super(client, spec);
    }

    @Override
    protected Request intersect() {
        return request(Command.ZINTERSTORE, times(), 2, owners(), times(), "WEIGHTS", 1, 0);
    }
}
