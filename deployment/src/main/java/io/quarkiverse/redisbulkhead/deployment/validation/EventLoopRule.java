package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationOverlay;
import org.jboss.jandex.Declaration;
import org.jboss.jandex.DotName;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.ReturnKind;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;

/** A synchronous method waits for Redis, so nothing may put it on an event loop. */
final class EventLoopRule implements Rule {

    private static final DotName NON_BLOCKING = DotName.createSimple("io.smallrye.common.annotation.NonBlocking");
    private static final Set<DotName> OFF_THE_EVENT_LOOP = Set.of(
            DotName.createSimple("io.smallrye.common.annotation.Blocking"),
            DotName.createSimple("io.smallrye.common.annotation.RunOnVirtualThread"));
    private static final DotName TRANSACTIONAL = DotName.createSimple("jakarta.transaction.Transactional");
    private static final DotName GRPC_SERVICE = DotName.createSimple("io.quarkus.grpc.GrpcService");
    private static final DotName STREAM_OBSERVER = DotName.createSimple("io.grpc.stub.StreamObserver");
    private static final DotName CONSUME_EVENT = DotName.createSimple("io.quarkus.vertx.ConsumeEvent");
    private static final DotName ROUTE = DotName.createSimple("io.quarkus.vertx.web.Route");
    private static final DotName ROUTES = DotName.createSimple("io.quarkus.vertx.web.Route$Routes");
    private static final DotName ROUTE_FILTER = DotName.createSimple("io.quarkus.vertx.web.RouteFilter");

    @Override
    public void check(BulkheadUsage usage, ValidationErrors errors) {
        for (GuardedBeanMethod guard : usage.guards()) {
            if (guard.returnKind().equals(Optional.of(ReturnKind.SYNCHRONOUS))) {
                reason(guard, usage).ifPresent(reason -> errors.add(MessageCode.RBH015, guard.place(), reason
                        + ", or return Uni, Multi or CompletionStage: the method is synchronous, so @RedisBulkhead would wait"
                        + " for Redis there"));
            }
        }
    }

    /** What calls a synchronous method on an event loop, and the way out; empty when nothing surely does. */
    private static Optional<String> reason(GuardedBeanMethod guard, BulkheadUsage usage) {
        AnnotationOverlay annotations = usage.annotations();
        if (isNonBlocking(guard, usage)) {
            return Optional.of("@NonBlocking puts this method on an event loop. Remove @NonBlocking");
        }
        if (isGrpc(guard, usage)) {
            return addBlocking("gRPC");
        }
        if (annotations.hasAnyAnnotation(guard.method(), OFF_THE_EVENT_LOOP)) {
            return Optional.empty();
        }
        if (isConsumer(annotations.annotation(guard.method(), CONSUME_EVENT))) {
            return addBlocking("@ConsumeEvent");
        }
        if (annotations.hasAnnotation(guard.method(), ROUTE_FILTER)) {
            return Optional.of("@RouteFilter calls this method on an event loop. Put @RedisBulkhead on what the routes call");
        }
        return isRoute(guard, usage) ? addBlocking("@Route") : Optional.empty();
    }

    private static Optional<String> addBlocking(String caller) {
        return Optional.of(caller + " calls this method on an event loop. Add @Blocking or @RunOnVirtualThread");
    }

    // The nearest annotation decides: first the method's, then those of the bean's class and its superclasses.
    private static boolean isNonBlocking(GuardedBeanMethod guard, BulkheadUsage usage) {
        AnnotationOverlay annotations = usage.annotations();
        return declarations(guard, usage)
                .filter(declaration -> annotations.hasAnnotation(declaration, NON_BLOCKING)
                        || annotations.hasAnyAnnotation(declaration, OFF_THE_EVENT_LOOP))
                .findFirst()
                .filter(nearest -> annotations.hasAnnotation(nearest, NON_BLOCKING))
                .isPresent();
    }

    // Only those whose form shows that they are the service's: other methods of the class may have other callers.
    private static boolean isGrpc(GuardedBeanMethod guard, BulkheadUsage usage) {
        return usage.classes().superclasses(guard.bean())
                .anyMatch(type -> usage.annotations().hasAnnotation(type, GRPC_SERVICE))
                && guard.method().parameterTypes().stream().anyMatch(type -> STREAM_OBSERVER.equals(type.name()))
                && declarations(guard, usage).noneMatch(
                        declaration -> usage.annotations().hasAnyAnnotation(declaration, OFF_THE_EVENT_LOOP)
                                || usage.annotations().hasAnnotation(declaration, TRANSACTIONAL));
    }

    private static boolean isConsumer(AnnotationInstance consumer) {
        return consumer != null && (consumer.value("blocking") == null || !consumer.value("blocking").asBoolean());
    }

    private static boolean isRoute(GuardedBeanMethod guard, BulkheadUsage usage) {
        return usage.annotations(guard.method(), ROUTE, ROUTES).map(route -> route.value("type"))
                .anyMatch(type -> type == null || !"BLOCKING".equals(type.asEnum()));
    }

    private static Stream<Declaration> declarations(GuardedBeanMethod guard, BulkheadUsage usage) {
        return Stream.concat(Stream.of(guard.method()), usage.classes().superclasses(guard.bean()));
    }
}
