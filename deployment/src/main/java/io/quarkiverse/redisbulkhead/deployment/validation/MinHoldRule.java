package io.quarkiverse.redisbulkhead.deployment.validation;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.validation.ConfiguredValues.Value;
import io.quarkiverse.redisbulkhead.runtime.definition.Definitions;
import io.quarkiverse.redisbulkhead.runtime.definition.DurationText;
import io.quarkiverse.redisbulkhead.runtime.definition.Leases;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;

/** A minimum hold must not be longer than the lease, as far as both are known. */
final class MinHoldRule implements Rule {

    private static final String MIN_HOLD = "min-hold";
    private static final String LOCK_TIMEOUT = "lock-timeout";

    private final ConfiguredValues configured;

    MinHoldRule(ConfiguredValues configured) {
        this.configured = configured;
    }

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        Definitions definitions = configured.definitions(usage);
        for (String bulkhead : definitions.byName().keySet()) {
            configured.of(bulkhead, MIN_HOLD).ifPresent(value -> check(value, bulkhead, definitions, mistakes));
        }
        configured.ofLocks(MIN_HOLD).forEach(value -> check(value, mistakes));
    }

    private void check(Value minHold, String bulkhead, Definitions definitions, Consumer<Mistake> mistakes) {
        SemaphoreSpec.Builder spec = SemaphoreSpec.named("any").permits(1).expire(SemaphoreSpec.MAX_EXPIRE);
        Optional<Value> expire = configured.of(bulkhead, "expire");
        (expire.isPresent() ? expire.get().as(DurationText.EXPIRE::parse) : definitions.expire(bulkhead))
                .ifPresent(spec::expire);
        configured.of(bulkhead, "max-hold").flatMap(value -> value.as(DurationText.MAX_HOLD::parse)).ifPresent(spec::maxHold);
        minHold.as(DurationText.MIN_HOLD::parse).ifPresent(duration -> Leases.checkMinHold(minHold.property(),
                () -> spec.minHold(duration).build(), Mistake.to(mistakes)));
    }

    private void check(Value minHold, Consumer<Mistake> mistakes) {
        String own = minHold.property().substring(0, minHold.property().length() - MIN_HOLD.length()) + LOCK_TIMEOUT;
        Optional<Value> lease = configured.read(own).or(() -> configured.read(PropertyNames.PREFIX + "lock." + LOCK_TIMEOUT));
        LockSpec.Builder spec = LockSpec.named("any");
        if (lease.isPresent()) {
            Optional<Duration> known = lease.get().as(DurationText.LOCK_TIMEOUT::parse);
            spec.lockTimeout(known.orElse(SemaphoreSpec.MAX_EXPIRE));
        }
        minHold.as(DurationText.MIN_HOLD::parse).ifPresent(duration -> Leases.checkMinHold(minHold.property(),
                () -> spec.minHold(duration).build(), Mistake.to(mistakes)));
    }
}
