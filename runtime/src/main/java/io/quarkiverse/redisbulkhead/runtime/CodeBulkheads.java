package io.quarkiverse.redisbulkhead.runtime;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.EffectiveBulkhead;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.Value;
import io.quarkiverse.redisbulkhead.runtime.message.LogMessage;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;

/**
 * The bulkheads that code defines. Applies their configuration, and refuses definitions that contradict each other: with two
 * limits for one name, each call would go by its own. Thread-safe.
 */
final class CodeBulkheads {

    private static final Logger LOG = Logger.getLogger(CodeBulkheads.class);

    /** How many names operators see while they are idle. Names that are not computed are usually among the first. */
    static final int MOST_LISTED = 100;

    // Names may be computed, so their number is unbounded. What is forgotten is not compared any more.
    private static final int MOST_OTHERS = 1_000;

    /**
     * What holds for one name.
     *
     * @param permits what the first definition states; null when an annotation leaves that to the configuration
     * @param fair what the first definition states
     * @param location says which definition that is
     * @param inForce what the configuration made of it
     * @param configured applies the configuration; null for locks
     * @param leasesDiffer whether the log says that another definition has another lease
     */
    private record First(Integer permits, boolean fair, String location, SemaphoreSpec inForce,
            Function<SemaphoreSpec, EffectiveBulkhead> configured, AtomicBoolean leasesDiffer) {

        private String values() {
            return (permits == null ? "" : "permits=" + permits + ", ") + "fair=" + fair + " " + location;
        }
    }

    private final EffectiveDefinitions definitions;

    // Both by the names of bulkheads, and guarded by this. No name is in both.
    private final Map<String, First> listed = new HashMap<>();
    // Forgets the one that was not looked up for the longest time.
    private final Map<String, First> others = new LinkedHashMap<>(16, 0.75f, true) {

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, First> eldest) {
            return size() > MOST_OTHERS;
        }
    };

    /**
     * @param definitions what annotations and configuration say
     */
    CodeBulkheads(EffectiveDefinitions definitions) {
        this.definitions = definitions;
    }

    /**
     * Applies the configuration to a definition.
     *
     * @param spec the definition
     * @param caller names the code that defines it; called only if the name is new, or the definition is refused
     * @return what is in force
     * @throws IllegalArgumentException when a property of the extension has its name, or when it contradicts an annotation, or
     *         another definition in this process
     * @throws io.quarkus.runtime.configuration.ConfigurationException when its configuration is not valid
     */
    EffectiveBulkhead define(SemaphoreSpec spec, Supplier<String> caller) {
        Supplier<String> location = () -> "in the SemaphoreSpec of " + caller.get();
        First first = first(spec, location);
        EffectiveBulkhead effective = first.configured().apply(spec);
        boolean samePermits = first.permits() == null || first.permits() == spec.permits()
                || first.inForce().permits() == spec.permits();
        boolean sameOrder = first.fair() == spec.fair() || first.inForce().fair() == spec.fair();
        if (!samePermits || !sameOrder) {
            throw new IllegalArgumentException(MessageCode.RBH035 + " Bulkhead '" + spec.name() + "' has different values: "
                    + first.values() + "; permits=" + spec.permits() + ", fair=" + spec.fair() + " " + location.get()
                    + ". Use the same values" + (declared(spec.name()) == null ? ""
                            : ", or get the bulkhead with semaphore(\"" + spec.name() + "\")")
                    + ". For another limit, use another name, or RedisSemaphore.resize. "
                    + MessageCode.RBH035.whereExplained());
        }
        compare("Bulkhead '" + spec.name() + "'", "expire", first, effective.spec().expire(), location);
        return effective;
    }

    /**
     * Compares a definition of a lock with the first one of that name.
     *
     * @param spec the definition
     * @param caller names the code that defines it
     */
    void define(LockSpec spec, Supplier<String> caller) {
        Supplier<String> location = () -> "in the LockSpec of " + caller.get();
        First first;
        synchronized (this) {
            first = others.computeIfAbsent(spec.bulkhead().name(),
                    missing -> first(spec.bulkhead(), location.get(), null, spec.bulkhead()));
        }
        compare("Lock '" + spec.name() + "'", "lockTimeout", first, spec.lockTimeout(), location);
    }

    // An instance has one lease per bulkhead, so that the share of a short one lives as long as that of a long one.
    private static void compare(String what, String setting, First first, Duration expire, Supplier<String> location) {
        if (!first.inForce().expire().equals(expire) && !first.leasesDiffer().getAndSet(true)) {
            LOG.warnf("%s has different leases: %s=%s %s; %s=%s %s. The longest one in use applies to all its permits in this "
                    + "instance, so those of a crashed instance are free later than the shortest one promises. Use the same value. "
                    + "%s", what, setting, first.inForce().expire(), first.location(), setting, expire, location.get(),
                    LogMessage.LEASES_DIFFER);
        }
    }

    /** The names that code alone has defined, up to {@value #MOST_LISTED}: the first ones. */
    synchronized List<String> listed() {
        return List.copyOf(listed.keySet());
    }

    private First known(String name) {
        First first = listed.get(name);
        return first == null ? others.get(name) : first;
    }

    /** What is in force under one name; empty for locks, and for names that are not defined in code, or not remembered. */
    synchronized Optional<EffectiveBulkhead> inForce(String name) {
        return Optional.ofNullable(known(name)).filter(first -> first.configured() != null)
                .map(first -> first.configured().apply(first.inForce()));
    }

    /** The lease of a bulkhead that code has defined, that behind a lock included; empty for other names. */
    synchronized Optional<Duration> lease(String name) {
        return Optional.ofNullable(known(name)).map(first -> first.inForce().expire());
    }

    private synchronized First first(SemaphoreSpec spec, Supplier<String> location) {
        First first = known(spec.name());
        if (first == null) {
            if (definitions.isReserved(spec.name())) {
                throw new IllegalArgumentException(MessageCode.RBH008 + " Bulkhead '" + spec.name() + "' " + location.get()
                        + Texts.reserved(spec.name()) + ". " + MessageCode.RBH008.whereExplained());
            }
            boolean byCodeAlone = declared(spec.name()) == null;
            Function<SemaphoreSpec, EffectiveBulkhead> configured = definitions.ofCode(spec.name());
            first = byCodeAlone ? first(spec, location.get(), configured, configured.apply(spec).spec())
                    : ofAnnotation(spec.name(), configured);
            (byCodeAlone && listed.size() < MOST_LISTED ? listed : others).put(spec.name(), first);
        }
        return first;
    }

    private static First first(SemaphoreSpec spec, String location, Function<SemaphoreSpec, EffectiveBulkhead> configured,
            SemaphoreSpec inForce) {
        return new First(spec.permits(), spec.fair(), location, inForce, configured, new AtomicBoolean());
    }

    private First ofAnnotation(String name, Function<SemaphoreSpec, EffectiveBulkhead> configured) {
        Map<String, Value> stated = definitions.annotations().stated(name);
        return new First(Value.of(stated, "permits", null), Value.of(stated, "fair", false), "in the annotation of "
                + String.join(", ", definitions.annotations().locations(name)), declared(name).spec(), configured,
                new AtomicBoolean());
    }

    /** Null when no annotation declares the name. */
    private EffectiveBulkhead declared(String name) {
        return definitions.bulkheads().get(name);
    }
}
