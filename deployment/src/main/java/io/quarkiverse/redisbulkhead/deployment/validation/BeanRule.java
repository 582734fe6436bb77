package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.function.Consumer;

import org.jboss.jandex.ClassInfo;

import io.quarkiverse.redisbulkhead.deployment.discovery.AnnotatedElement;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.ClassShape;
import io.quarkiverse.redisbulkhead.deployment.discovery.DisabledClasses;
import io.quarkiverse.redisbulkhead.deployment.discovery.Places;

/** The annotation works on beans only. */
final class BeanRule implements Rule {

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        for (AnnotatedElement element : usage.idle()) {
            if (usage.beans().inheriting(element.type()).isEmpty()) {
                mistakes.accept(new Mistake(element.place(), text(element, usage.disabled())));
            }
        }
    }

    private static String text(AnnotatedElement element, DisabledClasses classes) {
        ClassInfo type = element.type();
        if (type.isAnnotation()) {
            return "@RedisBulkhead does not work on annotation types. Put it on the class or method itself";
        }
        if (type.isInterface()) {
            return element.isMethod()
                    ? "CDI does not inherit interceptor bindings from interface methods, so @RedisBulkhead guards nothing here"
                            + " (REST clients excepted, and this is none). Put it on the implementing method"
                    : "an interface is no bean, so @RedisBulkhead guards nothing here (REST clients excepted, and this is"
                            + " none). Put it on the implementing class";
        }
        return Places.of(type) + " is no bean, so @RedisBulkhead guards nothing here. " + wayOut(type, classes);
    }

    /** How to make a class a bean that is none. */
    static String wayOut(ClassInfo type, DisabledClasses classes) {
        if (!ClassShape.isTopLevelOrStatic(type)) {
            return "An inner, local or anonymous class cannot be a bean: make it static or a class of its own, and add a scope"
                    + " such as @ApplicationScoped";
        }
        if (type.isAbstract()) {
            return "It is abstract, and no bean inherits from it";
        }
        if (classes.hasBeanDefiningAnnotation(type) && !classes.hasUsableConstructor(type)) {
            return "It has several constructors: mark one with @Inject, or add one without parameters";
        }
        return "Add a scope such as @ApplicationScoped";
    }
}
