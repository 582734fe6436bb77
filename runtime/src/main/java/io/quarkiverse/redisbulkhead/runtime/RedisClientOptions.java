package io.quarkiverse.redisbulkhead.runtime;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.inject.Singleton;

import io.quarkus.redis.client.RedisOptionsCustomizer;
import io.vertx.redis.client.RedisOptions;

/**
 * Records the options of the Quarkus Redis clients. Quarkus calls customizers before most beans exist, so this one has no
 * dependencies.
 */
@Singleton
public class RedisClientOptions implements RedisOptionsCustomizer {

    private final Map<String, RedisOptions> byClient = new ConcurrentHashMap<>();

    /** Keeps the object itself, as customizers of the application may change it afterwards. */
    @Override
    public void customize(String clientName, RedisOptions options) {
        byClient.put(clientName, options);
    }

    /**
     * The options of a client.
     *
     * @param clientName its name, {@code <default>} for the default one
     * @return null while there is no such client, and where nothing says where its Redis is
     */
    RedisOptions of(String clientName) {
        return byClient.get(clientName);
    }
}
