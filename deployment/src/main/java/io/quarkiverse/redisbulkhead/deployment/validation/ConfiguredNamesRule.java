package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.runtime.definition.ConfiguredNames;

/** What is configured must belong to a bulkhead that is declared, or to a property that there is. */
final class ConfiguredNamesRule implements Rule {

    private final ConfiguredValues configured;

    ConfiguredNamesRule(ConfiguredValues configured) {
        this.configured = configured;
    }

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        ConfiguredNames.check(configured.all(), configured.definitions(usage), usage.namesElsewhere(),
                Mistake.to(mistakes));
    }
}
