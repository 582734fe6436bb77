package io.quarkiverse.redisbulkhead.runtime;

import java.util.List;

import jakarta.enterprise.inject.Default;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;
import io.quarkus.arc.All;
import io.quarkus.arc.Arc;
import io.quarkus.arc.InstanceHandle;
import io.quarkus.redis.client.RedisClientName;
import io.quarkus.redis.runtime.client.config.RedisClientConfig;
import io.quarkus.redis.runtime.client.config.RedisConfig;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisClientType;

/** Makes the store in Redis from the configuration. */
@Singleton
public class RedisStoreFactory {

    // The client refuses to send more at once than its max-waiting-handlers.
    private static final int COMMANDS_OF_A_STEP = 100;

    private final RedisBulkheadRuntimeConfig config;
    private final RedisConfig redisConfig;
    private final String client;
    private final StoreKind store;
    private final Vertx vertx;
    private final List<RedisDecorator> decorators;

    /**
     * Looks nothing up yet.
     *
     * @param config the configuration
     * @param buildTimeConfig names the Redis client, and says which store
     * @param redisConfig the configuration of the Redis clients
     * @param vertx runs timers
     * @param decorators come between the client and the store
     */
    @Inject
    public RedisStoreFactory(RedisBulkheadRuntimeConfig config, RedisBulkheadBuildTimeConfig buildTimeConfig,
            RedisConfig redisConfig, Vertx vertx, @All List<RedisDecorator> decorators) {
        this.config = config;
        this.redisConfig = redisConfig;
        this.client = buildTimeConfig.redisClient().orElse(RedisConfig.DEFAULT_CLIENT_NAME);
        this.store = buildTimeConfig.store();
        this.vertx = vertx;
        this.decorators = decorators;
    }

    /** The store; it connects at the first call. */
    RedisStore create() {
        Redis redis = handle().get();
        for (RedisDecorator decorator : decorators) {
            redis = decorator.decorate(redis);
        }
        RedisStores stores = new RedisStores(vertx, redis, clientConfig().maxPoolSize(), clientConfig().maxWaitingHandlers(),
                isCluster(), config.keyPrefix(), config.commandTimeout());
        return store == StoreKind.LOCK
                ? stores.lock(config.lockStore().stepTimeout(), config.lockStore().contentionTimeout())
                : stores.script();
    }

    /** Notes what is wrong with the configuration of the client. */
    void check(ConfigurationErrors errors) {
        if (store == StoreKind.LOCK && clientConfig().maxWaitingHandlers() < COMMANDS_OF_A_STEP) {
            errors.add(MessageCode.RBH005, RedisConfig.getPropertyName(client, "max-waiting-handlers"), "must be at least "
                    + COMMANDS_OF_A_STEP + " with " + PropertyNames.PREFIX + "store=lock, but is "
                    + clientConfig().maxWaitingHandlers());
        }
    }

    private boolean isCluster() {
        return clientConfig().clientType() == RedisClientType.CLUSTER;
    }

    private RedisClientConfig clientConfig() {
        return redisConfig.clients().get(client);
    }

    /** Whether the application says where Redis is. */
    boolean isConfigured() {
        return handle().getBean().isActive();
    }

    /** The property that says where Redis is. */
    String hostsProperty() {
        return RedisConfig.getPropertyName(client, RedisConfig.HOSTS);
    }

    // A look-up, because an injection point of any kind makes Quarkus start all clients that are configured.
    private InstanceHandle<Redis> handle() {
        return Arc.container().select(Redis.class, RedisConfig.isDefaultClient(client)
                ? Default.Literal.INSTANCE
                : RedisClientName.Literal.of(client)).getHandle();
    }
}
