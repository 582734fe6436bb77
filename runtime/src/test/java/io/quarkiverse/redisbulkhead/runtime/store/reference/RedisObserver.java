package io.quarkiverse.redisbulkhead.runtime.store.reference;

import io.quarkiverse.redisbulkhead.reference.BlockingRedis;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Response;

/** Counts callers of several processes, with a counter on a separate server. Not thread-safe. */
record RedisObserver(BlockingRedis server) implements Observer {

    private static final String INSIDE = "inside";

    @Override
    public int enter() {
        return server.send(Command.INCR, INSIDE).toInteger();
    }

    @Override
    public void leave() {
        server.send(Command.DECR, INSIDE);
    }

    @Override
    public int inside() {
        Response inside = server.send(Command.GET, INSIDE);
        return inside == null ? 0 : inside.toInteger();
    }
}
