package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.List;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;

import io.quarkiverse.redisbulkhead.BulkheadKeyResolver;
import io.quarkiverse.redisbulkhead.deployment.discovery.AnnotatedElement;
import io.quarkiverse.redisbulkhead.deployment.discovery.BeanClasses;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;
import io.quarkus.arc.processor.BeanInfo;

/** A class that resolves keys must stand for exactly one bean. */
final class KeyResolverBeanRule implements Rule {

    private static final String RESOLVE = "resolve";
    private static final String DEFAULT = BulkheadKeyResolver.class.getName();

    @Override
    public void check(BulkheadUsage usage, ValidationErrors errors) {
        usage.guards().forEach(guard -> checkGuarded(guard, usage, errors));
        for (AnnotatedElement element : usage.elements()) {
            for (BulkheadDeclaration bulkhead : element.bulkheads()) {
                bulkhead.keyResolver().filter(type -> DEFAULT.equals(type) || usage.beans().keyResolver(type).isEmpty())
                        .ifPresent(
                                type -> errors.add(MessageCode.RBH021, element.place(), Texts.annotation(bulkhead.name()) + ": "
                                        + ParameterRule.keyResolver(type) + " " + text(type, usage)));
            }
        }
    }

    /** Otherwise resolving the key would need a key itself, recursively. */
    private static void checkGuarded(GuardedBeanMethod guard, BulkheadUsage usage, ValidationErrors errors) {
        guard.bulkheads().stream().flatMap(bulkhead -> bulkhead.keyResolver().stream())
                .filter(type -> usage.beans().keyResolver(type).map(BeanInfo::getImplClazz)
                        .filter(resolver -> resolver.name().equals(guard.bean().name())).isPresent())
                .filter(type -> RESOLVE.equals(guard.method().name()))
                .forEach(type -> errors.add(MessageCode.RBH021, guard.place(), ParameterRule.keyResolver(type)
                        + " would have to resolve the key of its own call, in an endless recursion. Guard other "
                        + "methods, or name another resolver"));
    }

    private static String text(String type, BulkheadUsage usage) {
        if (DEFAULT.equals(type)) {
            return "is the default, which stands for no resolver. Name the class of a bean, or remove keyResolver";
        }
        BeanClasses beans = usage.beans();
        List<String> candidates = beans.candidates(type);
        if (!candidates.isEmpty()) {
            return "matches several beans: " + String.join(", ", candidates)
                    + ". Name a class with exactly one bean, or make one of them an @Alternative with a @Priority";
        }
        List<String> qualified = beans.withAnyQualifier(type);
        if (!qualified.isEmpty()) {
            return "matches no bean without qualifiers. Beans with qualifiers: " + String.join(", ", qualified)
                    + ". Remove the qualifiers, or add @Default";
        }
        if (beans.isClassOfBean(type)) {
            return "is not a bean type of its bean, because @Typed omits it. Add it there";
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
                    + "quarkus.arc.exclude-types. Name another class, or stop excluding it";
        }
        return InterceptionRule.howToBeABean(type, classes);
    }
}
