package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.Map;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.deployment.discovery.KeyParameter;
import io.quarkiverse.redisbulkhead.deployment.discovery.WrittenBulkhead;
import io.quarkiverse.redisbulkhead.runtime.definition.KeyedPlaces;

/** A bulkhead is one limit, or one for each key, wherever it is named, as far as the names are known. */
final class KeyedEverywhereRule implements Rule {

    private final ConfiguredValues configured;

    KeyedEverywhereRule(ConfiguredValues configured) {
        this.configured = configured;
    }

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        Map<String, String> names = configured.definitions(usage).names();
        KeyedPlaces places = new KeyedPlaces();
        for (GuardedBeanMethod guard : usage.guards()) {
            for (WrittenBulkhead bulkhead : guard.bulkheads()) {
                add(guard, bulkhead, names.getOrDefault(bulkhead.name(), bulkhead.name()), usage, places);
            }
        }
        places.check(Mistake.to(mistakes));
    }

    private static void add(GuardedBeanMethod guard, WrittenBulkhead bulkhead, String name, BulkheadUsage usage,
            KeyedPlaces places) {
        for (KeyParameter key : guard.keysOf(bulkhead)) {
            places.add(name, guard.place() + " (" + KeyTexts.parameter(key) + ")", true);
        }
        bulkhead.keyResolver()
                .ifPresent(type -> places.add(name, guard.place() + " (" + KeyTexts.keyResolver(type) + ")", true));
        // A stray key, or one that is lost by overriding, is a mistake of its own, and may be the one that is missing here.
        if (guard.keysOf(bulkhead).isEmpty() && bulkhead.keyResolver().isEmpty() && guard.strayKeys().isEmpty()
                && !(guard.losesKey() && usage.idleKeys().stream()
                        .anyMatch(key -> guard.overrides(key.method(), usage.superclasses())))) {
            places.add(name, guard.place(), false);
        }
    }
}
