package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.deployment.discovery.KeyParameter;
import io.quarkiverse.redisbulkhead.deployment.discovery.WrittenBulkhead;
import io.quarkiverse.redisbulkhead.runtime.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.definition.Texts;

/** A bulkhead is one limit, or one for each key, wherever it is named. */
final class KeyedEverywhereRule implements Rule {

    /** The guarded methods of one bulkhead, for messages. */
    private record Places(SortedSet<String> keyed, SortedSet<String> unkeyed) {
    }

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        Map<String, Places> byName = new TreeMap<>();
        for (GuardedBeanMethod guard : usage.guards()) {
            for (WrittenBulkhead bulkhead : guard.bulkheads()) {
                add(guard, bulkhead,
                        byName.computeIfAbsent(bulkhead.name(), name -> new Places(new TreeSet<>(), new TreeSet<>())));
            }
        }
        byName.forEach((name, places) -> {
            if (!places.keyed().isEmpty() && !places.unkeyed().isEmpty()) {
                mistakes.accept(new Mistake(MessageCode.RBH020, Texts.annotation(name),
                        "has a key at " + String.join(", ", places.keyed())
                                + ", but none at " + String.join(", ", places.unkeyed())
                                + ". Tell the key at every place, by @BulkheadKey or a keyResolver, or use different names"));
            }
        });
    }

    private static void add(GuardedBeanMethod guard, WrittenBulkhead bulkhead, Places places) {
        for (KeyParameter key : guard.keysOf(bulkhead)) {
            places.keyed().add(guard.place() + " (" + KeyTexts.parameter(key) + ")");
        }
        bulkhead.keyResolver().ifPresent(type -> places.keyed().add(guard.place() + " (" + KeyTexts.keyResolver(type) + ")"));
        // A stray key is a mistake of its own, and may be the one that is missing here.
        if (guard.keysOf(bulkhead).isEmpty() && bulkhead.keyResolver().isEmpty() && guard.strayKeys().isEmpty()) {
            places.unkeyed().add(guard.place());
        }
    }
}
