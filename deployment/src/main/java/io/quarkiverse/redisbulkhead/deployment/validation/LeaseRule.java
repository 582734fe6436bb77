package io.quarkiverse.redisbulkhead.deployment.validation;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.validation.ConfiguredValues.Value;
import io.quarkiverse.redisbulkhead.runtime.StoreKind;
import io.quarkiverse.redisbulkhead.runtime.definition.Definitions;
import io.quarkiverse.redisbulkhead.runtime.definition.DurationText;
import io.quarkiverse.redisbulkhead.runtime.definition.Leases;

/** Leases must be long enough for Redis to answer before they end, as far as both times are known. */
final class LeaseRule implements Rule {

    private static final Duration DEFAULT_COMMAND_TIMEOUT = Duration.ofSeconds(1);

    private final ConfiguredValues configured;
    private final StoreKind store;

    LeaseRule(ConfiguredValues configured, StoreKind store) {
        this.configured = configured;
        this.store = store;
    }

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        if (!store.needsRedis()) {
            return;
        }
        Leases leases = new Leases(commandTimeout(),
                Mistake.to(mistakes));
        Definitions definitions = configured.definitions(usage);
        for (String bulkhead : definitions.byName().keySet()) {
            if (configured.isSwitchedOff(bulkhead)) {
                continue;
            }
            configured.of(bulkhead, "expire").ifPresentOrElse(
                    value -> check(value, DurationText.EXPIRE, leases),
                    () -> leases.checkWritten(bulkhead, definitions));
        }
        configured.ofLocks("lock-timeout").forEach(value -> check(value, DurationText.LOCK_TIMEOUT, leases));
    }

    private static void check(Value value, DurationText reader, Leases leases) {
        value.as(reader::parse).ifPresent(lease -> leases.checkConfigured(value.property(), lease));
    }

    private Optional<Duration> commandTimeout() {
        Optional<Value> value = configured.global("command-timeout");
        return value.isEmpty() ? Optional.of(DEFAULT_COMMAND_TIMEOUT)
                : value.get().as(DurationText.COMMAND_TIMEOUT::parse);
    }
}
