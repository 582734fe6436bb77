package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.stream.Collectors;

import org.jboss.jandex.DotName;

import io.quarkiverse.redisbulkhead.Unguarded;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.deployment.discovery.LostGuard;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;

/** A method that overrides a guarded one must also be guarded, or explicitly opt out. */
final class OverrideRule implements Rule {

    private static final DotName UNGUARDED = DotName.createSimple(Unguarded.class);

    @Override
    public void check(BulkheadUsage usage, ValidationErrors errors) {
        for (LostGuard lost : LostGuard.in(usage)) {
            errors.add(MessageCode.RBH034, lost.method(), "it overrides " + lost.overridden() + ", which has "
                    + lost.bulkheads().stream().map(bulkhead -> Texts.annotation(bulkhead.name()))
                            .collect(Collectors.joining(" and "))
                    + ", and has no annotation itself. Annotations of methods are not inherited, so its calls would take no"
                    + " permit. Repeat the annotation, or add @Unguarded if that is intended");
        }
        for (GuardedBeanMethod guard : usage.guards()) {
            if (guard.source() != null && usage.annotations().hasAnnotation(guard.method(), UNGUARDED)) {
                errors.add(MessageCode.RBH034, guard.place(), "it has @Unguarded, but @RedisBulkhead on "
                        + guard.source().place()
                        + " guards it. @Unguarded only marks a method that overrides a guarded one. Remove one of the two, or"
                        + " annotate the other methods one by one instead of the class");
            }
        }
    }
}
