package io.quarkiverse.redisbulkhead.runtime.store.lock;

import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** Asks the Redis server for the time. */
class ServerClock {

    /** What to ask. */
    Request question() {
        return Request.cmd(Command.TIME);
    }

    /** What the answer means, in microseconds since the epoch. */
    long micros(Response reply) {
        return reply.get(0).toLong() * 1_000_000 + reply.get(1).toLong();
    }
}
