package io.quarkiverse.redisbulkhead.runtime.definition;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.config.OnFull;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig.BulkheadConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.AnnotationDefinitions.Definition;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.EffectiveBulkhead;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;

/**
 * Puts one bulkhead together, from its annotations or from code and from configuration, which wins; and checks it. Used once.
 */
final class BulkheadAssembler {

    private static final String ON_OUTAGE = PropertyNames.PREFIX + "on-outage";
    private static final String INSTANCES = PropertyNames.PREFIX + "instances";
    private static final String KEEP_IDLE = PropertyNames.PREFIX + "keep-idle";

    private final String name;
    private final AnnotationDefinitions annotations;
    private final Configuration configuration;
    private final ValueChecks checks;
    private final ValidationErrors errors;
    private final RedisBulkheadRuntimeConfig forAll;
    // Null when no value is known.
    private final BulkheadConfig own;
    private final Set<String> configured;
    private SemaphoreSpec.Builder spec;
    // Empty when they are not known, or not valid.
    private OptionalInt permits = OptionalInt.empty();

    BulkheadAssembler(String name, AnnotationDefinitions annotations, ValueChecks checks) {
        this.name = name;
        this.annotations = annotations;
        this.configuration = checks.configuration();
        this.checks = checks;
        this.errors = checks.errors();
        this.forAll = configuration.values();
        this.own = forAll.bulkheads().get(name);
        this.configured = configuration.setFor(name);
        this.spec = SemaphoreSpec.named(name).onOutage(forAll.onOutage()).awaitRelease(forAll.awaitRelease());
    }

    /** A bulkhead that annotations declare. Empty when a value is not known, or a mistake was found. */
    Optional<EffectiveBulkhead> declared() {
        int before = errors.size();
        spec.fair(annotations.fair(name)).weight(annotations.weight(name));
        if (checks.isValid(KEEP_IDLE)) {
            spec.keepIdleOfSeveral(forAll.keepIdle());
        }
        Optional<Duration> lease = annotations.expire(name);
        if (lease.isPresent()) {
            spec.expire(lease.get());
        }
        Optional<Duration> wait = annotations.maxWait(name);
        if (wait.isPresent()) {
            spec.maxWait(wait.get());
        }
        boolean complete = setConfigured();
        if (isValid("permits")) {
            permits = configured.contains("permits") ? own.permits() : annotations.permits(name);
        }
        if (permits.isPresent()) {
            spec.permits(permits.getAsInt());
            if (!configured.contains("local-permits")) {
                spec.localPermits(Math.max(1, permits.getAsInt() / Math.max(1, forAll.instances())));
            }
        }
        checkWeights();
        checkMinHold();
        checkOnFull();
        if (checks.inRedis() && isEnabled()) {
            checkLease();
            checkLocalLimit();
        }
        return complete && errors.size() == before && permits.isPresent()
                ? Optional.of(new EffectiveBulkhead(spec.build(), isEnabled()))
                : Optional.empty();
    }

    /** A bulkhead that code defines. Empty when a mistake was found. */
    Optional<EffectiveBulkhead> inCode(SemaphoreSpec definition) {
        int before = errors.size();
        spec = definition.toBuilder();
        setConfigured();
        permits = isConfigured("permits") ? own.permits() : OptionalInt.of(definition.permits());
        if (!configured.contains("local-permits") && definition.localPermits() > permits.getAsInt()) {
            spec.localPermits(permits.getAsInt());
        }
        if (checks.inRedis() && isEnabled()) {
            checkConfiguredLease();
            checkLocalPermits();
        }
        return errors.size() == before && errors.check(MessageCode.RBH005, property("*"), "", spec::build)
                ? Optional.of(new EffectiveBulkhead(spec.build(), isEnabled()))
                : Optional.empty();
    }

    /** Checks each configured value, and uses it. Returns whether all are known and valid. */
    boolean setConfigured() {
        boolean valid = true;
        for (String member : configured) {
            valid &= checks.check(property(member), () -> set(member));
        }
        return valid;
    }

    private void set(String member) {
        switch (member) {
            case "permits" -> spec.permits(own.permits().getAsInt());
            case "weight" -> spec.weight(own.weight().getAsInt());
            case "fair" -> spec.fair(own.fair().get());
            case "expire" -> spec.expire(own.expire().get());
            case "max-wait" -> spec.maxWait(own.maxWait().get());
            case "max-hold" -> spec.maxHold(own.maxHold().get());
            case "min-hold" -> spec.minHold(own.minHold().get());
            case "keep-idle" -> spec.keepIdle(own.keepIdle().get());
            case "on-lost" -> spec.onLost(own.onLost().get());
            case "on-outage" -> spec.onOutage(own.onOutage().get());
            case "await-release" -> spec.awaitRelease(own.awaitRelease().get());
            case "local-permits" -> spec.localPermits(own.localPermits().getAsInt());
            case "max-waiters" -> spec.maxWaiters(own.maxWaiters().getAsInt());
            case "rest.retry-after" -> DurationText.retryAfter(own.rest().retryAfter().get());
            case "warn-after" -> DurationText.WARN_AFTER.check(own.warnAfter().get());
            case "enabled", "on-full" -> {
                // Not part of a definition.
            }
            default -> throw new IllegalStateException("unknown property of a bulkhead: " + member);
        }
    }

    private String property(String member) {
        return PropertyNames.of(name, member);
    }

    private String written(String member) {
        return configuration.written(property(member));
    }

    private boolean isValid(String member) {
        return !configured.contains(member) || checks.isValid(property(member));
    }

    /** Whether there is a valid value. */
    private boolean isConfigured(String member) {
        return configured.contains(member) && isValid(member);
    }

    private boolean isEnabled() {
        return forAll.enabled() && (!isConfigured("enabled") || own.enabled().get());
    }

    /** A call that weighs more than the limit would never get a permit. */
    private void checkWeights() {
        if (permits.isEmpty() || !isValid("weight")) {
            return;
        }
        if (configured.contains("weight")) {
            checkWeight(own.weight().getAsInt(), written("weight"), "");
            return;
        }
        for (Definition definition : annotations.of(name)) {
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
        if (isValid("expire")) {
            own.expire().or(() -> annotations.expire(name)).ifPresent(times::expire);
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
        List<String> places = annotations.returning(name);
        if (!places.isEmpty()) {
            errors.add(MessageCode.RBH033, written("on-full"), "skip is for methods that return void, Uni<Void> or"
                    + " CompletionStage<Void>, and not for Kotlin suspend functions. It cannot apply to "
                    + String.join(", ", places) + ". Use reject and a @Fallback, or a bulkhead of another name there");
        }
    }

    private void checkLease() {
        if (configured.contains("expire")) {
            checkConfiguredLease();
            return;
        }
        Optional<Duration> expire = annotations.expire(name);
        if (expire.isPresent() && checks.isTooShort(expire.get())) {
            checks.checkLease(String.join(", ", annotations.locations(name)), Texts.annotation(name) + ": expire",
                    expire.get());
        }
    }

    private void checkConfiguredLease() {
        if (isConfigured("expire")) {
            checks.checkLease(written("expire"), "expire", own.expire().get());
        }
    }

    /** What processes admit for themselves during an outage must not be more than the limit. */
    private void checkLocalLimit() {
        boolean byOwn = configured.contains("on-outage");
        if (!isValid("on-outage") || (byOwn ? own.onOutage().get() : forAll.onOutage()) != OnOutage.LOCAL
                || permits.isEmpty() || !isValid("local-permits") || !checks.isValid(INSTANCES)) {
            return;
        }
        int limit = permits.getAsInt();
        if (!configured.contains("local-permits") && limit < forAll.instances()) {
            errors.add(MessageCode.RBH024, byOwn ? written("on-outage") : configuration.written(ON_OUTAGE),
                    "local gives each of " + forAll.instances() + " instances (" + INSTANCES
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
