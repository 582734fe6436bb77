package io.quarkiverse.redisbulkhead.runtime;

import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import jakarta.annotation.PreDestroy;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;

import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Executions;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.PermitLogger;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.SemaphoreListener;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Timers;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.guard.BlockingWait;
import io.quarkiverse.redisbulkhead.runtime.guard.Continuations;
import io.quarkiverse.redisbulkhead.runtime.message.LogMessage;
import io.quarkiverse.redisbulkhead.runtime.store.LocalShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore.OperationListener;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisShareStore;
import io.quarkus.arc.All;
import io.quarkus.arc.Arc;
import io.quarkus.arc.impl.LazyValue;
import io.quarkus.runtime.ExecutorRecorder;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.ShutdownEvent;
import io.smallrye.common.net.HostName;
import io.vertx.core.Vertx;

/** What all bulkheads of the application run on. Made at the first call, or right after the application has started. */
@Singleton
public class BulkheadRuntime {

    // Live reloads replace the classes of the application only.
    private static final AtomicBoolean STARTED = new AtomicBoolean();

    private final Timers timers;
    private final Engine engine;
    private final Executions executions = new Executions();
    private final Continuations continuations;
    private final boolean recordsPlaces;
    private final ReleaseBeforeExit exit;
    // Made when code acquires a permit, because it has a thread.
    private final LazyValue<Cleaner> cleaner = new LazyValue<>(Cleaner::create);
    // Null where the permits are kept in this process.
    private final RedisShareStore redis;

    /**
     * Puts the parts together.
     *
     * @param config says whether bulkheads limit anything, and how many calls may wait
     * @param buildTimeConfig says which store
     * @param stores makes the store in Redis
     * @param vertx runs timers
     * @param losses notifies observers of lost permits
     * @param listeners are notified in this order
     * @param redisListeners are notified of the duration of commands
     * @param decorators stand in front of the store, in tests of applications
     * @param registry knows which permits are held for long; asked when there are some, because it needs this bean itself
     */
    @Inject
    public BulkheadRuntime(RedisBulkheadRuntimeConfig config, RedisBulkheadBuildTimeConfig buildTimeConfig,
            RedisStoreFactory stores, Vertx vertx, Event<PermitLost> losses, @All List<SemaphoreListener> listeners,
            @All List<OperationListener> redisListeners, @All List<StoreDecorator> decorators,
            Instance<BulkheadRegistry> registry) {
        this.timers = new VertxTimers(vertx);
        int maxBlockedThreads = maxBlockedThreads(config, ConfigProvider.getConfig());
        this.continuations = new Continuations(maxBlockedThreads);
        this.redis = buildTimeConfig.store().needsRedis() ? stores.create() : null;
        this.engine = engine(config.commandTimeout(), new WaiterLimits(maxBlockedThreads), redisListeners, decorators);
        engine.listen(new PermitLostEvents(losses, task -> Arc.container().getExecutorService().execute(task)));
        listeners.forEach(engine::listen);
        engine.warnAfter(bulkhead -> BulkheadRegistry.warnAfter(bulkhead.name(), registry.get().definitions()));
        this.recordsPlaces = config.recordPlaces().orElse(LaunchMode.current().isDevOrTest());
        this.exit = new ReleaseBeforeExit();
    }

    private Engine engine(Duration commandTimeout, WaiterLimits limits, List<OperationListener> redisListeners,
            List<StoreDecorator> decorators) {
        // Not injected: that would start the injection of configuration, which few applications need and which takes its time.
        String application = ConfigProvider.getConfig().getOptionalValue("quarkus.application.name", String.class).orElse("");
        // In a container the host is the container's name.
        HolderIdentity identity = new HolderIdentity(application,
                HostName.getQualifiedHostName() + ":" + ProcessHandle.current().pid());
        String instance = redis == null ? UUID.randomUUID().toString() : redis.instance();
        ShareStore store = redis != null ? redis : new LocalShareStore(timers::nanoTime, !decorators.isEmpty());
        for (StoreDecorator decorator : decorators) {
            store = decorator.decorate(store);
        }
        if (redis != null) {
            redis.observe(redisListeners);
            if (LaunchMode.current() == LaunchMode.DEVELOPMENT && STARTED.getAndSet(true)) {
                redis.ignoreEarlierLimits();
            }
        }
        Engine shares = new Engine(instance, store, redis == null ? null : redis.inbox(), timers, identity,
                new PermitLogger(), limits, commandTimeout);
        if (redis != null) {
            redis.listen(shares);
        }
        decorators.forEach(decorator -> decorator.control(shares));
        return shares;
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

    Engine engine() {
        return engine;
    }

    Executions executions() {
        return executions;
    }

    Continuations continuations() {
        return continuations;
    }

    /** Notices permits that code has dropped. */
    Cleaner cleaner() {
        return cleaner.get();
    }

    boolean recordsPlaces() {
        return recordsPlaces;
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

    /**
     * Whether calls are refused because the application stops.
     *
     * @return true from the beginning of its shutdown
     */
    public boolean isStopping() {
        return engine.isStopping();
    }

    /** Connects in the background. */
    void warmUp() {
        if (redis != null) {
            redis.warmUp();
        }
    }

    // Late, so that other observers can still use their permits.
    void giveBack(@Observes @Priority(Interceptor.Priority.PLATFORM_AFTER) ShutdownEvent event) {
        stop();
        BlockingWait.awaitUninterruptibly(engine.releaseAll());
        exit.released();
    }

    @PreDestroy
    void close() {
        exit.released();
        engine.close();
        continuations.close();
        if (redis != null) {
            redis.close();
        }
    }

    /**
     * Fires a CDI event for each lost permit. Observers may block, so they run on a worker thread.
     *
     * @param event notifies them
     * @param workers run them
     */
    record PermitLostEvents(Event<PermitLost> event, Executor workers) implements SemaphoreListener {

        private static final Logger LOG = Logger.getLogger(PermitLostEvents.class);

        @Override
        public void lost(PermitLost loss) {
            try {
                workers.execute(() -> fire(loss));
            } catch (RejectedExecutionException e) {
                LOG.errorf(e, "No worker thread is free to notify the observers of %s. %s", loss, LogMessage.OBSERVER_FAILED);
            }
        }

        private void fire(PermitLost loss) {
            try {
                event.fireAsync(loss).exceptionally(failure -> {
                    LOG.errorf(failure, "An asynchronous observer of %s failed. %s", loss, LogMessage.OBSERVER_FAILED);
                    return null;
                });
                event.fire(loss);
            } catch (RuntimeException e) {
                // Without a container, the application has stopped meanwhile, and its observers with it.
                if (Arc.container() != null) {
                    LOG.errorf(e, "An observer of %s failed. %s", loss, LogMessage.OBSERVER_FAILED);
                }
            }
        }
    }

    /**
     * Keeps the JVM alive until a stopping application has released its permits. Quarkus does that for an application that a
     * signal stops. But when {@code run()} of a command-mode application returns, Quarkus removes its hook before it stops the
     * application, and a signal that arrives then ends the JVM immediately.
     */
    private static final class ReleaseBeforeExit {

        // If the application does not stop, its permits are free when their lease ends.
        private static final int MOST_SECONDS = 60;

        private final CountDownLatch released = new CountDownLatch(1);
        private final Thread hook = new Thread(this::await, "redis-bulkhead-release");

        /** Watches the JVM of a packaged application. */
        ReleaseBeforeExit() {
            if (LaunchMode.current() == LaunchMode.NORMAL) {
                try {
                    Runtime.getRuntime().addShutdownHook(hook);
                } catch (IllegalStateException e) {
                    // The JVM is stopping, and Quarkus waits for the application.
                }
            }
        }

        private void await() {
            try {
                released.await(MOST_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** The permits are released, as far as the store gave an answer. */
        void released() {
            released.countDown();
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The JVM is stopping.
            }
        }
    }
}
