package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.Set;

import org.jboss.jandex.DotName;
import org.jboss.jandex.Type;

import io.quarkiverse.redisbulkhead.deployment.discovery.AiServices;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.ReturnKind;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;

/**
 * The end of a guarded execution must be observable, or the permit would be released too early.
 *
 * @param coroutines whether the application has the library of coroutines
 */
record ObservableEndRule(boolean coroutines) implements Rule {

    private static final Set<DotName> ANSWERED_THROUGH = Set.of(
            DotName.createSimple("jakarta.ws.rs.container.AsyncResponse"),
            DotName.createSimple("jakarta.ws.rs.sse.SseEventSink"));

    private static final String RETURN_ANOTHER = ". Return Uni, Multi, CompletionStage, CompletableFuture, or the plain value";
    private static final String RETURN_ANOTHER_FROM_AI_SERVICE = ". Return Multi or the plain value";

    @Override
    public void check(BulkheadUsage usage, ValidationErrors errors) {
        for (GuardedBeanMethod guard : usage.guards()) {
            if (guard.returnKind().isEmpty()) {
                report(guard, "it returns " + returned(guard.result()) + (AiServices.isRegistered(guard.owner())
                        ? RETURN_ANOTHER_FROM_AI_SERVICE
                        : RETURN_ANOTHER), errors);
            } else if (guard.returnKind().get() == ReturnKind.SUSPENDING && !coroutines) {
                report(guard, "it is a Kotlin suspend function, and the application has no kotlinx-coroutines-core. Add the "
                        + "dependency org.jetbrains.kotlinx:kotlinx-coroutines-core", errors);
            }
            guard.method().parameterTypes().stream().map(Type::name).filter(ANSWERED_THROUGH::contains).findFirst()
                    .ifPresent(type -> report(guard, "it answers through an " + type.withoutPackagePrefix() + RETURN_ANOTHER,
                            errors));
        }
    }

    // A type argument or the type of an array's elements may be what cannot be observed.
    private static String returned(Type type) {
        return switch (type.kind()) {
            case PARAMETERIZED_TYPE, ARRAY -> type.toString();
            default -> type.name().toString();
        };
    }

    private static void report(GuardedBeanMethod guard, String reason, ValidationErrors errors) {
        errors.add(MessageCode.RBH014, guard.place(),
                "@RedisBulkhead cannot see when an execution of this method ends, because " + reason);
    }
}
