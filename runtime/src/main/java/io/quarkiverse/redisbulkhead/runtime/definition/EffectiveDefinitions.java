package io.quarkiverse.redisbulkhead.runtime.definition;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigValue;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.config.OnFull;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig.BulkheadConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig.LockConfig;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;

/**
 * What annotations and configuration define together; configuration wins. Everything is checked here. The build makes one of
 * what it knows, for the mistakes; the start of the application makes one of the final configuration, and uses it. Immutable.
 */
public final class EffectiveDefinitions {

    /**
     * One bulkhead.
     *
     * @param spec its definition
     * @param enabled whether it limits anything
     */
    public record EffectiveBulkhead(SemaphoreSpec spec, boolean enabled) {
    }

    /** Decides whether a configured value can be read, before all values are read together. */
    @FunctionalInterface
    public interface ValueReader {

        /** Leaves that to the configuration mapping, which throws an exception. */
        ValueReader ANY = (property, value, errors) -> true;

        /**
         * Looks at one value.
         *
         * @param property its property, without prefix, and {@code *} for the name of a bulkhead or lock
         * @param value a value that is resolved
         * @param errors takes the reason why it cannot be read
         * @return whether it can be read
         */
        boolean isReadable(String property, ConfigValue value, ValidationErrors errors);
    }

    private final Config properties;
    private final boolean inRedis;
    private final KnownProperties known;
    private final AnnotationDefinitions annotations;
    private final Configuration configuration;
    private final RedisBulkheadRuntimeConfig values;
    private final SortedMap<String, EffectiveBulkhead> bulkheads = new TreeMap<>();
    private final List<String> warnings;

    /**
     * Makes them of the final configuration, in which everything must be resolved.
     *
     * @param declarations what the build found
     * @param properties the configuration of the application
     * @param inRedis whether permits live in Redis
     * @param errors takes the mistakes
     * @return to be used when there are no mistakes
     */
    public static EffectiveDefinitions atStart(Declarations declarations, Config properties, boolean inRedis,
            ValidationErrors errors) {
        return new EffectiveDefinitions(declarations, properties, ValueReader.ANY, inRedis, false, errors);
    }

    /**
     * Checks what is known while the application is built.
     *
     * @param declarations what the build found; methods are not looked at
     * @param properties the configuration of the build, in which expressions may have no value yet
     * @param reader checks the values that cannot be read
     * @param inRedis whether permits live in Redis
     * @param errors takes the mistakes
     */
    public static void checkAtBuild(Declarations declarations, Config properties, ValueReader reader, boolean inRedis,
            ValidationErrors errors) {
        new EffectiveDefinitions(declarations, properties, reader, inRedis, true, errors);
    }

    private EffectiveDefinitions(Declarations declarations, Config properties, ValueReader reader, boolean inRedis,
            boolean atBuild, ValidationErrors errors) {
        this.properties = properties;
        this.inRedis = inRedis;
        this.known = new KnownProperties(declarations.properties());
        this.annotations = new AnnotationDefinitions(declarations, properties);
        NameChecks names = new NameChecks(known, annotations, declarations, errors);
        names.check(properties);
        if (!atBuild) {
            names.checkVariables(properties);
        }
        Set<String> all = new TreeSet<>(annotations.names());
        all.addAll(names.perhapsInCode());
        this.configuration = new Configuration(properties, known, all, reader, errors);
        this.values = configuration.values();
        if (!atBuild) {
            annotations.requireResolved(errors);
            configuration.requireKnown();
        }
        // The build has checked the others.
        if (atBuild || annotations.haveExpressions()) {
            annotations.check(known::isReserved, errors);
        }
        ValueChecks checks = new ValueChecks(configuration, inRedis, errors);
        checks.checkForAll(names);
        for (String name : annotations.names()) {
            // It may become a name whose permits are configured.
            boolean mayChange = atBuild && annotations.isByExpression(name);
            if (!mayChange && !configuration.setFor(name).contains("permits")) {
                annotations.requirePermits(name, errors);
            }
            Optional<EffectiveBulkhead> bulkhead = new BulkheadAssembler(name, annotations, checks).declared();
            if (bulkhead.isPresent()) {
                bulkheads.put(name, bulkhead.get());
            }
        }
        for (String name : names.perhapsInCode()) {
            new BulkheadAssembler(name, annotations, checks).setConfigured();
        }
        checks.checkLocks();
        this.warnings = List.copyOf(names.warnings());
    }

    /**
     * What looks like a mistake in the configuration, but need not be one.
     *
     * @return for the log
     */
    public List<String> warnings() {
        return warnings;
    }

    /**
     * What the annotations say.
     *
     * @return without the configuration of bulkheads
     */
    public AnnotationDefinitions annotations() {
        return annotations;
    }

    /**
     * The bulkheads that annotations declare.
     *
     * @return by name, in alphabetical order, without those that are wrong
     */
    public Map<String, EffectiveBulkhead> bulkheads() {
        return Collections.unmodifiableMap(bulkheads);
    }

    /**
     * Finds what is configured for a bulkhead that code defines. It wins over the definition, as it does over an annotation.
     *
     * @param name any name, declared or not
     * @return applies the configuration to a definition of that name; throws
     *         {@link io.quarkus.runtime.configuration.ConfigurationException} when the result is not valid
     */
    public Function<SemaphoreSpec, EffectiveBulkhead> ofCode(String name) {
        if (!Configuration.hasValues(properties, known, name)) {
            return spec -> new EffectiveBulkhead(spec, values.enabled());
        }
        ValidationErrors unreadable = new ValidationErrors();
        Configuration own = new Configuration(properties, known, Set.of(name), ValueReader.ANY, unreadable);
        own.requireKnown();
        unreadable.report();
        return spec -> {
            ValidationErrors errors = new ValidationErrors();
            Optional<EffectiveBulkhead> bulkhead = new BulkheadAssembler(name, annotations,
                    new ValueChecks(own, inRedis, errors)).inCode(spec);
            errors.report();
            return bulkhead.orElseThrow();
        };
    }

    /**
     * One lock.
     *
     * @param name any name
     * @return its definition
     * @throws IllegalArgumentException when the name is not valid
     */
    public LockSpec lock(String name) {
        LockSpec.Builder spec = LockSpec.named(name).awaitRelease(values.awaitRelease()).lockTimeout(lockTimeout(name));
        Optional<LockConfig> own = Optional.ofNullable(values.lock().locks().get(name));
        spec.acquireTimeout(own.flatMap(LockConfig::acquireTimeout).orElse(values.lock().acquireTimeout()));
        own.flatMap(LockConfig::minHold).ifPresent(spec::minHold);
        own.flatMap(LockConfig::keepIdle).ifPresent(spec::keepIdle);
        own.flatMap(LockConfig::fair).ifPresent(spec::fair);
        return spec.build();
    }

    private Duration lockTimeout(String lock) {
        return Optional.ofNullable(values.lock().locks().get(lock)).flatMap(LockConfig::lockTimeout)
                .orElse(values.lock().lockTimeout());
    }

    /**
     * The lease of a bulkhead or of a lock.
     *
     * @param name any bulkhead, that behind a lock included
     * @return that of the definition; for a bulkhead that is defined in code, the default
     */
    public Duration lease(String name) {
        EffectiveBulkhead declared = bulkheads.get(name);
        if (declared != null) {
            return declared.spec().expire();
        }
        return name.startsWith(LockSpec.BULKHEAD_PREFIX)
                ? lockTimeout(name.substring(LockSpec.BULKHEAD_PREFIX.length()))
                : SemaphoreSpec.named("any").permits(1).build().expire();
    }

    /**
     * What happens to calls when a bulkhead is full.
     *
     * @param name a declared name
     * @return empty when that depends on who calls
     */
    public Optional<OnFull> onFull(String name) {
        return Optional.ofNullable(values.bulkheads().get(name)).flatMap(BulkheadConfig::onFull);
    }

    /**
     * What {@code Retry-After} says in rejections by a bulkhead.
     *
     * @param name any bulkhead, declared or not
     * @return zero for no header; empty when it is to be estimated
     */
    public Optional<Duration> retryAfter(String name) {
        return Optional.ofNullable(values.bulkheads().get(name)).flatMap(own -> own.rest().retryAfter())
                .or(values.rest()::retryAfter).map(DurationText::retryAfter);
    }

    /**
     * When a permit that is still held is reported.
     *
     * @param name any bulkhead, that behind a lock included
     * @return empty for the default
     */
    public Optional<Duration> warnAfter(String name) {
        Optional<Duration> own = name.startsWith(LockSpec.BULKHEAD_PREFIX)
                ? Optional.ofNullable(values.lock().locks().get(name.substring(LockSpec.BULKHEAD_PREFIX.length())))
                        .flatMap(LockConfig::warnAfter)
                : Optional.ofNullable(values.bulkheads().get(name)).flatMap(BulkheadConfig::warnAfter);
        return own.or(values::warnAfter);
    }

    /**
     * Whether a property of one bulkhead is set.
     *
     * @param name the bulkhead
     * @param member as in {@link KnownProperties#ofOneBulkhead()}
     * @return {@code true} when it wins over the annotation
     */
    public boolean isConfigured(String name, String member) {
        return configuration.isSet(PropertyNames.of(name, member));
    }

    /**
     * Whether a property of the extension has the name of a bulkhead, which therefore cannot be configured.
     *
     * @param name any name
     * @return {@code true} for example for {@code rest}
     */
    public boolean isReserved(String name) {
        return known.isReserved(name);
    }
}
