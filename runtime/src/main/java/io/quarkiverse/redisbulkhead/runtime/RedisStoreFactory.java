package io.quarkiverse.redisbulkhead.runtime;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.inject.Default;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig.StoreKind;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.redis.Topology;
import io.quarkus.arc.Arc;
import io.quarkus.redis.client.RedisClientName;
import io.quarkus.redis.client.RedisOptionsCustomizer;
import io.quarkus.redis.runtime.client.config.RedisConfig;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/**
 * Makes the store in Redis from the configuration. It connects as the Redis client of the application does, with the same
 * options, but over connections of its own: the client's pool is the application's, and its defaults refuse the
 * thirty-first concurrent call.
 */
@Singleton
public class RedisStoreFactory {

    /**
     * Records the options of the Quarkus Redis clients. Quarkus calls customizers before most beans exist, so this one has no
     * dependencies.
     */
    @Singleton
    public static class ClientOptions implements RedisOptionsCustomizer {

        // Without an entry while there is no such client, and where nothing says where its Redis is.
        private final Map<String, RedisOptions> byClient = new ConcurrentHashMap<>();

        /** Keeps the object itself, as customizers of the application may change it afterwards. */
        @Override
        public void customize(String clientName, RedisOptions options) {
            byClient.put(clientName, options);
        }
    }

    private final RedisBulkheadRuntimeConfig config;
    private final String client;
    private final StoreKind store;
    private final ClientOptions clientOptions;
    private final Vertx vertx;

    /**
     * Looks nothing up yet.
     *
     * @param config the configuration
     * @param buildTimeConfig names the Redis client, and says which store
     * @param clientOptions how to connect
     * @param vertx runs timers and connections
     */
    @Inject
    public RedisStoreFactory(RedisBulkheadRuntimeConfig config, RedisBulkheadBuildTimeConfig buildTimeConfig,
            ClientOptions clientOptions, Vertx vertx) {
        this.config = config;
        this.client = buildTimeConfig.redisClient();
        this.store = buildTimeConfig.store();
        this.clientOptions = clientOptions;
        this.vertx = vertx;
    }

    /** The store; it connects at the first call, which fails where nothing says where Redis is. */
    RedisShareStore create() {
        String hosts = hostsProperty();
        boolean isLock = store == StoreKind.LOCK;
        Topology topology = new Topology(vertx, clientOptions.byClient.get(client),
                hosts.substring(0, hosts.length() - RedisConfig.HOSTS.length() - 1), config.keyPrefix(),
                config.commandTimeout(), !isLock);
        return isLock
                ? new RedisShareStore(topology, config.lockStore().stepTimeout(), config.lockStore().contentionTimeout())
                : new RedisShareStore(topology);
    }

    /** Whether the application says where Redis is. */
    boolean isConfigured() {
        // A look-up, because an injection point of any kind makes Quarkus start all clients that are configured.
        return Arc.container().select(Redis.class, RedisConfig.isDefaultClient(client)
                ? Default.Literal.INSTANCE
                : RedisClientName.Literal.of(client)).getHandle().getBean().isActive();
    }

    /** The property that says where Redis is. */
    String hostsProperty() {
        return RedisConfig.getPropertyName(client, RedisConfig.HOSTS);
    }
}
