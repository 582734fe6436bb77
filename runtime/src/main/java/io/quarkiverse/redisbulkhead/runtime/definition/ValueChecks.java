package io.quarkiverse.redisbulkhead.runtime.definition;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig.LockConfig;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;

/**
 * Checks configured values: here those for all bulkheads and for locks, in {@link BulkheadAssembler} those of one bulkhead. A
 * check that needs a value that is not known, or not valid, is left out.
 *
 * @param configuration the values
 * @param inRedis whether permits live in Redis
 * @param errors takes the mistakes
 */
record ValueChecks(Configuration configuration, boolean inRedis, ValidationErrors errors) {

    private static final int RENEWALS_PER_LEASE = 3;
    private static final int FIRST_ERROR_STATUS = 400;
    private static final int LAST_ERROR_STATUS = 599;
    private static final String COMMAND_TIMEOUT = PropertyNames.PREFIX + "command-timeout";
    private static final String NAMES_WITH_SERIES = PropertyNames.PREFIX + "metrics.names";
    private static final String STEP_TIMEOUT = PropertyNames.PREFIX + "lock-store.step-timeout";
    private static final String CONTENTION_TIMEOUT = PropertyNames.PREFIX + "lock-store.contention-timeout";
    private static final String LOCK_TIMEOUT = PropertyNames.PREFIX + "lock.lock-timeout";

    RedisBulkheadRuntimeConfig values() {
        return configuration.values();
    }

    /** Adds the mistake that a value is refused. Returns whether it is known and valid. */
    boolean check(String property, Runnable use) {
        return configuration.isKnown(property)
                && errors.check(MessageCode.RBH005, configuration.written(property), "", use);
    }

    /** Whether {@link #check} has found nothing wrong; also true for a property that is not set. */
    boolean isValid(String property) {
        return configuration.isKnown(property) && !errors.contain(MessageCode.RBH005, configuration.written(property));
    }

    /** Checks values for all bulkheads. Defaults are valid, so this looks at what is configured. */
    void checkForAll(NameChecks bulkheads) {
        for (String member : configuration.setForAll()) {
            check(PropertyNames.PREFIX + member, () -> checkForAll(member));
        }
        Duration step = values().lockStore().stepTimeout();
        Duration contention = values().lockStore().contentionTimeout();
        if (contention.compareTo(step) <= 0 && isValid(STEP_TIMEOUT) && isValid(CONTENTION_TIMEOUT)) {
            errors.add(MessageCode.RBH005, CONTENTION_TIMEOUT, "contentionTimeout must be longer than " + STEP_TIMEOUT
                    + ", which is " + step + ", but is " + contention);
        }
        List<String> namesWithSeries = values().metrics().names().orElse(List.of());
        for (String name : namesWithSeries) {
            check(NAMES_WITH_SERIES, () -> checkName(name));
        }
        bulkheads.checkListed(NAMES_WITH_SERIES, namesWithSeries);
    }

    private void checkForAll(String member) {
        RedisBulkheadRuntimeConfig values = values();
        switch (member) {
            case "key-prefix" -> checkKeyPrefix(values.keyPrefix());
            case "command-timeout" -> DurationText.COMMAND_TIMEOUT.check(values.commandTimeout());
            case "instances" -> require(values.instances() >= 1,
                    "instances must be at least 1, but is " + values.instances());
            case "max-blocked-threads" -> require(values.maxBlockedThreads().getAsInt() >= 0,
                    "maxBlockedThreads must be at least 0, but is " + values.maxBlockedThreads().getAsInt());
            case "keep-idle" -> DurationText.KEEP_IDLE.check(values.keepIdle());
            case "warn-after" -> DurationText.WARN_AFTER.check(values.warnAfter().get());
            case "rest.status" -> require(
                    values.rest().status() >= FIRST_ERROR_STATUS && values.rest().status() <= LAST_ERROR_STATUS,
                    "status must be an HTTP error status from " + FIRST_ERROR_STATUS + " to " + LAST_ERROR_STATUS + ", but is "
                            + values.rest().status());
            case "rest.retry-after" -> DurationText.retryAfter(values.rest().retryAfter().get());
            case "metrics.cluster-interval" -> DurationText.CLUSTER_INTERVAL.check(values.metrics().clusterInterval());
            case "lock-store.step-timeout" -> DurationText.STEP_TIMEOUT.check(values.lockStore().stepTimeout());
            case "lock-store.contention-timeout" ->
                DurationText.CONTENTION_TIMEOUT.check(values.lockStore().contentionTimeout());
            case "lock.acquire-timeout" -> DurationText.ACQUIRE_TIMEOUT.check(values.lock().acquireTimeout());
            case "lock.lock-timeout" -> DurationText.LOCK_TIMEOUT.check(values.lock().lockTimeout());
            default -> {
                // Every value that can be read is valid.
            }
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

    private static void checkName(String bulkhead) {
        if (bulkhead.startsWith(LockSpec.BULKHEAD_PREFIX)) {
            LockSpec.named(bulkhead.substring(LockSpec.BULKHEAD_PREFIX.length()));
        } else {
            SemaphoreSpec.named(bulkhead);
        }
    }

    /** Checks values of locks, after those for all. */
    void checkLocks() {
        // Applications without locks have the default, too, so it must not fail.
        if (configuration.isSet(LOCK_TIMEOUT) && isValid(LOCK_TIMEOUT)
                && !values().lock().lockTimeout().equals(LockSpec.named("any").build().lockTimeout())) {
            checkLease(LOCK_TIMEOUT, "lock-timeout", values().lock().lockTimeout());
        }
        for (Map.Entry<String, LockConfig> lock : values().lock().locks().entrySet()) {
            checkLock(lock.getKey(), lock.getValue());
        }
    }

    private void checkLock(String name, LockConfig own) {
        check(PropertyNames.ofLock(name, "*"), () -> LockSpec.named(name));
        own.acquireTimeout().ifPresent(wait -> check(PropertyNames.ofLock(name, "acquire-timeout"),
                () -> LockSpec.named("any").acquireTimeout(wait)));
        own.keepIdle().ifPresent(keep -> check(PropertyNames.ofLock(name, "keep-idle"),
                () -> LockSpec.named("any").keepIdle(keep)));
        own.warnAfter().ifPresent(time -> check(PropertyNames.ofLock(name, "warn-after"),
                () -> DurationText.WARN_AFTER.check(time)));
        String lockTimeout = PropertyNames.ofLock(name, "lock-timeout");
        own.lockTimeout().filter(lease -> check(lockTimeout, () -> LockSpec.named("any").lockTimeout(lease)))
                .ifPresent(lease -> checkLease(configuration.written(lockTimeout), "lock-timeout", lease));
        boolean leaseIsKnown = isValid(lockTimeout) && (own.lockTimeout().isPresent() || isValid(LOCK_TIMEOUT));
        Duration lease = leaseIsKnown ? own.lockTimeout().orElse(values().lock().lockTimeout()) : SemaphoreSpec.MAX_EXPIRE;
        own.minHold().ifPresent(hold -> {
            String minHold = PropertyNames.ofLock(name, "min-hold");
            LockSpec.Builder spec = LockSpec.named("any").lockTimeout(lease);
            if (check(minHold, () -> spec.minHold(hold))) {
                errors.check(MessageCode.RBH031, configuration.written(minHold), "", spec::build);
            }
        });
    }

    /** A lease must be long enough for Redis to answer before it ends. */
    void checkLease(String location, String member, Duration lease) {
        if (isTooShort(lease)) {
            Duration timeout = values().commandTimeout();
            errors.add(MessageCode.RBH023, location, member + " is " + lease + ", shorter than three times " + COMMAND_TIMEOUT
                    + ", which is " + timeout + ". A lease is renewed every third of it, so one slow reply "
                    + "could cost the permit. Make it at least " + timeout.multipliedBy(RENEWALS_PER_LEASE)
                    + ", or reduce command-timeout");
        }
    }

    boolean isTooShort(Duration lease) {
        return inRedis && isValid(COMMAND_TIMEOUT)
                && lease.compareTo(values().commandTimeout().multipliedBy(RENEWALS_PER_LEASE)) < 0;
    }
}
