package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.deployment.discovery.KeyParameter;
import io.quarkiverse.redisbulkhead.runtime.definition.Texts;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;

/** Where a method has several bulkheads, a key must say which of them it is for. */
final class AmbiguousKeyRule implements Rule {

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        for (GuardedBeanMethod guard : usage.guards()) {
            if (guard.source() != null) {
                guard.strayKeys().stream().filter(key -> !key.namesBulkhead())
                        .forEach(key -> mistakes.accept(new Mistake(MessageCode.RBH017, key.place(), text(key, guard))));
            }
        }
    }

    private static String text(KeyParameter key, GuardedBeanMethod guard) {
        return KeyTexts.annotation(key) + " does not say which bulkhead it is for, and the method has several: "
                + guard.bulkheads().stream().map(bulkhead -> Texts.quoted(bulkhead.name())).collect(Collectors.joining(", "))
                + ". Name one of them, as in @BulkheadKey(" + Texts.quoted(guard.bulkheads().get(0).name()) + ")";
    }
}
