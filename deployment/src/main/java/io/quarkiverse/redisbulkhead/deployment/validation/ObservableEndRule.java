package io.quarkiverse.redisbulkhead.deployment.validation;

import org.jboss.jandex.DotName;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;

/** The end of a guarded execution must be seen, or the permit would be given back too early. */
final class ObservableEndRule implements Rule {

    private static final DotName ASYNC_RESPONSE = DotName.createSimple("jakarta.ws.rs.container.AsyncResponse");

    private static final String RETURN_ANOTHER = "Return Uni, Multi, CompletionStage, CompletableFuture, or the plain value";

    private final boolean coroutines;

    /**
     * Creates the rule.
     *
     * @param coroutines whether the application has the library of coroutines
     */
    ObservableEndRule(boolean coroutines) {
        this.coroutines = coroutines;
    }

    @Override
    public void check(BulkheadUsage usage, ValidationErrors errors) {
        for (GuardedBeanMethod guard : usage.guards()) {
            if (usage.returnKinds().of(guard).isEmpty()) {
                report(guard, "it returns " + guard.result().name() + ". " + RETURN_ANOTHER, errors);
            } else if (guard.suspends() && !coroutines) {
                report(guard, "it is a Kotlin suspend function, and the application has no kotlinx-coroutines-core. Add the "
                        + "dependency org.jetbrains.kotlinx:kotlinx-coroutines-core", errors);
            }
            if (guard.method().parameterTypes().stream().anyMatch(type -> ASYNC_RESPONSE.equals(type.name()))) {
                report(guard, "it answers through an AsyncResponse. " + RETURN_ANOTHER, errors);
            }
        }
    }

    private static void report(GuardedBeanMethod guard, String reason, ValidationErrors errors) {
        errors.add(MessageCode.RBH014, guard.place(),
                "@RedisBulkhead cannot see when an execution of this method ends, because " + reason);
    }
}
