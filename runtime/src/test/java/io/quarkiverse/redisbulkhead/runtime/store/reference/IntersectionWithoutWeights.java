package io.quarkiverse.redisbulkhead.runtime.store.reference;

import static io.quarkiverse.redisbulkhead.reference.BlockingRedis.request;

import io.quarkiverse.redisbulkhead.reference.FairSemaphore;
import io.quarkiverse.redisbulkhead.reference.ReferenceClient;
import io.quarkiverse.redisbulkhead.reference.ReferenceSpec;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;

/** A mistake of ports: the times are added to the numbers, so the next caller has the smallest number. */
final class IntersectionWithoutWeights extends FairSemaphore {

    IntersectionWithoutWeights(ReferenceClient client, ReferenceSpec spec) {
        super(client, spec);
    }

    @Override
    protected Request intersect() {
        return request(Command.ZINTERSTORE, owners(), 2, owners(), times());
    }
}
