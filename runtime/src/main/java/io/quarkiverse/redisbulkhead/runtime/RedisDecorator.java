package io.quarkiverse.redisbulkhead.runtime;

import io.vertx.redis.client.Redis;

/** Puts something between the extension and the Redis client, which others use as well. */
@FunctionalInterface
public interface RedisDecorator {

    /**
     * Decorates the client.
     *
     * @param redis the client of the application
     * @return what the extension uses instead
     */
    Redis decorate(Redis redis);
}
