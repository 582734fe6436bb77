package io.quarkiverse.redisbulkhead.runtime.store.lock;

import io.quarkiverse.redisbulkhead.runtime.store.steps.StepTime;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** Asks the Redis server for the time. */
class ServerClock {

    /** What to ask. */
    Request question() {
        return Request.cmd(Command.TIME);
    }

    /** What the answer means. */
    StepTime read(Response reply) {
        return new StepTime(reply.get(0).toLong() * 1_000_000 + reply.get(1).toLong());
    }
}
