package io.quarkiverse.redisbulkhead.deployment.validation;

import java.lang.reflect.Modifier;
import java.util.function.Consumer;

import org.jboss.jandex.MethodInfo;

import io.quarkiverse.redisbulkhead.deployment.discovery.AnnotatedElement;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;

/** A guarded method must be one that a subclass can override: not private, not static, not final. */
final class ModifierRule implements Rule {

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        for (AnnotatedElement element : usage.elements()) {
            if (element.isMethod()) {
                checkAnnotated(element, mistakes);
            }
        }
        for (GuardedBeanMethod guard : usage.guards()) {
            if (guard.comesFromClass() && Modifier.isFinal(guard.method().flags())) {
                mistakes.accept(new Mistake(MessageCode.RBH010, guard.place(),
                        "the method is final and cannot be guarded, but @RedisBulkhead on "
                                + guard.source().place()
                                + " covers it. Make it non-final, or annotate the other methods one by one"
                                + " instead of the class"));
            }
        }
    }

    private static void checkAnnotated(AnnotatedElement element, Consumer<Mistake> mistakes) {
        MethodInfo method = element.method();
        if (Modifier.isStatic(method.flags())) {
            mistakes.accept(new Mistake(MessageCode.RBH010, element.place(),
                    "the method is static and cannot be guarded by @RedisBulkhead."
                            + " Make it an instance method of a bean"));
        } else if (Modifier.isPrivate(method.flags())) {
            mistakes.accept(new Mistake(MessageCode.RBH010, element.place(),
                    "the method is private and cannot be guarded by @RedisBulkhead."
                            + " Make it package-private or more visible"));
        } else if (Modifier.isFinal(method.flags())) {
            mistakes.accept(new Mistake(MessageCode.RBH010, element.place(),
                    "the method is final and cannot be guarded by @RedisBulkhead."
                            + " Make it non-final"));
        }
    }
}
