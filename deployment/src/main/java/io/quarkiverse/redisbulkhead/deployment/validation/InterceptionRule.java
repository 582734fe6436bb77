package io.quarkiverse.redisbulkhead.deployment.validation;

import java.lang.reflect.Modifier;
import java.util.Set;

import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.redisbulkhead.deployment.discovery.AnnotatedElement;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.deployment.discovery.Shapes;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;

/** The container must intercept what carries the annotation: a business method of a bean that a subclass can override. */
final class InterceptionRule implements Rule {

    private static final Set<DotName> CONTAINER_CALLBACKS = Set.of(
            DotName.createSimple("jakarta.annotation.PostConstruct"),
            DotName.createSimple("jakarta.annotation.PreDestroy"),
            DotName.createSimple("jakarta.interceptor.AroundInvoke"),
            DotName.createSimple("jakarta.interceptor.AroundConstruct"));

    @Override
    public void check(BulkheadUsage usage, ValidationErrors errors) {
        usage.elements().stream().filter(AnnotatedElement::isMethod).forEach(element -> checkAnnotated(element, errors));
        for (AnnotatedElement element : usage.idle()) {
            if (usage.beans().inheriting(element.type()).isEmpty()) {
                continue;
            }
            if (!element.isMethod()) {
                errors.add(MessageCode.RBH012, element.place(),
                        "@RedisBulkhead on the class guards nothing: the class has no business method without its own "
                                + "annotation. Remove it, or put it on a class that has such a method");
            } else if (Shapes.canBeOverridden(element.method())) {
                errors.add(MessageCode.RBH012, element.place(), text(element.method(), usage));
            }
        }
        for (GuardedBeanMethod guard : usage.guards()) {
            if (guard.source() == null) {
                errors.add(MessageCode.RBH013, guard.place(),
                        "@RedisBulkheadBinding names no bulkhead and is internal. Use @RedisBulkhead");
            }
            if (guard.comesFromClass() && Modifier.isFinal(guard.method().flags())) {
                errors.add(MessageCode.RBH010, guard.place(),
                        "the method is final and cannot be guarded, but @RedisBulkhead on "
                                + guard.source().place()
                                + " covers it. Make it non-final, or annotate the other methods one by one"
                                + " instead of the class");
            }
        }
    }

    private static String text(MethodInfo method, BulkheadUsage usage) {
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

    private static void checkAnnotated(AnnotatedElement element, ValidationErrors errors) {
        MethodInfo method = element.method();
        if (Modifier.isStatic(method.flags())) {
            errors.add(MessageCode.RBH010, element.place(),
                    "the method is static and cannot be guarded by @RedisBulkhead."
                            + " Make it an instance method of a bean");
        } else if (Modifier.isPrivate(method.flags())) {
            errors.add(MessageCode.RBH010, element.place(),
                    "the method is private and cannot be guarded by @RedisBulkhead."
                            + " Make it package-private or more visible");
        } else if (Modifier.isFinal(method.flags())) {
            errors.add(MessageCode.RBH010, element.place(),
                    "the method is final and cannot be guarded by @RedisBulkhead."
                            + " Make it non-final");
        }
    }
}
