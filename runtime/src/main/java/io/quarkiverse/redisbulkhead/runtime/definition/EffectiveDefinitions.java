package io.quarkiverse.redisbulkhead.runtime.definition;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.eclipse.microprofile.config.Config;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig.OnFull;
import io.quarkiverse.redisbulkhead.runtime.definition.AnnotationDefinitions.Definition;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadUse;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.KeyOrigin;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.MethodDeclaration;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;

/**
 * What annotations and configuration define together; configuration wins. Everything is checked here. The build makes one of
 * what it knows, for the mistakes; the start of the application makes one of the final configuration, and uses it. Thread-safe.
 */
public final class EffectiveDefinitions {

    /**
     * One bulkhead.
     *
     * @param spec its definition
     * @param enabled whether it limits anything
     * @param keyed whether it has one limit for each key; not known of those that code defines
     * @param weights the methods that it guards, as {@code Class#method}, in alphabetical order, and how much of the limit a
     *        call of each takes; {@link #OF_THE_CALL} where each call states its weight
     */
    public record EffectiveBulkhead(SemaphoreSpec spec, boolean enabled, boolean keyed, SortedMap<String, Integer> weights) {

        /** In place of a weight ({@link io.quarkiverse.redisbulkhead.BulkheadWeight}). */
        public static final int OF_THE_CALL = 0;

        /**
         * One that code defines.
         *
         * @param spec its definition
         * @param enabled whether it limits anything
         */
        public EffectiveBulkhead(SemaphoreSpec spec, boolean enabled) {
            this(spec, enabled, false, new TreeMap<>());
        }
    }

    /**
     * One value that is stated.
     *
     * @param where the class or method with the annotation, or the property as it is written; empty for a default
     * @param value null if it is not known yet, or not valid
     */
    public record Value(String where, Object value) {

        /**
         * What states it.
         *
         * @return whether it is a property
         */
        public boolean isConfigured() {
            return where.startsWith(Texts.PREFIX);
        }

        /**
         * One value of a definition.
         *
         * @param <T> its type
         * @param values by member
         * @param member as in the configuration
         * @param byDefault stands for a value that is not stated, not known or not valid
         * @return the value
         */
        @SuppressWarnings("unchecked")
        public static <T> T of(Map<String, Value> values, String member, T byDefault) {
            Value value = values.get(member);
            return value == null || value.value() == null ? byDefault : (T) value.value();
        }

        static boolean isKnown(Map<String, Value> values, String member) {
            return !values.containsKey(member) || values.get(member).value() != null;
        }
    }

    static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

    static final String LOCK_TIMEOUT = "lock.lock-timeout";

    private static final List<String> COMMON = List.of("on-outage", "await-release", "rest.retry-after", "warn-after",
            "enabled");

    private static final String COMMAND_TIMEOUT = "command-timeout";
    private static final String STEP_TIMEOUT = "lock-store.step-timeout";
    private static final String CONTENTION_TIMEOUT = "lock-store.contention-timeout";
    private static final int RENEWALS_PER_LEASE = 3;

    private final Config config;
    private final boolean inRedis;
    private final AnnotationDefinitions annotations;
    private final Map<String, Value> forAll;
    private final SortedMap<String, EffectiveBulkhead> bulkheads = new TreeMap<>();
    private final SortedSet<String> rejectingInsteadOfLocal = new TreeSet<>();
    // The places by bulkhead: of its calls with a key, and of methods that return something.
    private final Map<String, SortedSet<String>> keyed = new TreeMap<>();
    private final Map<String, SortedSet<String>> returning = new TreeMap<>();
    // By bulkhead, that behind a lock included, and by member.
    private final Map<String, Map<String, Value>> values = new ConcurrentHashMap<>();

    /**
     * Reads and checks everything.
     *
     * @param declarations what the build found
     * @param config the configuration of the application
     * @param inRedis whether permits live in Redis
     * @param atBuild whether expressions may have no value yet
     * @param errors takes the mistakes; the definitions must not be used if it gets any
     */
    public EffectiveDefinitions(Declarations declarations, Config config, boolean inRedis, boolean atBuild,
            ValidationErrors errors) {
        this.config = config;
        this.inRedis = inRedis;
        this.annotations = new AnnotationDefinitions(declarations, config, atBuild, errors);
        Configuration configuration = new Configuration(config, atBuild, errors);
        this.forAll = configuration.forAll();
        NameChecks names = new NameChecks(annotations, declarations, atBuild, errors);
        names.check(config);
        names.checkListed(Texts.PREFIX + KnownProperties.LIST, Value.of(forAll, KnownProperties.LIST, null));
        checkForAll(errors);
        readMethods(declarations.methods(), errors);
        for (String name : annotations.names()) {
            define(name, configuration.ofBulkhead(name), names, atBuild, errors);
        }
        for (String name : names.perhapsInCode()) {
            values.put(name, configuration.ofBulkhead(name));
        }
        for (Map.Entry<String, Map<String, Value>> lock : configuration.ofLocks().entrySet()) {
            String name = lock.getKey();
            values.put(LockSpec.BULKHEAD_PREFIX + name, lock.getValue());
            checkLease(lock.getValue().get("lock-timeout"), "lock-timeout", errors);
            built(() -> lock(name), lock.getValue(), "", Texts.propertyOfLock(name, "*"), errors);
        }
        for (MethodDeclaration method : declarations.methods()) {
            for (BulkheadUse use : method.bulkheads()) {
                String name = nameOf(use);
                if (name != null && bulkheads.containsKey(name)) {
                    bulkheads.get(name).weights().put(method.label(), use.weightParameter() != BulkheadUse.NO_PARAMETER
                            ? EffectiveBulkhead.OF_THE_CALL
                            : Value.of(inForce(use), "weight", 1));
                }
            }
        }
    }

    private void define(String name, Map<String, Value> configured, NameChecks names, boolean atBuild,
            ValidationErrors errors) {
        Map<String, Value> own = annotations.stated(name);
        for (String member : COMMON) {
            if (forAll.containsKey(member)) {
                own.put(member, forAll.get(member));
            }
        }
        own.putAll(configured);
        values.put(name, own);
        if (!configured.containsKey("on-outage") && isTooSmallForLocal(own)) {
            own.put("on-outage", new Value(forAll.get("instances").where(), OnOutage.REJECT));
            if (isEnabled(own)) {
                rejectingInsteadOfLocal.add(name);
            }
        }
        int before = errors.size();
        // An expression may become a name whose permits are configured.
        if (!own.containsKey("permits") && !(atBuild && annotations.isByExpression(name))) {
            errors.add(MessageCode.RBH006, String.join(", ", annotations.locations(name)), Texts.annotation(name)
                    + ": permits is not set. Set it in the annotation, or set " + Texts.property(name, "permits")
                    + (names.isInCode(name) ? ". The permits of a SemaphoreSpec in code are known too late, when calls may"
                            + " have come already. Code gets this bulkhead with semaphore(\"" + name + "\")" : ""));
        }
        SemaphoreSpec.Builder known = known(name, own);
        check(name, own, known, errors);
        if (errors.size() == before) {
            bulkheads.put(name, new EffectiveBulkhead(known.weight(Value.of(own, "weight", 1)).build(), isEnabled(own),
                    keyed.containsKey(name), new TreeMap<>()));
        }
    }

    /** What is not known yet gets values that fit all others. */
    private SemaphoreSpec.Builder known(String name, Map<String, Value> own) {
        int permits = Value.of(own, "permits", Integer.MAX_VALUE);
        SemaphoreSpec.Builder spec = SemaphoreSpec.named(name).permits(permits)
                .keepIdleOfSeveral(Value.of(forAll, "keep-idle", Duration.ofSeconds(1)))
                .localPermits(Math.max(1, permits / Value.of(forAll, "instances", 1)));
        if (!Value.isKnown(own, "expire")) {
            spec.expire(SemaphoreSpec.MAX_EXPIRE);
        }
        KnownProperties.set(spec, own);
        return spec;
    }

    // ---- Checks of values together. One that needs a value that is not known, or not valid, is left out

    private void checkForAll(ValidationErrors errors) {
        Duration step = Value.of(forAll, STEP_TIMEOUT, Duration.ofSeconds(1));
        Duration contention = Value.of(forAll, CONTENTION_TIMEOUT, Duration.ofSeconds(3));
        if (contention.compareTo(step) <= 0 && Value.isKnown(forAll, STEP_TIMEOUT)
                && Value.isKnown(forAll, CONTENTION_TIMEOUT)) {
            errors.add(MessageCode.RBH005, Texts.PREFIX + CONTENTION_TIMEOUT, "contentionTimeout must be longer than "
                    + Texts.PREFIX + STEP_TIMEOUT + ", which is " + step + ", but is " + contention);
        }
        Value lease = forAll.get(LOCK_TIMEOUT);
        // Applications without locks have the default, too, so it must not fail.
        if (lease != null && !DEFAULT_LEASE.equals(lease.value())) {
            checkLease(new Value(Texts.PREFIX + LOCK_TIMEOUT, lease.value()), "lock-timeout", errors);
        }
    }

    private void check(String name, Map<String, Value> own, SemaphoreSpec.Builder spec, ValidationErrors errors) {
        for (Definition place : annotations.of(name)) {
            Map<String, Value> ofPlace = new TreeMap<>(place.values());
            ofPlace.putAll(own);
            built(spec.weight(Value.of(ofPlace, "weight", 1))::build, ofPlace, place.annotation(), "", errors);
        }
        if (inRedis && isEnabled(own)) {
            Value lease = own.getOrDefault("expire", new Value(String.join(", ", annotations.locations(name)), DEFAULT_LEASE));
            checkLease(lease, lease.isConfigured() ? "expire" : Texts.annotation(name) + ": expire", errors);
            int permits = Value.of(own, "permits", Integer.MAX_VALUE);
            if (isTooSmallForLocal(own)) {
                errors.add(MessageCode.RBH024, own.get("on-outage").where(), "local gives each of "
                        + Value.of(forAll, "instances", 1) + " instances (" + Texts.PREFIX
                        + "instances) its share of the permits of bulkhead '" + name + "', which are only " + permits
                        + ". With one permit each, they would exceed the limit. Set " + Texts.property(name, "local-permits")
                        + " if that is what you want, set fewer instances, or use reject");
            } else if (isLocal(own)) {
                checkLocalLimit(own, permits, errors);
            }
        }
        // A call that is skipped has nothing to return.
        if (Value.of(own, "on-full", OnFull.REJECT) == OnFull.SKIP && returning.containsKey(name)) {
            errors.add(MessageCode.RBH033, own.get("on-full").where(), "skip is for methods that return void, Uni<Void> or"
                    + " CompletionStage<Void>, and not for Kotlin suspend functions. It cannot apply to "
                    + String.join(", ", returning.get(name))
                    + ". Use reject and a @Fallback, or a bulkhead of another name there");
        }
    }

    /**
     * Builds a definition, which compares its values with each other.
     *
     * @param <T> its type
     * @param definition builds it, or refuses
     * @param values what it is made of
     * @param context names an annotation that states a wrong value
     * @param all the properties that may be wrong, when no single one is
     * @return null when it was refused
     */
    private static <T> T built(Supplier<T> definition, Map<String, Value> values, String context, String all,
            ValidationErrors errors) {
        try {
            return definition.get();
        } catch (IllegalArgumentException e) {
            boolean byMinHold = e.getMessage().startsWith("minHold");
            Value wrong = values.get(byMinHold ? "min-hold" : "weight");
            if (wrong == null) {
                errors.add(MessageCode.RBH005, all, e.getMessage());
            } else {
                errors.add(byMinHold ? MessageCode.RBH031 : MessageCode.RBH030, wrong.where(),
                        (wrong.isConfigured() ? "" : context) + e.getMessage());
            }
            return null;
        }
    }

    /** A lease must be long enough for Redis to answer before it ends. */
    private void checkLease(Value lease, String member, ValidationErrors errors) {
        Duration timeout = Value.of(forAll, COMMAND_TIMEOUT, Duration.ofSeconds(1));
        Duration least = timeout.multipliedBy(RENEWALS_PER_LEASE);
        if (inRedis && lease != null && lease.value() instanceof Duration length && Value.isKnown(forAll, COMMAND_TIMEOUT)
                && length.compareTo(least) < 0) {
            errors.add(MessageCode.RBH023, lease.where(), member + " is " + length + ", shorter than three times "
                    + Texts.PREFIX + COMMAND_TIMEOUT + ", which is " + timeout
                    + ". A lease is renewed after a third of its length, so one slow reply could lose the permit. Make it at least "
                    + least + ", or reduce command-timeout");
        }
    }

    private boolean isEnabled(Map<String, Value> own) {
        return Value.of(forAll, "enabled", true) && Value.of(own, "enabled", true);
    }

    private static boolean isLocal(Map<String, Value> own) {
        return Value.of(own, "on-outage", OnOutage.REJECT) == OnOutage.LOCAL;
    }

    /** Whether the part of one instance would be less than a permit. */
    private boolean isTooSmallForLocal(Map<String, Value> own) {
        return isLocal(own) && !own.containsKey("local-permits")
                && Value.of(own, "permits", Integer.MAX_VALUE) < Value.of(forAll, "instances", 1);
    }

    /** What an instance admits for itself during an outage must not be more than the limit. */
    private static void checkLocalLimit(Map<String, Value> own, int permits, ValidationErrors errors) {
        int local = Value.of(own, "local-permits", permits);
        if (local > permits) {
            errors.add(MessageCode.RBH024, own.get("local-permits").where(), "localPermits must not be more than the permits"
                    + " of the bulkhead, which are " + permits + ", but is " + local);
        }
    }

    /** Finds which bulkheads have one limit for each key, and what guards methods that return something. */
    private void readMethods(List<MethodDeclaration> methods, ValidationErrors errors) {
        Map<String, SortedSet<String>> unkeyed = new TreeMap<>();
        for (MethodDeclaration method : methods) {
            for (BulkheadUse use : method.bulkheads()) {
                String name = annotations.at(use.annotation()).shownName();
                if (use.key() != null) {
                    String key = use.key() instanceof KeyOrigin.Parameter parameter ? " (parameter '" + parameter.name() + "')"
                            : use.key() instanceof KeyOrigin.Resolver by ? " (keyResolver = " + by.type() + ".class)" : "";
                    add(method.place() + key, name, key.isEmpty() ? unkeyed : keyed);
                }
                if (method.returnsValue()) {
                    add(method.place(), name, returning);
                }
            }
        }
        for (String name : keyed.keySet()) {
            if (unkeyed.containsKey(name)) {
                errors.add(MessageCode.RBH020, Texts.annotation(name), "has a key at " + String.join(", ", keyed.get(name))
                        + ", but not at " + String.join(", ", unkeyed.get(name))
                        + ". Provide a key everywhere, with @BulkheadKey or a keyResolver, or use different names");
            }
        }
    }

    private static void add(String place, String name, Map<String, SortedSet<String>> to) {
        SortedSet<String> places = to.getOrDefault(name, new TreeSet<>());
        places.add(place);
        to.put(name, places);
    }

    // ---- What is in force

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
     * @return by name, in alphabetical order, without those that are wrong; in the build, what is not known yet has values that
     *         fit all others
     */
    public Map<String, EffectiveBulkhead> bulkheads() {
        return Collections.unmodifiableMap(bulkheads);
    }

    /**
     * The bulkhead of a method.
     *
     * @param use one of those of the method
     * @return null when an expression in its name is not known yet, or not valid
     */
    public String nameOf(BulkheadUse use) {
        return annotations.at(use.annotation()).name();
    }

    /**
     * What holds for the calls of one method.
     *
     * @param use one of the bulkheads of the method, which is known
     * @return what its annotation states, and what the configuration and other annotations of the bulkhead state
     */
    public Map<String, Value> inForce(BulkheadUse use) {
        Map<String, Value> values = new TreeMap<>(annotations.at(use.annotation()).values());
        values.putAll(values(nameOf(use)));
        return values;
    }

    /**
     * The enabled bulkheads that reject calls in an outage, although the policy for all bulkheads is {@code local}, because
     * they have fewer permits than there are instances.
     *
     * @return in alphabetical order
     */
    public SortedSet<String> rejectingInsteadOfLocal() {
        return Collections.unmodifiableSortedSet(rejectingInsteadOfLocal);
    }

    /**
     * What is stated for all bulkheads and locks.
     *
     * @return by property without prefix
     */
    public Map<String, Value> forAll() {
        return Collections.unmodifiableMap(forAll);
    }

    /**
     * What annotations and configuration state for a bulkhead.
     *
     * @param name any bulkhead, declared or not, that behind a lock included
     * @return by member as in the configuration, such as {@code max-wait}; without defaults
     */
    public Map<String, Value> values(String name) {
        return values.getOrDefault(name, Map.of());
    }

    /**
     * What is configured for a bulkhead that code defines.
     *
     * @throws io.quarkus.runtime.configuration.ConfigurationException when a value is not valid
     */
    Map<String, Value> configured(String name) {
        ValidationErrors unreadable = new ValidationErrors();
        Map<String, Value> own = new Configuration(config, false, unreadable).ofBulkhead(name);
        unreadable.throwIfAny();
        if (!own.isEmpty()) {
            // Names may be computed, so only what is configured is remembered.
            values.putIfAbsent(name, own);
        }
        return own;
    }

    /**
     * Applies what is configured to a definition in code. It wins, as it does over an annotation.
     *
     * @throws io.quarkus.runtime.configuration.ConfigurationException when the result is not valid
     */
    EffectiveBulkhead inCode(SemaphoreSpec definition, Map<String, Value> own) {
        if (own.isEmpty()) {
            return new EffectiveBulkhead(definition, isEnabled(own));
        }
        SemaphoreSpec.Builder spec = definition.toBuilder();
        int permits = Value.of(own, "permits", definition.permits());
        if (definition.localPermits() > permits) {
            spec.localPermits(permits);
        }
        KnownProperties.set(spec, own);
        ValidationErrors errors = new ValidationErrors();
        if (inRedis && isEnabled(own)) {
            checkLease(own.get("expire"), "expire", errors);
            checkLocalLimit(own, permits, errors);
        }
        SemaphoreSpec inForce = built(spec::build, own, "", Texts.property(definition.name(), "*"), errors);
        errors.throwIfAny();
        return new EffectiveBulkhead(inForce, isEnabled(own));
    }

    /**
     * One lock.
     *
     * @param name any name
     * @return its definition
     * @throws IllegalArgumentException when the name is not valid
     */
    public LockSpec lock(String name) {
        LockSpec.Builder spec = LockSpec.named(name).awaitRelease(Value.of(forAll, "await-release", false))
                .acquireTimeout(Value.of(forAll, "lock.acquire-timeout", Duration.ofSeconds(10)));
        String bulkhead = LockSpec.BULKHEAD_PREFIX + name;
        KnownProperties.set(spec, values(bulkhead));
        return spec.lockTimeout(lease(bulkhead)).build();
    }

    /** The lease of a bulkhead or of a lock that code does not define. */
    Duration lease(String name) {
        if (!name.startsWith(LockSpec.BULKHEAD_PREFIX)) {
            return Value.of(values(name), "expire", DEFAULT_LEASE);
        }
        Value own = values(name).getOrDefault("lock-timeout", forAll.get(LOCK_TIMEOUT));
        // Unknown in the build only, where no check may depend on it.
        return own == null ? DEFAULT_LEASE : own.value() == null ? SemaphoreSpec.MAX_EXPIRE : (Duration) own.value();
    }

    /**
     * What is stated for a bulkhead, or for all, and is not part of a definition: {@code on-full} (empty: that depends on who
     * calls), {@code rest.retry-after} (zero: no header; empty: an estimate) and {@code warn-after} (empty: the default).
     *
     * @param <T> the type of the value
     * @param name any bulkhead, declared or not, that behind a lock included
     * @param member as in the configuration
     * @return empty when nothing states it
     */
    public <T> Optional<T> stated(String name, String member) {
        return Optional.ofNullable(Value.of(values(name), member, Value.<T> of(forAll, member, null)));
    }
}
