package io.quarkiverse.redisbulkhead.deployment.validation;

import org.eclipse.microprofile.config.Config;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.deployment.discovery.KeyParameter;
import io.quarkiverse.redisbulkhead.deployment.discovery.WrittenBulkhead;
import io.quarkiverse.redisbulkhead.runtime.config.StoreKind;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions;
import io.quarkiverse.redisbulkhead.runtime.definition.KeyedBulkheads;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;

/**
 * Definitions in annotations and configuration must be valid as far as they are known, and a bulkhead has keys wherever it is
 * named, or nowhere. What depends on run-time properties is checked at start-up, by the same code.
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
        EffectiveDefinitions definitions = new EffectiveDefinitions(usage.declarations(), config, store.needsRedis(), true,
                errors);
        KeyedBulkheads keys = new KeyedBulkheads();
        for (GuardedBeanMethod guard : usage.guards()) {
            for (WrittenBulkhead bulkhead : guard.bulkheads()) {
                String known = definitions.annotations().resolved(bulkhead.name());
                addKeys(guard, bulkhead, known == null ? bulkhead.name() : known, usage, keys);
            }
        }
        keys.check(errors);
    }

    private static void addKeys(GuardedBeanMethod guard, WrittenBulkhead bulkhead, String name, BulkheadUsage usage,
            KeyedBulkheads keys) {
        for (KeyParameter key : guard.keysOf(bulkhead)) {
            keys.add(name, guard.place() + " (" + KeyRule.parameter(key) + ")", true);
        }
        bulkhead.keyResolver()
                .ifPresent(type -> keys.add(name, guard.place() + " (" + KeyRule.keyResolver(type) + ")", true));
        // A stray key, or one that an override loses, is a separate error, and may be the missing key here.
        if (guard.keysOf(bulkhead).isEmpty() && bulkhead.keyResolver().isEmpty() && guard.strayKeys().isEmpty()
                && !(guard.losesKey() && usage.idleKeys().stream()
                        .anyMatch(key -> guard.overrides(key.method(), usage.superclasses())))) {
            keys.add(name, guard.place(), false);
        }
    }
}
