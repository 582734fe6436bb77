package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.Optional;

import org.jboss.jandex.ClassInfo;

import io.quarkiverse.redisbulkhead.deployment.discovery.AiServices;
import io.quarkiverse.redisbulkhead.deployment.discovery.AnnotatedElement;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.DisabledClasses;
import io.quarkiverse.redisbulkhead.deployment.discovery.Shapes;
import io.quarkiverse.redisbulkhead.deployment.discovery.SourceLocations;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;

/** The annotation works on beans only. */
final class BeanRule implements Rule {

    @Override
    public void check(BulkheadUsage usage, ValidationErrors errors) {
        for (AnnotatedElement element : usage.idle()) {
            if (usage.beans().inheriting(element.type()).isEmpty()
                    && !AiServices.isImplementedByLangChain4j(element.type())) {
                errors.add(MessageCode.RBH011, element.place(), text(element, usage));
            }
        }
    }

    private static String text(AnnotatedElement element, BulkheadUsage usage) {
        ClassInfo type = element.type();
        if (type.isAnnotation()) {
            return "@RedisBulkhead does not work on annotation types. Put it on the class or method itself";
        }
        if (type.isInterface()) {
            return element.isMethod()
                    ? "CDI does not inherit interceptor bindings from interface methods, so @RedisBulkhead guards "
                            + "nothing here (only REST clients and AI services are exceptions). Put it on the implementing method"
                    : "an interface is not a bean, so @RedisBulkhead guards nothing here (only REST clients and AI "
                            + "services are exceptions). Put it on the implementing class";
        }
        Optional<String> producer = usage.beans().producerOf(type);
        if (producer.isPresent()) {
            return "beans of " + SourceLocations.of(type) + " are made by the producer " + producer.get()
                    + ", and CDI does not intercept what a producer makes, so @RedisBulkhead guards nothing here. "
                    + "Make the class itself a bean with a scope such as @ApplicationScoped, put the annotation on a "
                    + "bean method that calls it, or acquire permits in code with RedisBulkheads";
        }
        return SourceLocations.of(type) + " is not a bean, so @RedisBulkhead guards nothing here. "
                + suggestion(type, usage.disabled());
    }

    /** How to make the class a bean. */
    static String suggestion(ClassInfo type, DisabledClasses classes) {
        if (!Shapes.isTopLevelOrStatic(type)) {
            return "An inner, local or anonymous class cannot be a bean: make it static or a top-level class, and add "
                    + "a scope such as @ApplicationScoped";
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
