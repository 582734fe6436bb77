package io.quarkiverse.redisbulkhead.runtime.store.script;

import io.vertx.redis.client.Response;

/**
 * The answer to a command.
 *
 * @param response what Redis said
 * @param repeated whether the command was sent more than once, because a connection broke before the answer came: an
 *        earlier copy may have been carried out before this one, or may still be carried out
 */
record RedisAnswer(Response response, boolean repeated) {
}
