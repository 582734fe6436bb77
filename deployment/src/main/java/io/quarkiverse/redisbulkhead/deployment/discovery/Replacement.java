package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.lang.reflect.Modifier;
import java.util.List;

import org.jboss.jandex.AnnotationOverlay;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.MethodInfo;

import io.quarkus.arc.processor.BeanInfo;

/**
 * Tells annotations that every bean replaces: the method by an overriding one, the class's annotation by that of a
 * subclass. As usual in Java the subclass has the last word, so these say nothing about the application.
 */
final class Replacement {

    private final BeanClasses beans;
    private final AnnotationOverlay annotations;
    private final Superclasses superclasses;

    Replacement(BeanClasses beans, AnnotationOverlay annotations, Superclasses superclasses) {
        this.beans = beans;
        this.annotations = annotations;
        this.superclasses = superclasses;
    }

    boolean isComplete(AnnotatedElement element) {
        List<BeanInfo> heirs = beans.inheriting(element.type());
        return !heirs.isEmpty() && heirs.stream().allMatch(bean -> isReplaced(element, bean.getImplClazz()));
    }

    private boolean isReplaced(AnnotatedElement element, ClassInfo bean) {
        return superclasses.from(bean)
                .takeWhile(type -> !type.name().equals(element.type().name()))
                .anyMatch(type -> element.isMethod() ? overrides(type, element.method()) : isAnnotated(type));
    }

    private boolean isAnnotated(ClassInfo type) {
        return !WrittenBulkhead.among(annotations.annotations(type)).isEmpty();
    }

    // Bridges count: they are how a subclass overrides a generic method.
    private static boolean overrides(ClassInfo type, MethodInfo method) {
        int modifiers = method.flags();
        return !Modifier.isAbstract(modifiers) && MethodShape.canBeOverridden(method)
                && type.methods().stream().anyMatch(other -> other.name().equals(method.name())
                        && ErasedTypes.parametersOf(other).equals(ErasedTypes.parametersOf(method)));
    }
}
