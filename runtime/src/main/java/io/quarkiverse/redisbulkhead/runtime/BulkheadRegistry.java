package io.quarkiverse.redisbulkhead.runtime;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.eclipse.microprofile.config.ConfigProvider;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisLock;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.BulkheadSettings.Setting;
import io.quarkiverse.redisbulkhead.runtime.SemaphoreView.Keys;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.KeyedPlaces;
import io.quarkiverse.redisbulkhead.runtime.definition.Leases;
import io.quarkiverse.redisbulkhead.runtime.definition.MethodDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.MethodDeclaration.BulkheadUse;
import io.quarkiverse.redisbulkhead.runtime.definition.MethodDeclaration.KeyOrigin;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.NearestNames;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;
import io.quarkiverse.redisbulkhead.runtime.overview.Overview;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;

/** All bulkheads of the application, put together at start-up, and its locks. */
@Singleton
public class BulkheadRegistry implements RedisBulkheads {

    private final BulkheadSettings bulkheads;
    private final Map<String, Setting> settings;
    private final Map<String, Semaphore> semaphores = new TreeMap<>();
    private final Set<String> keyed;
    private final LockSettings locks;
    private final RedisStoreFactory redis;
    private final BulkheadRuntime runtime;
    private final boolean enabled;
    private final boolean withoutRedis;
    private final Declarations declarations;

    // Made when somebody looks; guarded by this.
    private Overview overview;

    /**
     * Reads and checks the configuration.
     *
     * @param declarations what the build found
     * @param config the configuration
     * @param buildTimeConfig says which store
     * @param redis knows whether there is a Redis
     * @param runtime what the bulkheads run on
     */
    @Inject
    public BulkheadRegistry(Declarations declarations, RedisBulkheadRuntimeConfig config,
            RedisBulkheadBuildTimeConfig buildTimeConfig, RedisStoreFactory redis, BulkheadRuntime runtime) {
        this.redis = redis;
        this.runtime = runtime;
        this.enabled = config.enabled();
        ConfigurationErrors errors = new ConfigurationErrors();
        boolean inRedis = buildTimeConfig.store().needsRedis();
        GlobalSettings.check(config, errors);
        this.bulkheads = BulkheadSettings.of(declarations, config, ConfigProvider.getConfig(), inRedis, errors);
        this.settings = bulkheads.byName();
        this.locks = LockSettings.of(config.lock(), config.awaitRelease(),
                new Leases(inRedis ? GlobalSettings.commandTimeout(config) : Optional.empty(), errors::add), errors);
        KeyedPlaces keys = keys(declarations.methods());
        keys.check(errors::add);
        this.keyed = keys.keyedNames();
        this.withoutRedis = inRedis && !redis.isConfigured();
        requireRedisForDeclared(errors);
        errors.report();
        settings.forEach((name, setting) -> semaphores.put(name, semaphore(setting.spec(), setting.enabled())));
        this.declarations = declarations;
    }

    // Names that are not known are a mistake of their own.
    private KeyedPlaces keys(List<MethodDeclaration> guarded) {
        KeyedPlaces places = new KeyedPlaces();
        for (MethodDeclaration method : guarded) {
            for (BulkheadUse bulkhead : method.bulkheads()) {
                String name = bulkheads.resolved(bulkhead.name());
                if (name != null) {
                    places.add(name, method.label(), !(bulkhead.key() instanceof KeyOrigin.None));
                }
            }
        }
        return places;
    }

    private void requireRedisForDeclared(ConfigurationErrors errors) {
        if (settings.values().stream().anyMatch(Setting::enabled) && withoutRedis) {
            errors.add(MessageCode.RBH027, redis.hostsProperty() + " is not set, but the bulkheads "
                    + String.join(", ", settings.keySet()) + " need that Redis. Set it, switch the bulkheads off by "
                    + PropertyNames.PREFIX + "enabled=false, or keep the permits in this process by " + PropertyNames.PREFIX
                    + "store=local when the application is built");
        }
    }

    private Semaphore semaphore(SemaphoreSpec spec, boolean limiting) {
        return limiting ? runtime.engine().semaphore(spec) : runtime.engine().openSemaphore(spec);
    }

    @Override
    public Set<String> names() {
        return Collections.unmodifiableSet(settings.keySet());
    }

    @Override
    public RedisSemaphore semaphore(String name) {
        return new SemaphoreView(core(name), keysOf(name), runtime);
    }

    @Override
    public RedisSemaphore semaphore(SemaphoreSpec spec) {
        if (spec == null) {
            throw new IllegalArgumentException("spec must not be null");
        }
        if (spec.name().startsWith(LockSpec.BULKHEAD_PREFIX)) {
            throw new IllegalArgumentException("'" + spec.name() + "' is the bulkhead behind a lock. Use lock(LockSpec)");
        }
        return new SemaphoreView(semaphore(spec, enabled), keysOf(spec.name()), runtime);
    }

    private Keys keysOf(String name) {
        return !settings.containsKey(name) ? Keys.ANY : keyed.contains(name) ? Keys.NEEDED : Keys.NONE;
    }

    @Override
    public RedisLock lock(String name) {
        return lock(locks.lock(name));
    }

    @Override
    public RedisLock lock(LockSpec spec) {
        if (spec == null) {
            throw new IllegalArgumentException("spec must not be null");
        }
        if (withoutRedis) {
            throw new IllegalStateException(redis.hostsProperty() + " is not set, but the lock '" + spec.name()
                    + "' needs that Redis. Set it, or keep locks in this process by " + PropertyNames.PREFIX
                    + "store=local when the application is built");
        }
        return new LockView(spec, runtime);
    }

    /**
     * What people see of all bulkheads.
     *
     * @return always the same
     */
    public synchronized Overview overview() {
        if (overview == null) {
            DeclaredBulkheads declared = new DeclaredBulkheads(bulkheads, declarations, ConfigProvider.getConfig());
            overview = new Overview(settings.keySet().stream().map(name -> declared.of(name, keyed.contains(name))).toList(),
                    runtime.engine());
        }
        return overview;
    }

    /**
     * The name that a text in an annotation stands for.
     *
     * @param written the name of a bulkhead as an annotation of this application has it, which may be an expression
     */
    String resolved(String written) {
        return bulkheads.resolved(written);
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
        if (name == null) {
            throw new IllegalArgumentException("name must not be null");
        }
        Semaphore semaphore = semaphores.get(name);
        if (semaphore == null) {
            throw new IllegalArgumentException(unknown(name));
        }
        return semaphore;
    }

    /**
     * The semaphore behind a bulkhead, for the calls of one place.
     *
     * @param name a declared name
     * @param weight what the annotation there states; what is configured wins
     */
    Semaphore core(String name, int weight) {
        return bulkheads.isConfigured(name, "weight") ? core(name) : core(name).weighing(weight);
    }

    private String unknown(String name) {
        List<String> known = NearestNames.to(name, semaphores.keySet());
        if (known.isEmpty()) {
            return "There is no bulkhead '" + name + "'; this application declares none. Define it by semaphore(SemaphoreSpec)";
        }
        String hint = NearestNames.isNear(name, known.get(0)) ? " Did you mean '" + known.get(0) + "'?" : "";
        return "There is no bulkhead '" + name + "'." + hint + " This application declares " + String.join(", ", known);
    }
}
