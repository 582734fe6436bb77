package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.lang.reflect.Modifier;
import java.util.List;
import java.util.function.Predicate;

import org.jboss.jandex.AnnotationOverlay;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.MethodInfo;

import io.quarkus.arc.processor.BeanInfo;

/**
 * Finds annotations that every bean replaces: the method by an overriding one, the class's annotation by that of a
 * subclass. As usual in Java, the subclass decides, so these have no effect.
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
        return element.isMethod() ? isOverridden(element.method()) : isComplete(element.type(), this::isAnnotated);
    }

    /** Whether every bean overrides this method. */
    boolean isOverridden(MethodInfo method) {
        return isComplete(method.declaringClass(), type -> overrides(type, method));
    }

    private boolean isComplete(ClassInfo replaced, Predicate<ClassInfo> replaces) {
        List<BeanInfo> heirs = beans.inheriting(replaced);
        return !heirs.isEmpty() && heirs.stream().allMatch(bean -> superclasses.from(bean.getImplClazz())
                .takeWhile(type -> !type.name().equals(replaced.name()))
                .anyMatch(replaces));
    }

    private boolean isAnnotated(ClassInfo type) {
        return !WrittenBulkhead.among(annotations.annotations(type)).isEmpty();
    }

    private static boolean overrides(ClassInfo type, MethodInfo method) {
        return !Modifier.isAbstract(method.flags())
                && type.methods().stream().anyMatch(other -> Shapes.overrides(other, method));
    }
}
