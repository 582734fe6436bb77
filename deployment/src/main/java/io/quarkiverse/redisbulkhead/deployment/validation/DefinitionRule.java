package io.quarkiverse.redisbulkhead.deployment.validation;

import org.eclipse.microprofile.config.Config;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.runtime.config.StoreKind;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;

/**
 * Definitions in annotations and configuration must be valid as far as they are known. Values that depend on run-time
 * properties are checked at start-up, by the same code.
 */
final class DefinitionRule implements Rule {

    private final Config config;
    private final StoreKind store;

    DefinitionRule(Config config, StoreKind store) {
        this.config = config;
        this.store = store;
    }

    @Override
    public void check(BulkheadUsage usage, ValidationErrors errors) {
        EffectiveDefinitions.checkAtBuild(usage.declarations(), config, new TypedValues(), store.needsRedis(), errors);
    }
}
