package io.quarkiverse.redisbulkhead.deployment.validation;

import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.function.Consumer;

import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.redisbulkhead.deployment.discovery.AnnotatedElement;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.MethodShape;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;

/** An annotation on a bean must guard something. */
final class BusinessMethodRule implements Rule {

    private static final Set<DotName> CONTAINER_CALLBACKS = Set.of(
            DotName.createSimple("jakarta.annotation.PostConstruct"),
            DotName.createSimple("jakarta.annotation.PreDestroy"),
            DotName.createSimple("jakarta.interceptor.AroundInvoke"),
            DotName.createSimple("jakarta.interceptor.AroundConstruct"));

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        for (AnnotatedElement element : usage.idle()) {
            if (usage.beans().inheriting(element.type()).isEmpty()) {
                continue;
            }
            if (!element.isMethod()) {
                mistakes.accept(new Mistake(MessageCode.RBH012, element.place(),
                        "@RedisBulkhead on the class guards nothing: there is no business"
                                + " method without an annotation of its own. Remove it, or put it on a class that has such a method"));
            } else if (MethodShape.canBeOverridden(element.method())) {
                mistakes.accept(new Mistake(MessageCode.RBH012, element.place(), text(element.method(), usage)));
            }
        }
    }

    private static String text(MethodInfo method, BulkheadUsage usage) {
        if (Modifier.isAbstract(method.flags())) {
            return "CDI does not inherit interceptor bindings from abstract methods, so @RedisBulkhead guards nothing here."
                    + " Put it on the implementing method";
        }
        if (usage.annotations().hasAnyAnnotation(method, CONTAINER_CALLBACKS)) {
            return "the container calls this method past all interceptors, so @RedisBulkhead guards nothing here."
                    + " Put it on a business method";
        }
        return "the container does not intercept this method, so @RedisBulkhead guards nothing here."
                + " Make sure that the types of its parameters are public";
    }
}
