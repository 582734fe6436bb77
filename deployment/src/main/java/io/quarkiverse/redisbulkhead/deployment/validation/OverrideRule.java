package io.quarkiverse.redisbulkhead.deployment.validation;

import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.redisbulkhead.Unguarded;
import io.quarkiverse.redisbulkhead.deployment.discovery.AnnotatedElement;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.Classes;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.deployment.discovery.SourceLocations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;
import io.quarkus.arc.processor.BeanInfo;

/**
 * A method that overrides a guarded one must also be guarded, or explicitly opt out: annotations of methods are not inherited.
 */
final class OverrideRule implements Rule {

    private static final DotName UNGUARDED = DotName.createSimple(Unguarded.class);
    private static final DotName MOCK = DotName.createSimple("io.quarkus.test.Mock");

    @Override
    public void check(BulkheadUsage usage, ValidationErrors errors) {
        usage.beans().all().stream().filter(bean -> !isMock(bean)).forEach(bean -> check(bean, usage, errors));
        for (GuardedBeanMethod guard : usage.guards()) {
            if (guard.source() != null && isUnguarded(guard.method(), usage)) {
                errors.add(MessageCode.RBH034, guard.place(), "it has @Unguarded, but @RedisBulkhead on "
                        + guard.source().place()
                        + " guards it. @Unguarded only marks a method that overrides a guarded one. Remove one of the two, or"
                        + " annotate the other methods one by one instead of the class");
            }
        }
    }

    private static boolean isMock(BeanInfo bean) {
        return bean.getStereotypes().stream().anyMatch(stereotype -> MOCK.equals(stereotype.getName()));
    }

    private static void check(BeanInfo bean, BulkheadUsage usage, ValidationErrors errors) {
        Optional<ClassInfo> generatedFor = usage.classes().interfaceOf(bean.getImplClazz());
        List<ClassInfo> types = generatedFor.map(usage.classes()::interfaces)
                .orElseGet(() -> usage.classes().superclasses(bean.getImplClazz())).toList();
        // Annotations of classes are inherited, those of interfaces are not.
        if (types.stream().limit(generatedFor.isPresent() ? 1 : types.size()).anyMatch(type -> isGuarded(type, usage))) {
            return;
        }
        for (int i = 1; i < types.size(); i++) {
            for (MethodInfo method : types.get(i).methods()) {
                if (!method.isSynthetic() && Classes.canBeOverridden(method) && !bulkheads(method, usage).isEmpty()) {
                    check(versions(method, types.subList(0, i)), usage, errors);
                }
            }
        }
    }

    // The nearest version to the bean that says something decides.
    private static void check(List<MethodInfo> versions, BulkheadUsage usage, ValidationErrors errors) {
        MethodInfo deciding = versions.stream()
                .filter(version -> isUnguarded(version, usage) || !bulkheads(version, usage).isEmpty()).findFirst()
                .orElseThrow();
        if (deciding != versions.get(0) && !isUnguarded(deciding, usage)) {
            errors.add(MessageCode.RBH034, SourceLocations.of(versions.get(0)), "it overrides "
                    + SourceLocations.of(deciding) + ", which has "
                    + bulkheads(deciding, usage).stream().map(bulkhead -> Texts.annotation(bulkhead.name()))
                            .collect(Collectors.joining(" and "))
                    + ", and has no annotation itself. Annotations of methods are not inherited, so its calls would take no"
                    + " permit. Repeat the annotation, or add @Unguarded if that is intended");
        }
    }

    private static boolean isUnguarded(MethodInfo method, BulkheadUsage usage) {
        return usage.annotations().hasAnnotation(method, UNGUARDED);
    }

    /**
     * The method and what overrides it, the class of the bean first. A class of another package overrides a package-private
     * method only by way of one that is more visible.
     */
    private static List<MethodInfo> versions(MethodInfo method, List<ClassInfo> subclasses) {
        Deque<MethodInfo> overriding = new ArrayDeque<>(List.of(method));
        for (int i = subclasses.size() - 1; i >= 0; i--) {
            subclasses.get(i).methods().stream()
                    .filter(other -> overriding.stream().anyMatch(inherited -> Classes.overrides(other, inherited)))
                    .findFirst()
                    .ifPresent(overriding::addFirst);
        }
        return List.copyOf(overriding);
    }

    // An annotation on a method that is not intercepted guards nothing, which is another error. The compiler copies
    // annotations to bridges.
    private static List<BulkheadDeclaration> bulkheads(MethodInfo method, BulkheadUsage usage) {
        boolean intercepted = method.declaringClass().isInterface() == Modifier.isAbstract(method.flags());
        return AnnotatedElement.of(method, usage.annotations().annotations(method))
                .filter(any -> intercepted || method.isSynthetic()).map(AnnotatedElement::bulkheads).orElse(List.of());
    }

    private static boolean isGuarded(ClassInfo type, BulkheadUsage usage) {
        return AnnotatedElement.of(type, usage.annotations().annotations(type)).isPresent();
    }
}
