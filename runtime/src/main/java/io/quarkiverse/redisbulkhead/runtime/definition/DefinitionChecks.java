package io.quarkiverse.redisbulkhead.runtime.definition;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.LockSpec;
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
     * Checks the configuration of a lock.
     *
     * @param name the lock
     * @param own what is configured for it
     * @param definition makes its definition, or refuses
     */
    void checkLock(String name, Map<String, Value> own, Supplier<LockSpec> definition) {
        if (own.containsKey("lock-timeout")) {
            checkLease(own.get("lock-timeout"), "lock-timeout");
        }
        try {
            definition.get();
        } catch (IllegalArgumentException e) {
            boolean byMinHold = own.containsKey("min-hold") && e.getMessage().startsWith("minHold");
            errors.add(byMinHold ? MessageCode.RBH031 : MessageCode.RBH005,
                    byMinHold ? own.get("min-hold").where() : PropertyNames.ofLock(name, "*"), e.getMessage());
        }
    }

    /**
     * Checks a bulkhead that annotations declare.
     *
     * @param name the bulkhead
     * @param values what annotations and configuration say
     * @param annotations know the places
     */
    void checkDeclared(String name, Map<String, Value> values, AnnotationDefinitions annotations) {
        Integer permits = Value.of(values, "permits", null);
        if (permits != null) {
            checkWeights(values, permits, annotations.of(name));
        }
        checkMinHold(values);
        checkOnFull(values, annotations.returning(name));
        if (inRedis && isEnabled(values)) {
            Value lease = values.getOrDefault("expire",
                    new Value(String.join(", ", annotations.locations(name)), EffectiveDefinitions.DEFAULT_LEASE));
            checkLease(lease, lease.isConfigured() ? "expire" : Texts.annotation(name) + ": expire");
            checkLocalPermits(name, values, permits);
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

    /** A call that weighs more than the limit would never get a permit. */
    private void checkWeights(Map<String, Value> values, int permits, List<Definition> places) {
        Value configured = values.get("weight");
        if (configured != null && configured.isConfigured()) {
            checkWeight(Value.of(values, "weight", 1), permits, configured.where(), "");
            return;
        }
        for (Definition place : places) {
            checkWeight(Value.of(place.values(), "weight", 1), permits, place.location(), place.annotation());
        }
    }

    private void checkWeight(int weight, int permits, String location, String context) {
        if (weight > permits) {
            errors.add(MessageCode.RBH030, location, context
                    + "weight must not be more than the permits of the bulkhead, which are " + permits + ", but is " + weight
                    + ". No call would ever get a permit. Lower the weight, or raise the permits");
        }
    }

    /** A process that dies would free its permit before the end of a minimum hold that is longer than the lease. */
    private void checkMinHold(Map<String, Value> values) {
        Duration hold = Value.of(values, "min-hold", Duration.ZERO);
        SemaphoreSpec.Builder times = SemaphoreSpec.named("any").permits(1).minHold(hold);
        Value lease = values.get("expire");
        if (lease != null) {
            times.expire(lease.value() == null ? SemaphoreSpec.MAX_EXPIRE : (Duration) lease.value());
        }
        times.maxHold(Value.of(values, "max-hold", SemaphoreSpec.MAX_EXPIRE));
        try {
            times.build();
        } catch (IllegalArgumentException e) {
            errors.add(MessageCode.RBH031, values.get("min-hold").where(), e.getMessage());
        }
    }

    /** A call that is skipped has nothing to return. */
    private void checkOnFull(Map<String, Value> values, List<String> returning) {
        if (!returning.isEmpty() && Value.of(values, "on-full", OnFull.REJECT) == OnFull.SKIP) {
            errors.add(MessageCode.RBH033, values.get("on-full").where(), "skip is for methods that return void, Uni<Void> or"
                    + " CompletionStage<Void>, and not for Kotlin suspend functions. It cannot apply to "
                    + String.join(", ", returning) + ". Use reject and a @Fallback, or a bulkhead of another name there");
        }
    }

    /** A lease must be long enough for Redis to answer before it ends. */
    private void checkLease(Value lease, String member) {
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
    private void checkLocalPermits(String name, Map<String, Value> values, Integer permits) {
        if (isTooSmallForLocal(values)) {
            errors.add(MessageCode.RBH024, values.get("on-outage").where(), "local gives each of "
                    + Value.of(forAll, "instances", 1) + " instances (" + PropertyNames.PREFIX
                    + "instances) its share of the permits of bulkhead '" + name + "', which are only " + permits
                    + ". With one permit each, they would exceed the limit. Set " + PropertyNames.of(name, "local-permits")
                    + " if that is what you want, set fewer instances, or use reject");
        } else if (isLocal(values) && permits != null) {
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
