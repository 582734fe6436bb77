package io.quarkiverse.redisbulkhead.runtime;

import java.time.Duration;
import java.util.Optional;

import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.LockStoreConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.DurationText;

/** The values that hold for all bulkheads and locks. */
final class GlobalSettings {

    private static final Duration SHORTEST_STEP = Duration.ofMillis(50);
    private static final Duration LONGEST_STEP = Duration.ofMinutes(1);

    private GlobalSettings() {
    }

    /**
     * Checks them.
     *
     * @param config the configuration
     * @param errors takes what is wrong with it
     */
    static void check(RedisBulkheadRuntimeConfig config, ConfigurationErrors errors) {
        String keyPrefix = config.keyPrefix();
        if (keyPrefix.isBlank() || keyPrefix.contains("{") || keyPrefix.contains("}")) {
            errors.add(MessageCode.RBH005,
                    PropertyNames.PREFIX + "key-prefix must not be blank and must not contain braces, but is '" + keyPrefix
                            + "'; braces mark the hash tag of Redis Cluster");
        }
        if (commandTimeout(config).isEmpty()) {
            errors.add(MessageCode.RBH005, PropertyNames.PREFIX + "command-timeout must be from one millisecond to one hour,"
                    + " but is " + config.commandTimeout());
        }
        if (config.instances() < 1) {
            errors.add(MessageCode.RBH005, PropertyNames.PREFIX + "instances must be at least 1, but is " + config.instances());
        }
        checkLockStore(config.lockStore(), errors);
        int status = config.rest().status();
        if (status < 400 || status > 599) {
            errors.add(MessageCode.RBH005,
                    PropertyNames.PREFIX + "rest.status must be an HTTP error status from 400 to 599, but is " + status);
        }
    }

    /** How long a call waits for an answer from Redis; empty when the value is out of bounds. */
    static Optional<Duration> commandTimeout(RedisBulkheadRuntimeConfig config) {
        return Optional.of(config.commandTimeout()).filter(DurationText.COMMAND_TIMEOUT::isValid);
    }

    private static void checkLockStore(LockStoreConfig lockStore, ConfigurationErrors errors) {
        Duration timeout = lockStore.stepTimeout();
        if (timeout.compareTo(SHORTEST_STEP) < 0 || timeout.compareTo(LONGEST_STEP) > 0) {
            errors.add(MessageCode.RBH005,
                    PropertyNames.PREFIX + "lock-store.step-timeout must be from " + SHORTEST_STEP.toMillis()
                            + " milliseconds to one minute, but is " + timeout);
        }
        Duration contention = lockStore.contentionTimeout();
        if (contention.compareTo(timeout) <= 0 || contention.compareTo(Duration.ofHours(1)) > 0) {
            errors.add(MessageCode.RBH005,
                    PropertyNames.PREFIX + "lock-store.contention-timeout must be longer than " + PropertyNames.PREFIX
                            + "lock-store.step-timeout, which is " + timeout + ", and at most one hour, but is " + contention);
        }
    }
}
