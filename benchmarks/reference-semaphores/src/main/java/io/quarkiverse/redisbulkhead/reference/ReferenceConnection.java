package io.quarkiverse.redisbulkhead.reference;

import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** A connection of a client of the reference semaphores: each call is one round trip. */
public interface ReferenceConnection {

    /**
     * Sends one command.
     *
     * @param command its name
     * @param args each is sent as its text
     * @return the reply; null for nil
     */
    Response send(Command command, Object... args);

    /**
     * Sends MULTI, the commands and EXEC.
     *
     * @param commands what is in between
     * @return the reply to EXEC; null when a watched key has changed
     */
    Response transaction(Request... commands);
}
