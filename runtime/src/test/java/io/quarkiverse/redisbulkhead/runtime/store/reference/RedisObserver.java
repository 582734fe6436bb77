package io.quarkiverse.redisbulkhead.runtime.store.reference;

import io.quarkiverse.redisbulkhead.reference.BlockingRedis;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Response;

/** For callers of several processes: a counter on a server that no semaphore uses. For use by one thread. */
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
