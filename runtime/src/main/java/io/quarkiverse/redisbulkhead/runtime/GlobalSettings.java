package io.quarkiverse.redisbulkhead.runtime;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

import org.eclipse.microprofile.config.Config;

import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.LockStoreConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.DurationText;
import io.quarkiverse.redisbulkhead.runtime.definition.GlobalValues;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;
import io.quarkus.runtime.ExecutorRecorder;

/** The values that hold for all bulkheads and locks. */
final class GlobalSettings {

    private GlobalSettings() {
    }

    /**
     * Checks them.
     *
     * @param config the configuration
     * @param errors takes what is wrong with it
     */
    static void check(RedisBulkheadRuntimeConfig config, ConfigurationErrors errors) {
        set("key-prefix", config.keyPrefix(), GlobalValues::checkKeyPrefix, errors);
        set("command-timeout", config.commandTimeout(), DurationText.COMMAND_TIMEOUT::check, errors);
        set("instances", config.instances(), GlobalValues::checkInstances, errors);
        config.maxBlockedThreads().ifPresent(
                threads -> set("max-blocked-threads", threads, GlobalValues::checkMaxBlockedThreads, errors));
        set("rest.status", config.rest().status(), GlobalValues::checkStatus, errors);
        set("metrics.cluster-interval", config.metrics().clusterInterval(), DurationText.CLUSTER_INTERVAL::check, errors);
        checkLockStore(config.lockStore(), errors);
    }

    /**
     * How many calls may block worker threads while they wait.
     *
     * @param config the configuration
     * @param properties the configuration of the application, which says how large the worker pool is
     * @return not yet checked
     */
    static int maxBlockedThreads(RedisBulkheadRuntimeConfig config, Config properties) {
        return config.maxBlockedThreads().orElseGet(() -> {
            int workers = properties.getOptionalValue("quarkus.thread-pool.max-threads", Integer.class)
                    .orElseGet(ExecutorRecorder::calculateMaxThreads);
            return Math.max(1, workers / 2);
        });
    }

    private static <T> boolean set(String property, T value, Consumer<T> check, ConfigurationErrors errors) {
        return errors.set(PropertyNames.PREFIX + property, value, check);
    }

    /** How long a call waits for an answer from Redis; empty when the value is out of bounds. */
    static Optional<Duration> commandTimeout(RedisBulkheadRuntimeConfig config) {
        return Optional.of(config.commandTimeout()).filter(DurationText.COMMAND_TIMEOUT::isValid);
    }

    private static void checkLockStore(LockStoreConfig lockStore, ConfigurationErrors errors) {
        Duration step = lockStore.stepTimeout();
        Duration contention = lockStore.contentionTimeout();
        set("lock-store.step-timeout", step, DurationText.STEP_TIMEOUT::check, errors);
        if (set("lock-store.contention-timeout", contention, DurationText.CONTENTION_TIMEOUT::check, errors)
                && contention.compareTo(step) <= 0) {
            errors.add(MessageCode.RBH005, PropertyNames.PREFIX + "lock-store.contention-timeout",
                    "contentionTimeout must be longer than " + PropertyNames.PREFIX + "lock-store.step-timeout, which is "
                            + step
                            + ", but is " + contention);
        }
    }
}
