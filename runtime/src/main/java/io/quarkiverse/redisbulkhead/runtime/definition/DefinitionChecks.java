package io.quarkiverse.redisbulkhead.runtime.definition;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.config.OnFull;
import io.quarkiverse.redisbulkhead.runtime.definition.AnnotationDefinitions.Definition;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.Value;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;

/**
 * Checks values together. A check that needs a value that is not known, or not valid, is left out.
 *
 * @param forAll the values for all bulkheads and locks
 * @param inRedis whether permits live in Redis
 * @param errors takes the mistakes
 */
record DefinitionChecks(Map<String, Value> forAll, boolean inRedis, ValidationErrors errors) {

    private static final String COMMAND_TIMEOUT = "command-timeout";
    private static final String STEP_TIMEOUT = "lock-store.step-timeout";
    private static final String CONTENTION_TIMEOUT = "lock-store.contention-timeout";
    private static final int RENEWALS_PER_LEASE = 3;

    void checkForAll() {
        Duration step = Value.of(forAll, STEP_TIMEOUT, Duration.ofSeconds(1));
        Duration contention = Value.of(forAll, CONTENTION_TIMEOUT, Duration.ofSeconds(3));
        if (contention.compareTo(step) <= 0 && Value.isKnown(forAll, STEP_TIMEOUT)
                && Value.isKnown(forAll, CONTENTION_TIMEOUT)) {
            errors.add(MessageCode.RBH005, PropertyNames.PREFIX + CONTENTION_TIMEOUT, "contentionTimeout must be longer than "
                    + PropertyNames.PREFIX + STEP_TIMEOUT + ", which is " + step + ", but is " + contention);
        }
        Value lease = forAll.get(EffectiveDefinitions.LOCK_TIMEOUT);
        // Applications without locks have the default, too, so it must not fail.
        if (lease != null && !EffectiveDefinitions.DEFAULT_LEASE.equals(lease.value())) {
            checkLease(new Value(PropertyNames.PREFIX + EffectiveDefinitions.LOCK_TIMEOUT, lease.value()), "lock-timeout");
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
    <T> T built(Supplier<T> definition, Map<String, Value> values, String context, String all) {
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

    /**
     * Checks a bulkhead that annotations declare.
     *
     * @param name the bulkhead
     * @param values what annotations and configuration say
     * @param spec has the values that are known
     * @param annotations know its places
     */
    void checkDeclared(String name, Map<String, Value> values, SemaphoreSpec.Builder spec, AnnotationDefinitions annotations) {
        for (Definition place : annotations.of(name)) {
            Map<String, Value> ofPlace = new TreeMap<>(place.values());
            ofPlace.putAll(values);
            built(spec.weight(Value.of(ofPlace, "weight", 1))::build, ofPlace, place.annotation(), "");
        }
        if (inRedis && isEnabled(values)) {
            Value lease = values.getOrDefault("expire", new Value(String.join(", ", annotations.locations(name)),
                    EffectiveDefinitions.DEFAULT_LEASE));
            checkLease(lease, lease.isConfigured() ? "expire" : Texts.annotation(name) + ": expire");
            checkLocalPermits(name, values);
        }
    }

    /**
     * Checks the configuration of a bulkhead that code defines.
     *
     * @param values what is configured for it
     * @param permits its limit
     */
    void checkInCode(Map<String, Value> values, int permits) {
        if (inRedis && isEnabled(values)) {
            if (values.containsKey("expire")) {
                checkLease(values.get("expire"), "expire");
            }
            checkLocalLimit(values, permits);
        }
    }

    boolean isEnabled(Map<String, Value> values) {
        return Value.of(forAll, "enabled", true) && Value.of(values, "enabled", true);
    }

    /** A call that is skipped has nothing to return. */
    void checkOnFull(Map<String, Value> values, Set<String> returning) {
        if (!returning.isEmpty() && Value.of(values, "on-full", OnFull.REJECT) == OnFull.SKIP) {
            errors.add(MessageCode.RBH033, values.get("on-full").where(), "skip is for methods that return void, Uni<Void> or"
                    + " CompletionStage<Void>, and not for Kotlin suspend functions. It cannot apply to "
                    + String.join(", ", returning) + ". Use reject and a @Fallback, or a bulkhead of another name there");
        }
    }

    /** A lease must be long enough for Redis to answer before it ends. */
    void checkLease(Value lease, String member) {
        Duration timeout = Value.of(forAll, COMMAND_TIMEOUT, Duration.ofSeconds(1));
        Duration least = timeout.multipliedBy(RENEWALS_PER_LEASE);
        if (inRedis && lease.value() instanceof Duration length && Value.isKnown(forAll, COMMAND_TIMEOUT)
                && length.compareTo(least) < 0) {
            errors.add(MessageCode.RBH023, lease.where(), member + " is " + length + ", shorter than three times "
                    + PropertyNames.PREFIX + COMMAND_TIMEOUT + ", which is " + timeout
                    + ". A lease is renewed after a third of its length, so one slow reply could lose the permit. Make it at least "
                    + least + ", or reduce command-timeout");
        }
    }

    /** What instances admit for themselves during an outage must not be more than the limit. */
    private void checkLocalPermits(String name, Map<String, Value> values) {
        int permits = Value.of(values, "permits", Integer.MAX_VALUE);
        if (isTooSmallForLocal(values)) {
            errors.add(MessageCode.RBH024, values.get("on-outage").where(), "local gives each of "
                    + Value.of(forAll, "instances", 1) + " instances (" + PropertyNames.PREFIX
                    + "instances) its share of the permits of bulkhead '" + name + "', which are only " + permits
                    + ". With one permit each, they would exceed the limit. Set " + PropertyNames.of(name, "local-permits")
                    + " if that is what you want, set fewer instances, or use reject");
        } else if (isLocal(values)) {
            checkLocalLimit(values, permits);
        }
    }

    private static boolean isLocal(Map<String, Value> values) {
        return Value.of(values, "on-outage", OnOutage.REJECT) == OnOutage.LOCAL;
    }

    /** Whether the part of one instance would be less than a permit. */
    boolean isTooSmallForLocal(Map<String, Value> values) {
        return isLocal(values) && !values.containsKey("local-permits")
                && Value.of(values, "permits", Integer.MAX_VALUE) < Value.of(forAll, "instances", 1);
    }

    private void checkLocalLimit(Map<String, Value> values, int permits) {
        int local = Value.of(values, "local-permits", permits);
        if (local > permits) {
            errors.add(MessageCode.RBH024, values.get("local-permits").where(), "localPermits must not be more than the permits"
                    + " of the bulkhead, which are " + permits + ", but is " + local);
        }
    }
}
