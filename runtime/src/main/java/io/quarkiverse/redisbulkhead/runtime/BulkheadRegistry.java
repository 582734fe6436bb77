package io.quarkiverse.redisbulkhead.runtime;

import static io.smallrye.mutiny.helpers.ParameterValidation.nonNull;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisLock;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.BulkheadView.LockView;
import io.quarkiverse.redisbulkhead.runtime.BulkheadView.SemaphoreView;
import io.quarkiverse.redisbulkhead.runtime.BulkheadView.SemaphoreView.Keys;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.CodeDefinitions;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadUse;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.EffectiveBulkhead;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.Value;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.NearestNames;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;
import io.quarkiverse.redisbulkhead.runtime.overview.Overview;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkus.arc.Arc;
import io.quarkus.arc.ArcContainer;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.StartupEvent;
import io.vertx.core.Vertx;

/** All bulkheads and locks of the application, built at start-up. Thread-safe. */
@Singleton
public class BulkheadRegistry implements RedisBulkheads {

    private static final Logger LOG = Logger.getLogger(BulkheadRegistry.class);
    private static final Duration WARN_AFTER_IN_DEV_MODE = Duration.ofMinutes(10);
    private static final Duration UNTIL_STARTED = Duration.ofMillis(100);

    private final EffectiveDefinitions definitions;
    private final Map<String, EffectiveBulkhead> bulkheads;
    private final Map<String, Semaphore> semaphores = new ConcurrentHashMap<>();
    private final CodeDefinitions inCode;
    private final RedisStoreFactory redis;
    private final Instance<BulkheadRuntime> runtime;
    private final boolean enabled;
    private final boolean withoutRedis;

    // Made at the first look, as few applications are looked at; guarded by this.
    private Overview overview;

    /**
     * Reads and checks the configuration.
     *
     * @param declarations what the build found
     * @param config the configuration
     * @param buildTimeConfig says which store
     * @param redis knows whether there is a Redis
     * @param runtime what the bulkheads run on; looked up at the first call, or when the application has started
     */
    @Inject
    public BulkheadRegistry(Declarations declarations, RedisBulkheadRuntimeConfig config,
            RedisBulkheadBuildTimeConfig buildTimeConfig, RedisStoreFactory redis, Instance<BulkheadRuntime> runtime) {
        this.redis = redis;
        this.runtime = runtime;
        this.enabled = config.enabled();
        ValidationErrors errors = new ValidationErrors();
        boolean inRedis = buildTimeConfig.store().needsRedis();
        this.definitions = new EffectiveDefinitions(declarations, ConfigProvider.getConfig(), inRedis, false, errors);
        this.bulkheads = definitions.bulkheads();
        this.inCode = new CodeDefinitions(definitions);
        this.withoutRedis = inRedis && !redis.isConfigured();
        requireRedisForDeclared(errors);
        errors.throwIfAny();
        for (String warning : errors.warnings()) {
            LOG.warn(warning);
        }
        if (inRedis && !definitions.rejectingInsteadOfLocal().isEmpty()) {
            LOG.infof("Bulkheads with fewer permits than %sinstances reject calls while Redis is away, although %son-outage is "
                    + "local: %s. For a limit of each instance there, set local-permits for them", Texts.PREFIX,
                    Texts.PREFIX, String.join(", ", definitions.rejectingInsteadOfLocal()));
        }
    }

    // The last observer, and later: it loads classes, and the application has not reported its start yet.
    void warmUp(@Observes @Priority(Integer.MAX_VALUE) StartupEvent event, Vertx vertx) {
        if (enabled && !withoutRedis) {
            new VertxTimers(vertx).after(UNTIL_STARTED, () -> {
                ArcContainer container = Arc.container();
                if (container != null && container.isRunning()) {
                    container.getExecutorService().execute(() -> runtime.get().warmUp());
                }
            });
        }
    }

    private void requireRedisForDeclared(ValidationErrors errors) {
        if (withoutRedis && bulkheads.values().stream().anyMatch(EffectiveBulkhead::enabled)) {
            errors.add(MessageCode.RBH027, "", withoutRedis("the bulkheads " + String.join(", ", bulkheads.keySet()) + " need",
                    "switch the bulkheads off by " + Texts.PREFIX + "enabled=false, or keep the permits"));
        }
    }

    private String withoutRedis(String who, String alternative) {
        return redis.hostsProperty() + " is not set, but " + who + " that Redis. Set it, " + alternative
                + " in this process by " + Texts.PREFIX + "store=local when the application is built";
    }

    private Semaphore semaphore(SemaphoreSpec spec, boolean limiting) {
        return new Semaphore(runtime.get().engine(), spec, limiting);
    }

    @Override
    public Set<String> names() {
        return Collections.unmodifiableSet(bulkheads.keySet());
    }

    @Override
    public RedisSemaphore semaphore(String name) {
        return new SemaphoreView(core(name), keysOf(name), runtime.get());
    }

    @Override
    public RedisSemaphore semaphore(SemaphoreSpec spec) {
        if (nonNull(spec, "spec").name().startsWith(LockSpec.BULKHEAD_PREFIX)) {
            throw new IllegalArgumentException("'" + spec.name() + "' is the bulkhead behind a lock. Use lock(LockSpec)");
        }
        EffectiveBulkhead bulkhead = inCode.define(spec, BulkheadView::method);
        return new SemaphoreView(semaphore(bulkhead.spec(), bulkhead.enabled()), keysOf(spec.name()), runtime.get());
    }

    // For operators, whose changes define nothing here: the limit of one that no annotation declares may be unknown.
    private RedisSemaphore changeable(String name) {
        return bulkheads.containsKey(name) ? semaphore(name)
                : new SemaphoreView(semaphore(SemaphoreSpec.named(name).permits(1).build(), true), Keys.ANY, runtime.get());
    }

    private Keys keysOf(String name) {
        return !bulkheads.containsKey(name) ? Keys.ANY : bulkheads.get(name).keyed() ? Keys.NEEDED : Keys.NONE;
    }

    @Override
    public RedisLock lock(String name) {
        return view(definitions.lock(name));
    }

    @Override
    public RedisLock lock(LockSpec spec) {
        inCode.define(nonNull(spec, "spec"), BulkheadView::method);
        return view(spec);
    }

    private RedisLock view(LockSpec spec) {
        if (withoutRedis) {
            throw new IllegalStateException(withoutRedis("the lock '" + spec.name() + "' needs", "or keep locks"));
        }
        return new LockView(spec, runtime.get());
    }

    /**
     * What operators see of all bulkheads.
     *
     * @return always the same
     */
    public synchronized Overview overview() {
        if (overview == null) {
            overview = new Overview(bulkheads, inCode::inForce, inCode::listed, this::changeable,
                    () -> runtime.get().engine(), System::nanoTime);
        }
        return overview;
    }

    /**
     * When a permit that is still held is reported.
     *
     * @param name any bulkhead, that behind a lock included
     * @param definitions those of the application
     * @return zero: never
     */
    public static Duration warnAfter(String name, EffectiveDefinitions definitions) {
        return definitions.<Duration> stated(name, "warn-after")
                .orElse(LaunchMode.current() == LaunchMode.DEVELOPMENT ? WARN_AFTER_IN_DEV_MODE : Duration.ZERO);
    }

    /**
     * Estimates when a call that comes now gets a permit, from what this instance has seen lately.
     *
     * @param bulkhead any bulkhead, or one of its keys
     * @param permits the limit that is in force
     * @return zero when nothing is known
     */
    public Duration untilFree(BulkheadId bulkhead, int permits) {
        return runtime.get().engine().untilFree(bulkhead, permits);
    }

    /**
     * The lease of a bulkhead.
     *
     * @param name any bulkhead, that behind a lock included
     * @return the default for one that is not known here
     */
    public Duration lease(String name) {
        return inCode.lease(name);
    }

    /**
     * What annotations and configuration define.
     *
     * @return what is in force
     */
    public EffectiveDefinitions definitions() {
        return definitions;
    }

    /**
     * Whether a bulkhead limits anything.
     *
     * @param name a declared name
     * @return {@code quarkus.redis-bulkhead."name".enabled}
     */
    public boolean isEnabled(String name) {
        return bulkheads.get(name).enabled();
    }

    /**
     * The semaphore behind a bulkhead.
     *
     * @param name the bulkhead
     * @throws IllegalArgumentException when no bulkhead has that name
     */
    Semaphore core(String name) {
        EffectiveBulkhead bulkhead = bulkheads.get(nonNull(name, "name"));
        if (bulkhead == null) {
            throw new IllegalArgumentException(unknown(name));
        }
        return semaphores.computeIfAbsent(name, missing -> semaphore(bulkhead.spec(), bulkhead.enabled()));
    }

    /**
     * The semaphore behind a bulkhead, for the calls of one place. What is configured wins over what the annotation states.
     *
     * @param use what the annotation there states
     */
    Semaphore core(BulkheadUse use) {
        Map<String, Value> values = definitions.inForce(use);
        return core(definitions.nameOf(use)).weighing(Value.of(values, "weight", 1))
                .within(Value.of(values, "max-wait", Duration.ZERO));
    }

    private String unknown(String name) {
        return "There is no bulkhead '" + name + "'" + (bulkheads.isEmpty()
                ? "; this application declares none. Define it with semaphore(SemaphoreSpec)"
                : "." + NearestNames.hint(name, bulkheads.keySet(), "'") + " This application declares "
                        + String.join(", ", NearestNames.to(name, bulkheads.keySet())));
    }
}
