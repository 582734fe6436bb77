package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.Map;

import org.jboss.jandex.DotName;
import org.jboss.jandex.Type;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;

/** The end of a guarded execution must be seen, or the permit would be given back too early. */
final class ObservableEndRule implements Rule {

    private static final Map<DotName, String> ASYNCHRONOUS_PARAMETERS = Map.of(
            DotName.createSimple("kotlin.coroutines.Continuation"), "it is a Kotlin suspend function",
            DotName.createSimple("jakarta.ws.rs.container.AsyncResponse"), "it answers through an AsyncResponse");

    @Override
    public void check(BulkheadUsage usage, ValidationErrors errors) {
        for (GuardedBeanMethod guard : usage.guards()) {
            if (usage.returnKinds().of(guard.returns()).isEmpty()) {
                report(guard, "it returns " + guard.returns().name(), errors);
            }
            for (Type parameter : guard.method().parameterTypes()) {
                String reason = ASYNCHRONOUS_PARAMETERS.get(parameter.name());
                if (reason != null) {
                    report(guard, reason, errors);
                }
            }
        }
    }

    private static void report(GuardedBeanMethod guard, String reason, ValidationErrors errors) {
        errors.add(MessageCode.RBH014, guard.place(),
                "@RedisBulkhead cannot see when an execution of this method ends, because "
                        + reason + ". Return Uni, Multi, CompletionStage, CompletableFuture, or the plain value");
    }
}
