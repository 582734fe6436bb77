package io.quarkiverse.redisbulkhead.runtime.store.originals;

import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** A connection of a client of the old semaphores: each call is one round trip. */
interface OriginalConnection {

    /** One command; the answer is null for nil. */
    Response send(Command command, Object... args);

    /** MULTI, the commands and EXEC; the answer is that of EXEC: null when a watched key has changed. */
    Response transaction(Request... commands);
}
