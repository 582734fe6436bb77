package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.deployment.discovery.KeyParameter;
import io.quarkiverse.redisbulkhead.deployment.discovery.WrittenBulkhead;
import io.quarkiverse.redisbulkhead.runtime.definition.Texts;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;

/** A call has one key for each of its bulkheads. */
final class OneKeyRule implements Rule {

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        for (GuardedBeanMethod guard : usage.guards()) {
            for (WrittenBulkhead bulkhead : guard.bulkheads()) {
                List<KeyParameter> parameters = guard.keysOf(bulkhead);
                List<String> keys = keys(guard, bulkhead, parameters);
                if (keys.size() > 1) {
                    mistakes.accept(new Mistake(MessageCode.RBH018, parameters.get(0).place(), Texts.annotation(bulkhead.name())
                            + " has several keys here: " + String.join(", ", keys)
                            + ". Keep one of them; a keyResolver can make one key from several parameters"));
                }
            }
        }
    }

    private static List<String> keys(GuardedBeanMethod guard, WrittenBulkhead bulkhead, List<KeyParameter> parameters) {
        List<String> keys = new ArrayList<>(parameters.stream().map(KeyTexts::parameter).toList());
        bulkhead.keyResolver().map(KeyTexts::keyResolver)
                .map(resolver -> guard.comesFromClass() ? resolver + " on " + guard.source().place() : resolver)
                .ifPresent(keys::add);
        return keys;
    }
}
