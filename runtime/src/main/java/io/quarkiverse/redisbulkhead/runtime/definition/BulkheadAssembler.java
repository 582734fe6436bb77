package io.quarkiverse.redisbulkhead.runtime.definition;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.config.OnFull;
import io.quarkiverse.redisbulkhead.runtime.definition.AnnotationDefinitions.Definition;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.EffectiveBulkhead;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.Value;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;

/**
 * Checks the values of one bulkhead together, and makes its definition. A check that needs a value that is not known, or not
 * valid, is left out.
 *
 * @param name the bulkhead
 * @param values what annotations and configuration say
 * @param forAll the values for all bulkheads
 * @param inRedis whether permits live in Redis
 * @param errors takes the mistakes
 */
record BulkheadAssembler(String name, Map<String, Value> values, Map<String, Value> forAll, boolean inRedis,
        ValidationErrors errors) {

    private static final String COMMAND_TIMEOUT = "command-timeout";
    private static final int RENEWALS_PER_LEASE = 3;

    /** Makes a bulkhead that annotations declare. Null when a value is not known, or a mistake was found. */
    EffectiveBulkhead declared(AnnotationDefinitions annotations) {
        int before = errors.size();
        Integer permits = Value.of(values, "permits", null);
        if (permits != null) {
            checkWeights(permits, annotations.of(name));
        }
        checkMinHold();
        checkOnFull(annotations.returning(name));
        if (isEnabled() && inRedis) {
            Value lease = values.getOrDefault("expire",
                    new Value(String.join(", ", annotations.locations(name)), EffectiveDefinitions.DEFAULT_LEASE));
            checkLease(lease, lease.isConfigured() ? "expire" : Texts.annotation(name) + ": expire", forAll, errors);
            checkLocalPermits();
        }
        if (permits == null || errors.size() > before) {
            return null;
        }
        SemaphoreSpec.Builder spec = SemaphoreSpec.named(name)
                .keepIdleOfSeveral(Value.of(forAll, "keep-idle", Duration.ofSeconds(1)))
                .localPermits(Math.max(1, permits / Value.of(forAll, "instances", 1)));
        for (Map.Entry<String, Value> member : values.entrySet()) {
            if (member.getValue().value() == null) {
                return null;
            }
            KnownProperties.set(spec, member.getKey(), member.getValue().value());
        }
        return new EffectiveBulkhead(spec.build(), isEnabled());
    }

    /** Makes a bulkhead that code defines. Null when a mistake was found. */
    EffectiveBulkhead inCode(SemaphoreSpec definition) {
        SemaphoreSpec.Builder spec = definition.toBuilder();
        int permits = Value.of(values, "permits", definition.permits());
        if (definition.localPermits() > permits) {
            spec.localPermits(permits);
        }
        for (Map.Entry<String, Value> member : values.entrySet()) {
            KnownProperties.set(spec, member.getKey(), member.getValue().value());
        }
        if (isEnabled() && inRedis) {
            if (values.containsKey("expire")) {
                checkLease(values.get("expire"), "expire", forAll, errors);
            }
            checkLocalLimit(permits);
        }
        try {
            return errors.size() > 0 ? null : new EffectiveBulkhead(spec.build(), isEnabled());
        } catch (IllegalArgumentException e) {
            errors.add(MessageCode.RBH005, PropertyNames.of(name, "*"), e.getMessage());
            return null;
        }
    }

    boolean isEnabled() {
        return Value.of(forAll, "enabled", true) && Value.of(values, "enabled", true);
    }

    /** A call that weighs more than the limit would never get a permit. */
    private void checkWeights(int permits, List<Definition> places) {
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
    private void checkMinHold() {
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
    private void checkOnFull(List<String> returning) {
        if (!returning.isEmpty() && Value.of(values, "on-full", OnFull.REJECT) == OnFull.SKIP) {
            errors.add(MessageCode.RBH033, values.get("on-full").where(), "skip is for methods that return void, Uni<Void> or"
                    + " CompletionStage<Void>, and not for Kotlin suspend functions. It cannot apply to "
                    + String.join(", ", returning) + ". Use reject and a @Fallback, or a bulkhead of another name there");
        }
    }

    /** A lease must be long enough for Redis to answer before it ends. */
    static void checkLease(Value lease, String member, Map<String, Value> forAll, ValidationErrors errors) {
        Duration timeout = Value.of(forAll, COMMAND_TIMEOUT, Duration.ofSeconds(1));
        Duration least = timeout.multipliedBy(RENEWALS_PER_LEASE);
        if (lease.value() instanceof Duration length && Value.isKnown(forAll, COMMAND_TIMEOUT) && length.compareTo(least) < 0) {
            errors.add(MessageCode.RBH023, lease.where(), member + " is " + length + ", shorter than three times "
                    + PropertyNames.PREFIX + COMMAND_TIMEOUT + ", which is " + timeout
                    + ". A lease is renewed after a third of its length, so one slow reply could lose the permit. Make it at least "
                    + least + ", or reduce command-timeout");
        }
    }

    /** What instances admit for themselves during an outage must not be more than the limit. */
    private void checkLocalPermits() {
        if (isTooSmallForLocal()) {
            errors.add(MessageCode.RBH024, values.get("on-outage").where(), "local gives each of "
                    + Value.of(forAll, "instances", 1) + " instances (" + PropertyNames.PREFIX
                    + "instances) its share of the permits of bulkhead '" + name + "', which are only "
                    + values.get("permits").value() + ". With one permit each, they would exceed the limit. Set "
                    + PropertyNames.of(name, "local-permits")
                    + " if that is what you want, set fewer instances, or use reject");
        } else if (isLocal() && Value.of(values, "permits", null) != null) {
            checkLocalLimit(Value.of(values, "permits", 1));
        }
    }

    private boolean isLocal() {
        return Value.of(values, "on-outage", OnOutage.REJECT) == OnOutage.LOCAL;
    }

    /** Whether the part of one instance would be less than a permit. */
    boolean isTooSmallForLocal() {
        return isLocal() && !values.containsKey("local-permits")
                && Value.of(values, "permits", Integer.MAX_VALUE) < Value.of(forAll, "instances", 1);
    }

    private void checkLocalLimit(int permits) {
        int local = Value.of(values, "local-permits", permits);
        if (local > permits) {
            errors.add(MessageCode.RBH024, values.get("local-permits").where(), "localPermits must not be more than the permits"
                    + " of the bulkhead, which are " + permits + ", but is " + local);
        }
    }
}
