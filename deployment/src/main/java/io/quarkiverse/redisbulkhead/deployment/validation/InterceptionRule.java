package io.quarkiverse.redisbulkhead.deployment.validation;

import java.lang.reflect.Modifier;
import java.util.Optional;
import java.util.Set;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.redisbulkhead.deployment.discovery.AiServices;
import io.quarkiverse.redisbulkhead.deployment.discovery.AnnotatedElement;
import io.quarkiverse.redisbulkhead.deployment.discovery.BeanClasses;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.Classes;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.deployment.discovery.SourceLocations;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;

/** The container must intercept what carries the annotation: a business method of a bean that a subclass can override. */
final class InterceptionRule implements Rule {

    private static final DotName INTERCEPTOR = DotName.createSimple("jakarta.interceptor.Interceptor");
    private static final Set<DotName> CONTAINER_CALLBACKS = Set.of(
            DotName.createSimple("jakarta.annotation.PostConstruct"),
            DotName.createSimple("jakarta.annotation.PreDestroy"),
            DotName.createSimple("jakarta.interceptor.AroundInvoke"),
            DotName.createSimple("jakarta.interceptor.AroundConstruct"));

    @Override
    public void check(BulkheadUsage usage, ValidationErrors errors) {
        usage.elements().stream().filter(AnnotatedElement::isMethod)
                .forEach(element -> checkOverridable(element, element.method().flags(), errors));
        usage.idle().forEach(element -> checkIdle(element, usage, errors));
        for (GuardedBeanMethod guard : usage.guards()) {
            if (guard.source() == null) {
                errors.add(MessageCode.RBH013, guard.place(),
                        "@RedisBulkheadBinding names no bulkhead and is internal. Use @RedisBulkhead");
            }
            if (guard.comesFromClass() && Modifier.isFinal(guard.method().flags())) {
                errors.add(MessageCode.RBH010, guard.place(),
                        "the method is final and cannot be guarded, but @RedisBulkhead on "
                                + guard.source().place()
                                + " covers it. Make it non-final, or annotate the other methods one by one instead of the class");
            }
        }
    }

    private static void checkOverridable(AnnotatedElement element, int flags, ValidationErrors errors) {
        if (!Classes.canBeOverridden(element.method())) {
            errors.add(MessageCode.RBH010, element.place(), "the method is "
                    + (Modifier.isStatic(flags) ? "static" : Modifier.isPrivate(flags) ? "private" : "final")
                    + " and cannot be guarded by @RedisBulkhead. Make it "
                    + (Modifier.isStatic(flags) ? "an instance method of a bean"
                            : Modifier.isPrivate(flags) ? "package-private or more visible" : "non-final"));
        }
    }

    /** What the annotation is on, but guards nothing. */
    private static void checkIdle(AnnotatedElement element, BulkheadUsage usage, ValidationErrors errors) {
        if (usage.beans().inheriting(element.type()).isEmpty()) {
            if (AiServices.isImplementedByLangChain4j(element.type())) {
                errors.add(MessageCode.RBH036, element.place(), notOfAService(element));
            } else {
                errors.add(MessageCode.RBH011, element.place(), noBean(element, usage.beans()));
            }
        } else if (!element.isMethod()) {
            errors.add(MessageCode.RBH012, element.place(), "@RedisBulkhead on the class guards nothing: the class has no"
                    + " business method without its own annotation. Remove it, or put it on a class that has such a method");
        } else if (Classes.canBeOverridden(element.method())) {
            errors.add(MessageCode.RBH012, element.place(), notIntercepted(element.method(), usage));
        }
    }

    private static String notOfAService(AnnotatedElement element) {
        if (!AiServices.isRegistered(element.type())) {
            return "the interface has no @RegisterAiService, so LangChain4j implements it without interceptors, and"
                    + " @RedisBulkhead guards nothing here. Add @RegisterAiService if it is an AI service, or put "
                    + AiServices.PUT_IT_ON_THE_CALLER;
        }
        return element.isMethod()
                ? "Quarkus LangChain4j implements the abstract methods of an AI service only, and CDI does not intercept this"
                        + " one, so @RedisBulkhead guards nothing here. Put it on the abstract method, or put "
                        + AiServices.PUT_IT_ON_THE_CALLER
                : "@RedisBulkhead on the AI service guards nothing: it has no abstract method without an annotation of its own."
                        + " Remove it";
    }

    private static String noBean(AnnotatedElement element, BeanClasses beans) {
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
        if (type.isEnum() || type.hasDeclaredAnnotation(INTERCEPTOR)) {
            return "CDI does not intercept " + (type.isEnum() ? "enums" : "interceptors") + ", so @RedisBulkhead guards nothing"
                    + " here. Put it on a bean method that calls this one";
        }
        Optional<String> producer = beans.producerOf(type);
        if (producer.isPresent()) {
            return "beans of " + SourceLocations.of(type) + " are made by the producer " + producer.get()
                    + ", and CDI does not intercept what a producer makes, so @RedisBulkhead guards nothing here. "
                    + "Make the class itself a bean with a scope such as @ApplicationScoped, put the annotation on a "
                    + "bean method that calls it, or acquire permits in code with RedisBulkheads";
        }
        return SourceLocations.of(type) + " is not a bean, so @RedisBulkhead guards nothing here. " + howToBeABean(type, beans);
    }

    static String howToBeABean(ClassInfo type, BeanClasses beans) {
        if (!Classes.isTopLevelOrStatic(type)) {
            return "An inner, local or anonymous class cannot be a bean: make it static or a top-level class, and add "
                    + "a scope such as @ApplicationScoped";
        }
        if (type.isAbstract()) {
            return "It is abstract, and no bean inherits from it";
        }
        if (beans.hasBeanDefiningAnnotation(type) && !beans.hasUsableConstructor(type)) {
            return "It has several constructors: mark one with @Inject, or add one without parameters";
        }
        return "Add a scope such as @ApplicationScoped";
    }

    private static String notIntercepted(MethodInfo method, BulkheadUsage usage) {
        if (Modifier.isAbstract(method.flags())) {
            return "CDI does not inherit interceptor bindings from abstract methods, so @RedisBulkhead guards nothing here."
                    + " Put it on the implementing method";
        }
        if (usage.annotations().hasAnyAnnotation(method, CONTAINER_CALLBACKS)) {
            return "the container calls this method without interceptors, so @RedisBulkhead guards nothing here. Put "
                    + "it on a business method";
        }
        return "the container does not intercept this method, so @RedisBulkhead guards nothing here."
                + " Make sure that the types of its parameters are public";
    }
}
