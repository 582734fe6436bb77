package io.quarkiverse.redisbulkhead.runtime.definition;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.EffectiveBulkhead;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.Value;
import io.quarkiverse.redisbulkhead.runtime.message.LogMessage;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;

/**
 * The bulkheads that code defines. Applies their configuration, and refuses definitions that contradict each other: with
 * two limits for one name, each call would go by its own. Thread-safe.
 */
public final class CodeDefinitions {

    private static final Logger LOG = Logger.getLogger(CodeDefinitions.class);

    /** How many names operators see while they are idle: those that were looked up last. */
    static final int MOST_LISTED = 100;

    // Names may be computed, so their number is unbounded. What is forgotten is not compared any more.
    private static final int MOST_NAMES = 1_000;

    /**
     * The first definition of one name.
     *
     * @param inForce what the configuration made of it
     * @param location says where it is
     * @param configured what is configured for it; null for locks
     * @param leasesDiffer whether the log says that another definition has another lease
     */
    private record First(EffectiveBulkhead inForce, String location, Map<String, Value> configured,
            AtomicBoolean leasesDiffer) {

        private Duration expire() {
            return inForce.spec().expire();
        }
    }

    private final EffectiveDefinitions definitions;
    // By the names of bulkheads; forgets the one that was not looked up for the longest time.
    private final Map<String, First> known = Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, First> eldest) {
            return size() > MOST_NAMES;
        }
    });

    /**
     * Knows no definition yet.
     *
     * @param definitions what annotations and configuration say
     */
    public CodeDefinitions(EffectiveDefinitions definitions) {
        this.definitions = definitions;
    }

    /**
     * Applies the configuration to a definition.
     *
     * @param spec the definition
     * @param caller names the code that defines it; called only if the name is new, or the definition is refused
     * @return what is in force
     * @throws IllegalArgumentException when a property of the extension has its name, or when it contradicts an annotation,
     *         or another definition in this process
     * @throws io.quarkus.runtime.configuration.ConfigurationException when its configuration is not valid
     */
    public EffectiveBulkhead define(SemaphoreSpec spec, Supplier<String> caller) {
        Supplier<String> location = () -> "in the SemaphoreSpec of " + caller.get();
        First first = known.computeIfAbsent(spec.name(), name -> first(spec, location));
        EffectiveBulkhead effective = definitions.inCode(spec, first.configured());
        if (!values(first.inForce()).equals(values(effective))) {
            throw new IllegalArgumentException(MessageCode.RBH035 + " Bulkhead '" + spec.name() + "' has different values: "
                    + values(first.inForce()) + " " + first.location() + "; " + values(effective) + " " + location.get()
                    + ". Use the same values" + (definitions.bulkheads().get(spec.name()) == null ? ""
                            : ", or get the bulkhead with semaphore(\"" + spec.name() + "\")")
                    + ". For another limit, use another name, or RedisSemaphore.resize. "
                    + MessageCode.RBH035.whereExplained());
        }
        compare("Bulkhead '" + spec.name() + "'", "expire", first, effective.spec().expire(), location);
        return effective;
    }

    // What all definitions of one name must agree on, once they are configured.
    private static String values(EffectiveBulkhead bulkhead) {
        return "permits=" + bulkhead.spec().permits() + ", fair=" + bulkhead.spec().fair();
    }

    /**
     * Compares a definition of a lock with the first one of that name.
     *
     * @param spec the definition
     * @param caller names the code that defines it
     */
    public void define(LockSpec spec, Supplier<String> caller) {
        Supplier<String> location = () -> "in the LockSpec of " + caller.get();
        First first = known.computeIfAbsent(spec.bulkhead().name(),
                name -> new First(new EffectiveBulkhead(spec.bulkhead(), true), location.get(), null, new AtomicBoolean()));
        compare("Lock '" + spec.name() + "'", "lockTimeout", first, spec.lockTimeout(), location);
    }

    // An instance has one lease per bulkhead, so that the share of a short one lives as long as that of a long one.
    private static void compare(String what, String setting, First first, Duration expire, Supplier<String> location) {
        if (!first.expire().equals(expire) && !first.leasesDiffer().getAndSet(true)) {
            LOG.warnf("%s has different leases: %s=%s %s; %s=%s %s. The longest one in use applies to all its permits in this"
                    + " instance, so those of a crashed instance are free later than the shortest one promises. Use the same"
                    + " value. %s",
                    what, setting, first.expire(), first.location(), setting, expire, location.get(),
                    LogMessage.LEASES_DIFFER);
        }
    }

    /**
     * The names that code alone has defined.
     *
     * @return those of the last {@value #MOST_LISTED} that were looked up, without locks
     */
    public List<String> listed() {
        synchronized (known) {
            List<String> names = known.entrySet().stream().filter(one -> one.getValue().configured() != null)
                    .map(Map.Entry::getKey).filter(name -> !definitions.bulkheads().containsKey(name)).toList();
            return names.subList(Math.max(0, names.size() - MOST_LISTED), names.size());
        }
    }

    /**
     * What is in force under one name.
     *
     * @param name any bulkhead
     * @return empty for locks, and for names that are not defined in code, or not remembered
     */
    public Optional<EffectiveBulkhead> inForce(String name) {
        return Optional.ofNullable(known.get(name)).filter(first -> first.configured() != null)
                .map(First::inForce);
    }

    /**
     * The lease of a bulkhead or of a lock.
     *
     * @param name any bulkhead, that behind a lock included
     * @return the default for one that is not known here
     */
    public Duration lease(String name) {
        First first = known.get(name);
        return first == null ? definitions.lease(name) : first.expire();
    }

    private First first(SemaphoreSpec spec, Supplier<String> location) {
        String name = spec.name();
        if (KnownProperties.isReserved(name)) {
            throw new IllegalArgumentException(MessageCode.RBH008 + " Bulkhead '" + name + "' " + location.get()
                    + Texts.reserved(name) + ". " + MessageCode.RBH008.whereExplained());
        }
        Map<String, Value> configured = definitions.configured(name);
        EffectiveBulkhead declared = definitions.bulkheads().get(name);
        return new First(declared == null ? definitions.inCode(spec, configured) : declared, declared == null ? location.get()
                : "in the annotation of " + String.join(", ", definitions.annotations().locations(name)), configured,
                new AtomicBoolean());
    }
}
