package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jboss.jandex.DotName;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.deployment.discovery.KeyParameter;
import io.quarkiverse.redisbulkhead.deployment.discovery.WrittenBulkhead;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;

/** A parameter that is the weight of a call is a whole number, and the only weight of one bulkhead of a guarded method. */
final class CallWeightRule implements Rule {

    private static final Set<DotName> NUMBERS = Stream
            .of(int.class, long.class, short.class, Integer.class, Long.class, Short.class)
            .map(type -> DotName.createSimple(type.getName())).collect(Collectors.toUnmodifiableSet());

    @Override
    public void check(BulkheadUsage usage, ValidationErrors errors) {
        usage.idleWeights().forEach(weight -> report(weight, "has no effect, because no bulkhead guards this method. Put "
                + "@RedisBulkhead on the method or on its class, which must be a bean, or remove @BulkheadWeight", errors));
        for (GuardedBeanMethod guard : usage.guards()) {
            if (guard.source() != null) {
                check(guard, errors);
            }
        }
    }

    private static void check(GuardedBeanMethod guard, ValidationErrors errors) {
        if (guard.weights().size() > 1) {
            report(guard.weights().get(1), "is the second weight of this method. Keep one of them", errors);
        }
        for (KeyParameter weight : guard.weights()) {
            if (!NUMBERS.contains(weight.type().name())) {
                report(weight, "must be an int, long or short, or one of their wrappers, but is " + weight.type(), errors);
            }
            WrittenBulkhead bulkhead = guard.bulkheads().stream().filter(each -> guard.isFor(weight, each)).findFirst()
                    .orElse(null);
            if (bulkhead == null) {
                String names = guard.bulkheads().stream().map(each -> Texts.quoted(each.name()))
                        .collect(Collectors.joining(", "));
                report(weight, "does not name a bulkhead of this method. Name one of " + names + ", as in @BulkheadWeight("
                        + Texts.quoted(guard.bulkheads().get(0).name()) + ")", errors);
            } else if (bulkhead.weight() != 1) {
                report(weight, "is beside weight = " + bulkhead.weight() + " of " + Texts.annotation(bulkhead.name())
                        + ". Keep one of them", errors);
            }
        }
    }

    private static void report(KeyParameter weight, String what, ValidationErrors errors) {
        errors.add(MessageCode.RBH038, weight.place(), "@BulkheadWeight"
                + (weight.namesBulkhead() ? "(" + Texts.quoted(weight.bulkhead()) + ")" : "") + " on "
                + KeyRule.parameter(weight) + " " + what);
    }
}
