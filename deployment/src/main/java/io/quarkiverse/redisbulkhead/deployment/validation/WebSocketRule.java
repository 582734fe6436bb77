package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.Optional;
import java.util.Set;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.ReturnKind;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;

/**
 * WebSockets Next closes the connection after a failure that no {@code @OnError} method handles, but not after that of a
 * {@code Multi}: it logs an error, and the client waits.
 */
final class WebSocketRule implements Rule {

    private static final Set<DotName> ENDPOINTS = Set.of(
            DotName.createSimple("io.quarkus.websockets.next.WebSocket"),
            DotName.createSimple("io.quarkus.websockets.next.WebSocketClient"));
    private static final DotName ON_ERROR = DotName.createSimple("io.quarkus.websockets.next.OnError");
    private static final Set<DotName> REJECTIONS = Set.of(
            DotName.createSimple("io.quarkiverse.redisbulkhead.BulkheadFullException"),
            DotName.createSimple("org.eclipse.microprofile.faulttolerance.exceptions.BulkheadException"),
            DotName.createSimple("org.eclipse.microprofile.faulttolerance.exceptions.FaultToleranceException"),
            DotName.createSimple(RuntimeException.class),
            DotName.createSimple(Exception.class),
            DotName.createSimple(Throwable.class));

    @Override
    public void check(BulkheadUsage usage, ValidationErrors errors) {
        for (GuardedBeanMethod guard : usage.guards()) {
            if (usage.returnKinds().of(guard).equals(Optional.of(ReturnKind.MULTI)) && isEndpoint(guard.bean(), usage)
                    && !isHandled(guard, usage)) {
                errors.warn(MessageCode.RBH039, guard.place(), "it returns Multi, and no @OnError method takes a rejection."
                        + " WebSockets Next would log an error and tell the client nothing. Add a method with @OnError and a"
                        + " parameter of type BulkheadFullException or BulkheadException to the endpoint");
            }
        }
    }

    private static boolean isEndpoint(ClassInfo type, BulkheadUsage usage) {
        return usage.annotations().hasAnyAnnotation(type, ENDPOINTS);
    }

    // Methods of other beans are for all endpoints.
    private static boolean isHandled(GuardedBeanMethod guard, BulkheadUsage usage) {
        return usage.classes().index().getAnnotations(ON_ERROR).stream().map(annotation -> annotation.target().asMethod())
                .filter(WebSocketRule::takesRejections).map(MethodInfo::declaringClass)
                .anyMatch(type -> !isEndpoint(type, usage)
                        || usage.classes().superclasses(guard.bean()).anyMatch(type::equals));
    }

    private static boolean takesRejections(MethodInfo method) {
        return method.parameterTypes().stream().anyMatch(type -> REJECTIONS.contains(type.name()));
    }
}
