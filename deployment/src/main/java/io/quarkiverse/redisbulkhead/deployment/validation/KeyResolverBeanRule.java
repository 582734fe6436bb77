package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.List;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;

import io.quarkiverse.redisbulkhead.deployment.discovery.AnnotatedElement;
import io.quarkiverse.redisbulkhead.deployment.discovery.BeanClasses;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;

/** A class that resolves keys must stand for exactly one bean. */
final class KeyResolverBeanRule implements Rule {

    @Override
    public void check(BulkheadUsage usage, ValidationErrors errors) {
        for (AnnotatedElement element : usage.elements()) {
            for (BulkheadDeclaration bulkhead : element.bulkheads()) {
                bulkhead.keyResolver().filter(type -> usage.beans().keyResolver(type).isEmpty())
                        .ifPresent(
                                type -> errors.add(MessageCode.RBH021, element.place(), Texts.annotation(bulkhead.name()) + ": "
                                        + ParameterRule.keyResolver(type) + " " + text(type, usage)));
            }
        }
    }

    private static String text(String type, BulkheadUsage usage) {
        BeanClasses beans = usage.beans();
        List<String> candidates = beans.candidates(type);
        if (!candidates.isEmpty()) {
            return "matches several beans: " + String.join(", ", candidates)
                    + ". Name a class with exactly one bean, or make one of them an @Alternative with a @Priority";
        }
        List<String> hidden = beans.hidden(type);
        if (!hidden.isEmpty()) {
            return "matches no bean without qualifiers. Beans with qualifiers, or with a @Typed that omits it: "
                    + String.join(", ", hidden) + ". Remove the qualifiers, or add @Default; or add it to @Typed";
        }
        ClassInfo found = usage.classes().index().getClassByName(DotName.createSimple(type));
        return "is not a bean. "
                + (found == null ? "Add a scope such as @ApplicationScoped" : suggestion(found, beans));
    }

    private static String suggestion(ClassInfo type, BeanClasses classes) {
        if (type.isInterface()) {
            return "It is an interface, and no bean implements it";
        }
        if (classes.isExcluded(type)) {
            return "It was excluded from the application by @Vetoed, a condition such as @IfBuildProfile, or "
                    + "quarkus.arc.exclude-types, or its module has no Jandex index. Name another class, or include it";
        }
        return InterceptionRule.howToBeABean(type, classes);
    }
}
