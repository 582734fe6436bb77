package io.quarkiverse.redisbulkhead.deployment.validation;

import org.eclipse.microprofile.config.Config;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.deployment.discovery.KeyParameter;
import io.quarkiverse.redisbulkhead.deployment.discovery.WrittenBulkhead;
import io.quarkiverse.redisbulkhead.runtime.definition.AnnotationDefinitions;
import io.quarkiverse.redisbulkhead.runtime.definition.KeyedBulkheads;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;

/** A bulkhead is one limit, or one for each key, wherever it is named, as far as the names are known. */
final class KeyedEverywhereRule implements Rule {

    private final Config config;

    KeyedEverywhereRule(Config config) {
        this.config = config;
    }

    @Override
    public void check(BulkheadUsage usage, ValidationErrors errors) {
        AnnotationDefinitions annotations = new AnnotationDefinitions(usage.declarations(), config);
        KeyedBulkheads keys = new KeyedBulkheads();
        for (GuardedBeanMethod guard : usage.guards()) {
            for (WrittenBulkhead bulkhead : guard.bulkheads()) {
                String known = annotations.resolved(bulkhead.name());
                add(guard, bulkhead, known == null ? bulkhead.name() : known, usage, keys);
            }
        }
        keys.check(errors);
    }

    private static void add(GuardedBeanMethod guard, WrittenBulkhead bulkhead, String name, BulkheadUsage usage,
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
