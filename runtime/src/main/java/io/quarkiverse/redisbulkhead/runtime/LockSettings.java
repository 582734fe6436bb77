package io.quarkiverse.redisbulkhead.runtime;

import java.time.Duration;
import java.util.Optional;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.LockConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.LocksConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.DurationText;
import io.quarkiverse.redisbulkhead.runtime.definition.Leases;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;

/** What the configuration says about locks: about all of them, and about those that it names. */
final class LockSettings {

    private final LocksConfig config;
    private final boolean awaitRelease;

    private LockSettings(LocksConfig config, boolean awaitRelease) {
        this.config = config;
        this.awaitRelease = awaitRelease;
    }

    /**
     * Checks the configuration.
     *
     * @param config the configuration
     * @param awaitRelease whether calls wait for the answers to releases
     * @param leases looks at each lease
     * @param errors takes what is wrong with it
     * @return to be used when there are no errors
     */
    static LockSettings of(LocksConfig config, boolean awaitRelease, Leases leases, ConfigurationErrors errors) {
        LockSpec.Builder any = LockSpec.named("any");
        errors.set(PropertyNames.PREFIX + "lock.acquire-timeout", config.acquireTimeout(), any::acquireTimeout);
        String ofAll = PropertyNames.PREFIX + "lock.lock-timeout";
        if (errors.set(ofAll, config.lockTimeout(), any::lockTimeout)) {
            leases.checkConfigured(ofAll, config.lockTimeout());
        }
        config.locks().forEach((name, lock) -> {
            errors.set(PropertyNames.ofLock(name, "*"), name, LockSpec::named);
            lock.acquireTimeout().ifPresent(
                    wait -> errors.set(PropertyNames.ofLock(name, "acquire-timeout"), wait, any::acquireTimeout));
            lock.lockTimeout().ifPresent(lease -> {
                if (errors.set(PropertyNames.ofLock(name, "lock-timeout"), lease, any::lockTimeout)) {
                    leases.checkConfigured(PropertyNames.ofLock(name, "lock-timeout"), lease);
                }
            });
            lock.minHold().ifPresent(hold -> {
                String property = PropertyNames.ofLock(name, "min-hold");
                LockSpec.Builder held = LockSpec.named("any");
                Duration lease = lock.lockTimeout().orElse(config.lockTimeout());
                if (errors.set(property, hold, held::minHold) && DurationText.LOCK_TIMEOUT.isValid(lease)) {
                    Leases.checkMinHold(property, held.lockTimeout(lease)::build, errors::add);
                }
            });
        });
        return new LockSettings(config, awaitRelease);
    }

    /**
     * One lock.
     *
     * @param name any name
     * @return its definition
     * @throws IllegalArgumentException when the name is not valid
     */
    LockSpec lock(String name) {
        LockSpec.Builder spec = LockSpec.named(name).awaitRelease(awaitRelease);
        Optional<LockConfig> own = Optional.ofNullable(config.locks().get(name));
        spec.acquireTimeout(own.flatMap(LockConfig::acquireTimeout).orElse(config.acquireTimeout()));
        spec.lockTimeout(own.flatMap(LockConfig::lockTimeout).orElse(config.lockTimeout()));
        own.flatMap(LockConfig::minHold).ifPresent(spec::minHold);
        own.flatMap(LockConfig::fair).ifPresent(spec::fair);
        return spec.build();
    }
}
