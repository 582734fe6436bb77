package io.quarkiverse.redisbulkhead.runtime;

import java.util.List;
import java.util.stream.Stream;

import jakarta.enterprise.inject.Default;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Timers;
import io.quarkiverse.redisbulkhead.runtime.store.lock.LockPermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.redis.Mailbox;
import io.quarkiverse.redisbulkhead.runtime.store.redis.PoolShare;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisLink;
import io.quarkiverse.redisbulkhead.runtime.store.script.ScriptPermitStore;
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

    // More commands on their way at once than this gain nothing; the client refuses those beyond max-waiting-handlers.
    private static final int MAX_IN_FLIGHT = 1024;

    // Connections that carry one step at a time. They are the client's, whose pool others need too.
    private static final int MOST_LANES = 4;

    // The client refuses to send more at once than its max-waiting-handlers.
    private static final int COMMANDS_OF_A_STEP = 100;

    // How many connections a link opens at once, of the same pool: fewer than its share, so that others can be tried when those say nothing.
    private static final int MOST_ATTEMPTS = 4;
    private static final int MOST_ATTEMPTS_OF_A_LANE = 2;

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
        // One for messages, and one for each link.
        PoolShare share = PoolShare.of(clientConfig().maxPoolSize(), 1 + (store == StoreKind.LOCK ? lanes() : 1));
        Mailbox mailbox = new Mailbox(vertx, redis, config.keyPrefix(), config.commandTimeout().toMillis(), share);
        return store == StoreKind.LOCK ? lockStore(redis, mailbox, share) : scriptStore(redis, mailbox, share);
    }

    private RedisStore scriptStore(Redis redis, Mailbox mailbox, PoolShare share) {
        RedisLink link = new RedisLink(vertx, redis, config.commandTimeout(),
                Math.min(MAX_IN_FLIGHT, clientConfig().maxWaitingHandlers()),
                Math.min(MOST_ATTEMPTS, share.most() / 2), share);
        return new RedisStore(new ScriptPermitStore(link, mailbox, config.keyPrefix(), isCluster()), List.of(link), mailbox);
    }

    private int lanes() {
        return Math.max(1, Math.min(MOST_LANES, clientConfig().maxPoolSize() / 2));
    }

    private RedisStore lockStore(Redis redis, Mailbox mailbox, PoolShare share) {
        List<RedisLink> links = Stream
                .generate(() -> new RedisLink(vertx, redis, config.commandTimeout(), 1, MOST_ATTEMPTS_OF_A_LANE, share))
                .limit(lanes()).toList();
        Timers timers = new VertxTimers(vertx);
        return new RedisStore(new LockPermitStore(links, mailbox, config.keyPrefix(), config.lockStore().stepTimeout(),
                config.lockStore().contentionTimeout(), isCluster(), timers::after),
                links, mailbox);
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
