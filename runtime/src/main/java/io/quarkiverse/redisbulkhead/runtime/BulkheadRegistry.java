package io.quarkiverse.redisbulkhead.runtime;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.inject.Default;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.eclipse.microprofile.config.inject.ConfigProperty;

import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.semaphore.PermitIds;
import io.quarkiverse.redisbulkhead.runtime.semaphore.PermitReclaimer;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.script.RedisLink;
import io.quarkiverse.redisbulkhead.runtime.store.script.ScriptPermitStore;
import io.quarkus.arc.Arc;
import io.quarkus.arc.InstanceHandle;
import io.quarkus.redis.client.RedisClientName;
import io.quarkus.redis.runtime.client.config.RedisConfig;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;

/** All bulkheads of the application, put together at start-up. */
@Singleton
public class BulkheadRegistry implements RedisBulkheads {

    // More commands on their way at once than this gain nothing; the client refuses those beyond max-waiting-handlers.
    private static final int MAX_IN_FLIGHT = 1024;

    private final Map<String, BulkheadSettings.Setting> settings;
    private final Map<String, Semaphore> semaphores = new TreeMap<>();
    private final RedisLink link;
    private final PermitReclaimer reclaimer;

    /**
     * Reads and checks the configuration; Redis is asked at the first call.
     *
     * @param declarations what the build found
     * @param config the configuration
     * @param buildTimeConfig names the Redis client
     * @param redisConfig the configuration of the Redis clients
     * @param vertx runs timers
     * @param application the name of the application
     */
    @Inject
    public BulkheadRegistry(Declarations declarations, RedisBulkheadRuntimeConfig config,
            RedisBulkheadBuildTimeConfig buildTimeConfig, RedisConfig redisConfig, Vertx vertx,
            @ConfigProperty(name = "quarkus.application.name", defaultValue = "") String application) {
        this.settings = BulkheadSettings.of(declarations.bulkheads(), config);

        String client = buildTimeConfig.redisClient().orElse(RedisConfig.DEFAULT_CLIENT_NAME);
        this.link = new RedisLink(vertx, redis(client), config.commandTimeout(),
                Math.min(MAX_IN_FLIGHT, redisConfig.clients().get(client).maxWaitingHandlers()));
        PermitStore store = new ScriptPermitStore(link, config.keyPrefix());
        HolderIdentity identity = new HolderIdentity(application, LocalProcess.hostAndPid());
        PermitIds ids = new PermitIds();
        this.reclaimer = new PermitReclaimer(store, new VertxTimers(vertx));
        settings.forEach((name, setting) -> semaphores.put(name,
                new Semaphore(setting.spec(), store, identity, ids, reclaimer)));
    }

    // A look-up, because an injection point of any kind makes Quarkus start all clients that are configured.
    private Redis redis(String client) {
        InstanceHandle<Redis> handle = Arc.container().select(Redis.class, RedisConfig.isDefaultClient(client)
                ? Default.Literal.INSTANCE
                : RedisClientName.Literal.of(client)).getHandle();
        boolean needed = settings.values().stream().anyMatch(BulkheadSettings.Setting::enabled);
        if (needed && !handle.getBean().isActive()) {
            throw new ConfigurationException(RedisConfig.getPropertyName(client, RedisConfig.HOSTS)
                    + " is not set, but the bulkheads " + String.join(", ", settings.keySet())
                    + " need that Redis. Set it, or switch the bulkheads off by " + PropertyNames.PREFIX + "enabled=false");
        }
        return handle.get();
    }

    @Override
    public Set<String> names() {
        return Collections.unmodifiableSet(settings.keySet());
    }

    @Override
    public RedisSemaphore semaphore(String name) {
        return new SemaphoreView(core(name));
    }

    /**
     * Whether a bulkhead limits anything.
     *
     * @param name a declared name
     */
    boolean isEnabled(String name) {
        return settings.get(name).enabled();
    }

    /**
     * The semaphore behind a bulkhead.
     *
     * @param name the bulkhead
     * @throws IllegalArgumentException when there is none of that name
     */
    Semaphore core(String name) {
        Semaphore semaphore = semaphores.get(name);
        if (semaphore == null) {
            throw new IllegalArgumentException("There is no bulkhead '" + name + "'; this application declares "
                    + (semaphores.isEmpty() ? "none" : String.join(", ", semaphores.keySet())));
        }
        return semaphore;
    }

    @PreDestroy
    void close() {
        reclaimer.close();
        link.close();
    }
}
