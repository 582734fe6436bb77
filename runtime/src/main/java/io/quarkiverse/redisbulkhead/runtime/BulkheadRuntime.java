package io.quarkiverse.redisbulkhead.runtime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

import jakarta.annotation.PreDestroy;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;

import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.ShareEngine;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.config.StoreKind;
import io.quarkiverse.redisbulkhead.runtime.guard.BlockingWait;
import io.quarkiverse.redisbulkhead.runtime.guard.Continuations;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Engine;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Executions;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.semaphore.PermitLogger;
import io.quarkiverse.redisbulkhead.runtime.semaphore.SemaphoreEngine;
import io.quarkiverse.redisbulkhead.runtime.semaphore.SemaphoreListener;
import io.quarkiverse.redisbulkhead.runtime.semaphore.SemaphoreListeners;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Timers;
import io.quarkiverse.redisbulkhead.runtime.semaphore.WaiterLimits;
import io.quarkiverse.redisbulkhead.runtime.store.ObservedPermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.ObservedShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.StoreDecorator;
import io.quarkiverse.redisbulkhead.runtime.store.StoreListener;
import io.quarkiverse.redisbulkhead.runtime.store.local.InProcessShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.local.LocalPermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisShareStore;
import io.quarkus.arc.All;
import io.quarkus.arc.Arc;
import io.quarkus.runtime.ExecutorRecorder;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.ShutdownEvent;
import io.smallrye.common.net.HostName;
import io.vertx.core.Vertx;

/** What all bulkheads of the application run on. Made at the first call, or right after the application has started. */
@Singleton
public class BulkheadRuntime {

    /**
     * The system property that selects the former engine, whose store knows single permits: {@code permits}. It is removed with
     * that engine.
     */
    private static final String ENGINE_PROPERTY = "redis-bulkhead.engine";

    private final Timers timers;
    private final Engine engine;
    private final Executions executions = new Executions();
    private final Continuations continuations;
    // What there is to do with the store in Redis.
    private Runnable connecting = () -> {
    };
    private Runnable disconnecting = () -> {
    };

    /**
     * Puts the parts together.
     *
     * @param config says whether bulkheads limit anything, and how many calls may wait
     * @param buildTimeConfig says which store
     * @param redis makes the store in Redis
     * @param vertx runs timers
     * @param losses notifies observers of lost permits
     * @param listeners are notified in this order
     * @param redisListeners are notified of the duration of commands
     * @param decorators stand in front of the store, in tests of applications
     */
    @Inject
    public BulkheadRuntime(RedisBulkheadRuntimeConfig config, RedisBulkheadBuildTimeConfig buildTimeConfig,
            RedisStoreFactory redis, Vertx vertx, Event<PermitLost> losses, @All List<SemaphoreListener> listeners,
            @All List<StoreListener> redisListeners, @All List<StoreDecorator> decorators) {
        this.timers = new VertxTimers(vertx);
        int maxBlockedThreads = maxBlockedThreads(config, ConfigProvider.getConfig());
        this.continuations = new Continuations(maxBlockedThreads);
        Parts parts = new Parts(new HolderIdentity(application(), hostAndPid()), listener(losses, listeners),
                new WaiterLimits(maxBlockedThreads), redisListeners, decorators);
        StoreKind store = buildTimeConfig.store();
        boolean ofShares = !"permits".equals(System.getProperty(ENGINE_PROPERTY));
        this.engine = !ofShares ? engineOfPermits(store.needsRedis() ? redis.createPermits() : null, parts)
                : store.needsRedis() ? engineOfShares(redis.createShares(), config.commandTimeout(), parts)
                        : engineOfThisProcess(config.commandTimeout(), parts);
    }

    /** What all engines need. */
    private record Parts(HolderIdentity identity, SemaphoreListener listener, WaiterLimits limits,
            List<StoreListener> storeListeners, List<StoreDecorator> decorators) {
    }

    private Engine engineOfShares(RedisShareStore redis, Duration commandTimeout, Parts parts) {
        connecting = redis::warmUp;
        disconnecting = redis::close;
        ShareStore store = redis;
        for (StoreDecorator decorator : parts.decorators()) {
            store = decorator.decorate(store);
        }
        for (StoreListener listener : parts.storeListeners()) {
            store = new ObservedShareStore(store, listener);
        }
        if (LaunchMode.current() == LaunchMode.DEVELOPMENT) {
            store = FormerLimits.OF_THIS_PROCESS.hiddenIn(store);
        }
        ShareEngine shares = new ShareEngine(redis.instance(), store, redis.inbox(), timers, parts.identity(),
                parts.listener(), parts.limits(), commandTimeout);
        redis.listen(shares);
        parts.decorators().forEach(decorator -> decorator.control(shares));
        return shares;
    }

    private Engine engineOfThisProcess(Duration commandTimeout, Parts parts) {
        String instance = UUID.randomUUID().toString();
        if (parts.decorators().isEmpty()) {
            return new ShareEngine(instance, timers, parts.identity(), parts.listener(), parts.limits());
        }
        ShareStore store = new InProcessShareStore(instance, timers::nanoTime);
        for (StoreDecorator decorator : parts.decorators()) {
            store = decorator.decorate(store);
        }
        ShareEngine shares = new ShareEngine(instance, store, timers, parts.identity(), parts.listener(), parts.limits(),
                commandTimeout);
        parts.decorators().forEach(decorator -> decorator.control(shares));
        return shares;
    }

    private Engine engineOfPermits(RedisStore redis, Parts parts) {
        if (redis != null) {
            connecting = redis::warmUp;
            disconnecting = redis::close;
        } else if (parts.decorators().isEmpty()) {
            return new SemaphoreEngine(localStore(), timers, parts.identity(), parts.listener(), true, parts.limits());
        }
        PermitStore store = redis == null ? localStore() : redis.store();
        for (StoreDecorator decorator : parts.decorators()) {
            store = decorator.decorate(store);
        }
        if (redis != null) {
            store = observed(store, parts.storeListeners());
        }
        return new SemaphoreEngine(store, timers, parts.identity(), parts.listener(),
                new SemaphoreEngine(localStore(), timers, parts.identity(), parts.listener(), false, parts.limits()));
    }

    /**
     * How many calls may block worker threads while they wait.
     *
     * @param config the configuration of the extension
     * @param properties the configuration of the application, which says how large the worker pool is
     * @return by default half of the pool; not yet checked
     */
    static int maxBlockedThreads(RedisBulkheadRuntimeConfig config, Config properties) {
        if (config.maxBlockedThreads().isPresent()) {
            return config.maxBlockedThreads().getAsInt();
        }
        Optional<Integer> workers = properties.getOptionalValue("quarkus.thread-pool.max-threads", Integer.class);
        return Math.max(1, (workers.isPresent() ? workers.get() : ExecutorRecorder.calculateMaxThreads()) / 2);
    }

    // Not injected: that would start the injection of configuration, which few applications need and which takes its time.
    private static String application() {
        return ConfigProvider.getConfig().getOptionalValue("quarkus.application.name", String.class).orElse("");
    }

    // In a container the host is the container's name.
    private static String hostAndPid() {
        return HostName.getQualifiedHostName() + ":" + ProcessHandle.current().pid();
    }

    private static SemaphoreListener listener(Event<PermitLost> losses, List<SemaphoreListener> others) {
        List<SemaphoreListener> all = new ArrayList<>();
        all.add(new PermitLogger());
        all.add(new PermitLostEvents(losses, task -> Arc.container().getExecutorService().execute(task)));
        all.addAll(others);
        return new SemaphoreListeners(all);
    }

    private static PermitStore observed(PermitStore store, List<StoreListener> listeners) {
        PermitStore observed = store;
        for (StoreListener listener : listeners) {
            observed = new ObservedPermitStore(observed, listener);
        }
        return LaunchMode.current() == LaunchMode.DEVELOPMENT ? FormerLimits.OF_THIS_PROCESS.hiddenIn(observed) : observed;
    }

    private PermitStore localStore() {
        return new LocalPermitStore(timers::nanoTime, System.currentTimeMillis());
    }

    Engine engine() {
        return engine;
    }

    Executions executions() {
        return executions;
    }

    Continuations continuations() {
        return continuations;
    }

    /**
     * Refuses new calls and rejects those that wait, because the application stops.
     *
     * @return completes when all executions have ended
     */
    CompletionStage<Void> stop() {
        engine.refuseAndRejectWaiters();
        return executions.idle();
    }

    /** Connects in the background. */
    void warmUp() {
        connecting.run();
    }

    // Late, so that other observers can still use their permits.
    void giveBack(@Observes @Priority(Interceptor.Priority.PLATFORM_AFTER) ShutdownEvent event) {
        stop();
        BlockingWait.awaitUninterruptibly(engine.releaseAll());
    }

    @PreDestroy
    void close() {
        engine.close();
        continuations.close();
        disconnecting.run();
    }
}
