package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.OptionalInt;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.runtime.definition.Definitions;
import io.quarkiverse.redisbulkhead.runtime.definition.WeightLimits;

/** No call may weigh more than the limit of its bulkhead, as far as both are known. */
final class WeightRule implements Rule {

    private final ConfiguredValues configured;

    WeightRule(ConfiguredValues configured) {
        this.configured = configured;
    }

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        Definitions definitions = configured.definitions(usage);
        for (String bulkhead : definitions.byName().keySet()) {
            KnownCount permits = KnownCount.of(configured.of(bulkhead, "permits"), definitions.permits(bulkhead));
            KnownCount weight = KnownCount.of(configured.of(bulkhead, "weight"), OptionalInt.empty());
            if (permits.isStated() && weight.known()) {
                WeightLimits.check(bulkhead, permits.value().getAsInt(), weight.value(), definitions, Mistake.to(mistakes));
            }
        }
    }
}
