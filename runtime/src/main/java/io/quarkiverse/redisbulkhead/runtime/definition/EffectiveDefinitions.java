package io.quarkiverse.redisbulkhead.runtime.definition;

import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;

import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigValue;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.config.OnFull;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig.BulkheadConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig.LockConfig;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;

/**
 * What annotations and configuration define together; configuration wins. Everything is checked here. The build makes one of
 * what it knows, for the mistakes; the start of the application makes one of the final configuration, and uses it. A check
 * that needs a value that is not known, or is invalid, is left out. Immutable.
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

    private static final int RENEWALS_PER_LEASE = 3;
    private static final int FIRST_ERROR_STATUS = 400;
    private static final int LAST_ERROR_STATUS = 599;
    private static final String COMMAND_TIMEOUT = PropertyNames.PREFIX + "command-timeout";
    private static final String ON_OUTAGE = PropertyNames.PREFIX + "on-outage";
    private static final String INSTANCES = PropertyNames.PREFIX + "instances";
    private static final String NAMES_WITH_SERIES = PropertyNames.PREFIX + "metrics.names";
    private static final String LOCK_TIMEOUT = "lock.lock-timeout";
    private static final String STEP_TIMEOUT = "lock-store.step-timeout";
    private static final String CONTENTION_TIMEOUT = "lock-store.contention-timeout";

    private final Definitions definitions;
    private final Configuration configuration;
    private final RedisBulkheadRuntimeConfig values;
    private final Map<String, List<String>> returning;
    private final boolean inRedis;
    private final ValidationErrors errors;
    private final Config properties;
    private final KnownProperties known;
    private final SortedMap<String, EffectiveBulkhead> bulkheads = new TreeMap<>();
    // Zero when it is not known, or invalid.
    private final Duration commandTimeout;
    // Properties for all bulkheads or locks, without prefix, whose values are not known, or invalid.
    private final Set<String> doubtful = new HashSet<>();
    private List<String> warnings = List.of();

    private EffectiveDefinitions(Definitions definitions, Configuration configuration, Config properties, KnownProperties known,
            Map<String, List<String>> returning, boolean inRedis, ValidationErrors errors) {
        this.properties = properties;
        this.known = known;
        this.definitions = definitions;
        this.returning = returning;
        this.configuration = configuration;
        this.values = configuration.values();
        this.inRedis = inRedis;
        this.errors = errors;
        this.commandTimeout = configuration.isKnown(COMMAND_TIMEOUT)
                && DurationText.COMMAND_TIMEOUT.isValid(values.commandTimeout()) ? values.commandTimeout() : Duration.ZERO;
    }

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
        return of(Definitions.of(declarations.bulkheads(), properties), declarations.namesElsewhere(),
                declarations.returning(), declarations.inCode(), new KnownProperties(declarations.properties()), properties,
                ValueReader.ANY, inRedis, false, errors);
    }

    /**
     * Checks what is known while the application is built.
     *
     * @param declarations the annotations
     * @param namesElsewhere the names, as written, in annotations that are not in force in this build
     * @param returning as in {@link Declarations#returning()}
     * @param inCode what is known about bulkheads that code defines
     * @param properties the configuration of the build, in which expressions may have no value yet
     * @param reader checks the values that cannot be read
     * @param inRedis whether permits live in Redis
     * @param errors takes the mistakes
     */
    public static void checkAtBuild(List<BulkheadDeclaration> declarations, List<String> namesElsewhere,
            Map<String, List<String>> returning, DefinedInCode inCode, Config properties, ValueReader reader, boolean inRedis,
            ValidationErrors errors) {
        of(Definitions.of(declarations, properties), namesElsewhere, returning, inCode,
                new KnownProperties(KnownProperties.ofMappings()), properties, reader, inRedis, true, errors);
    }

    private static EffectiveDefinitions of(Definitions definitions, List<String> namesElsewhere,
            Map<String, List<String>> returning, DefinedInCode inCode, KnownProperties known, Config properties,
            ValueReader reader, boolean inRedis, boolean atBuild, ValidationErrors errors) {
        ConfiguredNames names = new ConfiguredNames(known, definitions, namesElsewhere, inCode, errors);
        names.check(properties);
        if (!atBuild) {
            names.checkVariables(properties);
        }
        Set<String> bulkheads = new TreeSet<>(definitions.byName().keySet());
        bulkheads.addAll(names.perhapsInCode());
        Configuration configuration = new Configuration(properties, known, bulkheads, reader, errors);
        if (!atBuild) {
            definitions.requireResolved(errors);
            configuration.requireKnown();
        }
        // The build has checked the others.
        if (atBuild || definitions.haveExpressions()) {
            definitions.check(known::isReserved, errors);
        }
        EffectiveDefinitions effective = new EffectiveDefinitions(definitions, configuration, properties, known, returning,
                inRedis, errors);
        effective.checkGlobal();
        names.checkListed(NAMES_WITH_SERIES, effective.namesWithSeries());
        for (String name : definitions.byName().keySet()) {
            // It may become a name whose permits are configured.
            boolean mayChange = atBuild && definitions.isByExpression(name);
            if (!mayChange && !configuration.setFor(name).contains("permits")) {
                definitions.requirePermits(name, errors);
            }
            effective.new BulkheadAssembler(name).add();
        }
        for (String name : names.perhapsInCode()) {
            effective.new BulkheadAssembler(name).setConfigured();
        }
        effective.checkLocks();
        effective.warnings = List.copyOf(names.warnings());
        return effective;
    }

    /**
     * The bulkheads.
     *
     * @return by name, in alphabetical order, without those that are wrong
     */
    public Map<String, EffectiveBulkhead> bulkheads() {
        return Collections.unmodifiableMap(bulkheads);
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
     * The name of a bulkhead.
     *
     * @param written the name as an annotation has it, which may be an expression
     * @return what that stands for; null when that is not known
     */
    public String resolved(String written) {
        return definitions.names().get(written);
    }

    /**
     * What the annotations say about a bulkhead.
     *
     * @param name a declared name
     * @return one for each annotation, by location
     */
    public List<Definition> definitions(String name) {
        return definitions.byName().get(name);
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
     * @return empty when it is to be estimated
     */
    public Optional<RetryAfterText> retryAfter(String name) {
        return Optional.ofNullable(values.bulkheads().get(name)).flatMap(own -> own.rest().retryAfter())
                .or(values.rest()::retryAfter).map(RetryAfterText::parse);
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
        if (name.startsWith(LockSpec.BULKHEAD_PREFIX)) {
            return Optional.ofNullable(values.lock().locks().get(name.substring(LockSpec.BULKHEAD_PREFIX.length())))
                    .flatMap(LockConfig::lockTimeout).orElse(values.lock().lockTimeout());
        }
        return SemaphoreSpec.named("any").permits(1).build().expire();
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
            ValidationErrors found = new ValidationErrors();
            Optional<EffectiveBulkhead> bulkhead = new EffectiveDefinitions(definitions, own, properties, known, returning,
                    inRedis, found).new BulkheadAssembler(name, spec.toBuilder()).assemble(spec);
            found.report();
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
        LockSpec.Builder spec = LockSpec.named(name).awaitRelease(values.awaitRelease());
        Optional<LockConfig> own = Optional.ofNullable(values.lock().locks().get(name));
        spec.acquireTimeout(own.flatMap(LockConfig::acquireTimeout).orElse(values.lock().acquireTimeout()));
        spec.lockTimeout(own.flatMap(LockConfig::lockTimeout).orElse(values.lock().lockTimeout()));
        own.flatMap(LockConfig::minHold).ifPresent(spec::minHold);
        own.flatMap(LockConfig::fair).ifPresent(spec::fair);
        return spec.build();
    }

    private <T> boolean set(String property, T value, Consumer<T> setter) {
        return errors.set(configuration.written(property), value, setter);
    }

    /** Defaults are valid, so this looks at what is configured. */
    private void checkGlobal() {
        for (String member : configuration.setForAll()) {
            String property = PropertyNames.PREFIX + member;
            if (!configuration.isKnown(property)
                    || !errors.check(MessageCode.RBH005, configuration.written(property), "", () -> checkGlobal(member))) {
                doubtful.add(member);
            }
        }
        for (String name : namesWithSeries()) {
            set(NAMES_WITH_SERIES, name, EffectiveDefinitions::checkName);
        }
        Duration step = values.lockStore().stepTimeout();
        Duration contention = values.lockStore().contentionTimeout();
        if (contention.compareTo(step) <= 0 && !doubtful.contains(STEP_TIMEOUT) && !doubtful.contains(CONTENTION_TIMEOUT)) {
            errors.add(MessageCode.RBH005, PropertyNames.PREFIX + CONTENTION_TIMEOUT, "contentionTimeout must be longer than "
                    + PropertyNames.PREFIX + STEP_TIMEOUT + ", which is " + step + ", but is " + contention);
        }
    }

    private void checkGlobal(String member) {
        switch (member) {
            case "key-prefix" -> checkKeyPrefix(values.keyPrefix());
            case "command-timeout" -> DurationText.COMMAND_TIMEOUT.check(values.commandTimeout());
            case "instances" -> require(values.instances() >= 1,
                    "instances must be at least 1, but is " + values.instances());
            case "max-blocked-threads" -> require(values.maxBlockedThreads().getAsInt() >= 0,
                    "maxBlockedThreads must be at least 0, but is " + values.maxBlockedThreads().getAsInt());
            case "rest.status" -> require(
                    values.rest().status() >= FIRST_ERROR_STATUS && values.rest().status() <= LAST_ERROR_STATUS,
                    "status must be an HTTP error status from " + FIRST_ERROR_STATUS + " to " + LAST_ERROR_STATUS + ", but is "
                            + values.rest().status());
            case "rest.retry-after" -> RetryAfterText.parse(values.rest().retryAfter().get());
            case "metrics.cluster-interval" -> DurationText.CLUSTER_INTERVAL.check(values.metrics().clusterInterval());
            case STEP_TIMEOUT -> DurationText.STEP_TIMEOUT.check(values.lockStore().stepTimeout());
            case CONTENTION_TIMEOUT -> DurationText.CONTENTION_TIMEOUT.check(values.lockStore().contentionTimeout());
            case "lock.acquire-timeout" -> DurationText.ACQUIRE_TIMEOUT.check(values.lock().acquireTimeout());
            case LOCK_TIMEOUT -> DurationText.LOCK_TIMEOUT.check(values.lock().lockTimeout());
            default -> {
                // Every value that can be read is valid.
            }
        }
    }

    private List<String> namesWithSeries() {
        return values.metrics().names().orElse(List.of());
    }

    private static void checkName(String bulkhead) {
        if (bulkhead.startsWith(LockSpec.BULKHEAD_PREFIX)) {
            LockSpec.named(bulkhead.substring(LockSpec.BULKHEAD_PREFIX.length()));
        } else {
            SemaphoreSpec.named(bulkhead);
        }
    }

    private static void checkKeyPrefix(String prefix) {
        require(!prefix.isBlank() && !prefix.contains("{") && !prefix.contains("}"), "keyPrefix must not be blank and must not"
                + " contain braces, which mark the hash tag of Redis Cluster, but is '" + prefix + "'");
    }

    private static void require(boolean valid, String message) {
        if (!valid) {
            throw new IllegalArgumentException(message);
        }
    }

    private void checkLocks() {
        boolean validForAll = !doubtful.contains(LOCK_TIMEOUT);
        // Applications without locks have the default, too, so it must not fail.
        if (validForAll && configuration.setForAll().contains(LOCK_TIMEOUT)
                && !values.lock().lockTimeout().equals(LockSpec.named("any").build().lockTimeout())) {
            checkLease(PropertyNames.PREFIX + LOCK_TIMEOUT, "lock-timeout", values.lock().lockTimeout());
        }
        for (Map.Entry<String, LockConfig> lock : values.lock().locks().entrySet()) {
            checkLock(lock.getKey(), lock.getValue(), validForAll);
        }
    }

    private void checkLock(String name, LockConfig own, boolean validForAll) {
        set(PropertyNames.ofLock(name, "*"), name, LockSpec::named);
        own.acquireTimeout().ifPresent(wait -> set(PropertyNames.ofLock(name, "acquire-timeout"), wait,
                LockSpec.named("any")::acquireTimeout));
        String property = PropertyNames.ofLock(name, "lock-timeout");
        boolean valid = own.lockTimeout()
                .map(lease -> set(property, lease, LockSpec.named("any")::lockTimeout))
                .orElse(configuration.isKnown(property) && validForAll);
        if (valid && own.lockTimeout().isPresent()) {
            checkLease(configuration.written(property), "lock-timeout", own.lockTimeout().get());
        }
        Duration lease = valid ? own.lockTimeout().orElse(values.lock().lockTimeout()) : SemaphoreSpec.MAX_EXPIRE;
        own.minHold().ifPresent(hold -> {
            String minHold = PropertyNames.ofLock(name, "min-hold");
            LockSpec.Builder spec = LockSpec.named("any").lockTimeout(lease);
            if (set(minHold, hold, spec::minHold)) {
                errors.check(MessageCode.RBH031, configuration.written(minHold), "", spec::build);
            }
        });
    }

    private boolean isTooShort(Duration lease) {
        return lease.compareTo(commandTimeout.multipliedBy(RENEWALS_PER_LEASE)) < 0;
    }

    /** A lease must be long enough for Redis to answer before it ends. */
    private void checkLease(String location, String member, Duration lease) {
        if (inRedis && isTooShort(lease)) {
            errors.add(MessageCode.RBH023, location, member + " is " + lease + ", shorter than three times " + COMMAND_TIMEOUT
                    + ", which is " + commandTimeout + ". A lease is renewed every third of it, so one slow reply "
                    + "could cost the permit. Make it at least " + commandTimeout.multipliedBy(RENEWALS_PER_LEASE)
                    + ", or reduce command-timeout");
        }
    }

    /** Puts one bulkhead together. */
    private final class BulkheadAssembler {

        private final String name;
        private final SemaphoreSpec.Builder spec;
        private final Set<String> configured;
        // Null when no value is known.
        private final BulkheadConfig own;
        // Members whose values are not known, or invalid.
        private final Set<String> doubtful = new HashSet<>();
        private OptionalInt permits = OptionalInt.empty();

        private BulkheadAssembler(String name) {
            this(name, SemaphoreSpec.named(name).onOutage(values.onOutage()).awaitRelease(values.awaitRelease()));
        }

        private BulkheadAssembler(String name, SemaphoreSpec.Builder spec) {
            this.name = name;
            this.spec = spec;
            this.configured = configuration.setFor(name);
            this.own = values.bulkheads().get(name);
        }

        /** For a definition in code. Empty when a value is not valid. */
        private Optional<EffectiveBulkhead> assemble(SemaphoreSpec code) {
            int before = errors.size();
            setConfigured();
            permits = OptionalInt.of(isConfigured("permits") ? own.permits().getAsInt() : code.permits());
            if (!configured.contains("local-permits") && code.localPermits() > permits.getAsInt()) {
                spec.localPermits(permits.getAsInt());
            }
            if (inRedis && isEnabled()) {
                if (isConfigured("expire")) {
                    EffectiveDefinitions.this.checkLease(written("expire"), "expire", own.expire().get());
                }
                checkLocalPermits();
            }
            return errors.size() == before && errors.check(MessageCode.RBH005, PropertyNames.of(name, "*"), "", spec::build)
                    ? Optional.of(new EffectiveBulkhead(spec.build(), isEnabled()))
                    : Optional.empty();
        }

        private void add() {
            int before = errors.size();
            spec.fair(definitions.fair(name)).weight(definitions.weight(name));
            Optional<Duration> lease = definitions.expire(name);
            if (lease.isPresent()) {
                spec.expire(lease.get());
            }
            Optional<Duration> wait = definitions.maxWait(name);
            if (wait.isPresent()) {
                spec.maxWait(wait.get());
            }
            setPermits();
            setConfigured();
            checkWeights();
            checkMinHold();
            checkOnFull();
            if (inRedis && isEnabled()) {
                checkLease();
                checkLocalLimit();
            }
            if (errors.size() == before && doubtful.isEmpty() && permits.isPresent()) {
                bulkheads.put(name, new EffectiveBulkhead(spec.build(), isEnabled()));
            }
        }

        private String property(String member) {
            return PropertyNames.of(name, member);
        }

        private String written(String member) {
            return configuration.written(property(member));
        }

        private boolean isSure(String member) {
            return !doubtful.contains(member);
        }

        /** Whether there is a valid value. */
        private boolean isConfigured(String member) {
            return configured.contains(member) && isSure(member);
        }

        private boolean isEnabled() {
            return values.enabled() && (!isConfigured("enabled") || own.enabled().get());
        }

        private void setPermits() {
            if (configured.contains("permits")) {
                set("permits");
            }
            if (isSure("permits")) {
                permits = isConfigured("permits") ? own.permits() : definitions.permits(name);
            }
            if (permits.isPresent()) {
                int limit = permits.getAsInt();
                spec.permits(limit).localPermits(Math.max(1, limit / Math.max(1, values.instances())));
            }
        }

        private void setConfigured() {
            for (String member : configured) {
                if (isSure(member)) {
                    set(member);
                }
            }
        }

        private void set(String member) {
            if (!configuration.isKnown(property(member))
                    || !errors.check(MessageCode.RBH005, written(member), "", () -> apply(member))) {
                doubtful.add(member);
            }
        }

        private void apply(String member) {
            switch (member) {
                case "permits" -> spec.permits(own.permits().getAsInt());
                case "weight" -> spec.weight(own.weight().getAsInt());
                case "fair" -> spec.fair(own.fair().get());
                case "expire" -> spec.expire(own.expire().get());
                case "max-wait" -> spec.maxWait(own.maxWait().get());
                case "max-hold" -> spec.maxHold(own.maxHold().get());
                case "min-hold" -> spec.minHold(own.minHold().get());
                case "on-lost" -> spec.onLost(own.onLost().get());
                case "on-outage" -> spec.onOutage(own.onOutage().get());
                case "await-release" -> spec.awaitRelease(own.awaitRelease().get());
                case "local-permits" -> spec.localPermits(own.localPermits().getAsInt());
                case "max-waiters" -> spec.maxWaiters(own.maxWaiters().getAsInt());
                case "rest.retry-after" -> RetryAfterText.parse(own.rest().retryAfter().get());
                case "enabled", "on-full" -> {
                    // Not part of a definition.
                }
                default -> throw new IllegalStateException("unknown property of a bulkhead: " + member);
            }
        }

        /** A call that weighs more than the limit would never get a permit. */
        private void checkWeights() {
            if (permits.isEmpty() || !isSure("weight")) {
                return;
            }
            if (isConfigured("weight")) {
                checkWeight(own.weight().getAsInt(), written("weight"), "");
                return;
            }
            for (Definition definition : definitions(name)) {
                if (definition.weight().isPresent()) {
                    checkWeight(definition.weight().getAsInt(), definition.location(), definition.annotation() + ": ");
                }
            }
        }

        private void checkWeight(int weight, String location, String context) {
            if (weight > permits.getAsInt()) {
                errors.add(MessageCode.RBH030, location, context
                        + "weight must not be more than the permits of the bulkhead, which are " + permits.getAsInt()
                        + ", but is " + weight
                        + ". No call would ever get a permit. Lower the weight, or raise the permits");
            }
        }

        /** A process that dies would free its permit before the end of a minimum hold that is longer than the lease. */
        private void checkMinHold() {
            if (!isConfigured("min-hold")) {
                return;
            }
            SemaphoreSpec.Builder times = SemaphoreSpec.named("any").permits(1).expire(SemaphoreSpec.MAX_EXPIRE)
                    .minHold(own.minHold().get());
            if (isSure("expire")) {
                own.expire().or(() -> definitions.expire(name)).ifPresent(times::expire);
            }
            if (isConfigured("max-hold")) {
                times.maxHold(own.maxHold().get());
            }
            errors.check(MessageCode.RBH031, written("min-hold"), "", times::build);
        }

        /** A call that is skipped has nothing to return. */
        private void checkOnFull() {
            if (!isConfigured("on-full") || own.onFull().get() != OnFull.SKIP) {
                return;
            }
            List<String> places = returning.entrySet().stream().filter(entry -> name.equals(resolved(entry.getKey())))
                    .flatMap(entry -> entry.getValue().stream()).distinct().sorted().toList();
            if (!places.isEmpty()) {
                errors.add(MessageCode.RBH033, written("on-full"), "skip is for methods that return void, Uni<Void> or"
                        + " CompletionStage<Void>, and not for Kotlin suspend functions. It cannot apply to "
                        + String.join(", ", places) + ". Use reject and a @Fallback, or a bulkhead of another name there");
            }
        }

        private void checkLease() {
            Optional<Duration> stated = definitions.expire(name);
            if (isConfigured("expire")) {
                EffectiveDefinitions.this.checkLease(written("expire"), "expire", own.expire().get());
            } else if (isSure("expire") && stated.isPresent() && isTooShort(stated.get())) {
                EffectiveDefinitions.this.checkLease(String.join(", ", definitions.locations(name)),
                        Texts.annotation(name) + ": expire", stated.get());
            }
        }

        /** What processes admit for themselves during an outage must not be more than the limit. */
        private void checkLocalLimit() {
            boolean byOwn = configured.contains("on-outage");
            int instances = values.instances();
            if (!isSure("on-outage") || (byOwn ? own.onOutage().get() : values.onOutage()) != OnOutage.LOCAL
                    || permits.isEmpty() || !isSure("local-permits") || !configuration.isKnown(INSTANCES) || instances < 1) {
                return;
            }
            int limit = permits.getAsInt();
            if (!configured.contains("local-permits") && limit < instances) {
                errors.add(MessageCode.RBH024, byOwn ? written("on-outage") : configuration.written(ON_OUTAGE),
                        "local gives each of " + instances + " instances (" + INSTANCES
                                + ") its share of the permits of bulkhead '" + name + "', which are only " + limit
                                + ". Each would keep one permit, together more than the limit. Set "
                                + property("local-permits")
                                + " if that is what you want, set fewer instances, or use reject");
            } else {
                checkLocalPermits();
            }
        }

        private void checkLocalPermits() {
            if (isConfigured("local-permits") && own.localPermits().getAsInt() > permits.getAsInt()) {
                errors.add(MessageCode.RBH024, written("local-permits"),
                        "localPermits must not be more than the permits of the bulkhead, which are " + permits.getAsInt()
                                + ", but is " + own.localPermits().getAsInt());
            }
        }
    }
}
