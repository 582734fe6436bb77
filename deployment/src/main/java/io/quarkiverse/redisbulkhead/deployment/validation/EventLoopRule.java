package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

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

    private final EventLoopEntries entries;

    EventLoopRule(EventLoopEntries entries) {
        this.entries = entries;
    }

    @Override
    public void check(BulkheadUsage usage, ValidationErrors errors) {
        for (GuardedBeanMethod guard : usage.guards()) {
            if (usage.returnKinds().of(guard).equals(Optional.of(ReturnKind.SYNCHRONOUS))) {
                reason(guard, usage).ifPresent(reason -> errors.add(MessageCode.RBH015, guard.place(), reason
                        + ", or return Uni, Multi or CompletionStage: the method is synchronous, so @RedisBulkhead would wait"
                        + " for Redis there"));
            }
        }
    }

    private Optional<String> reason(GuardedBeanMethod guard, BulkheadUsage usage) {
        return isNonBlocking(guard, usage)
                ? Optional.of("@NonBlocking puts this method on an event loop. Remove @NonBlocking")
                : entries.of(guard, usage);
    }

    // The nearest annotation decides: first the method's, then those of the bean's class and its superclasses.
    private static boolean isNonBlocking(GuardedBeanMethod guard, BulkheadUsage usage) {
        AnnotationOverlay annotations = usage.annotations();
        return Stream.<Declaration> concat(Stream.of(guard.method()), usage.superclasses().from(guard.bean()))
                .filter(declaration -> decides(declaration, annotations))
                .findFirst()
                .filter(nearest -> annotations.hasAnnotation(nearest, NON_BLOCKING))
                .isPresent();
    }

    private static boolean decides(Declaration declaration, AnnotationOverlay annotations) {
        return annotations.hasAnnotation(declaration, NON_BLOCKING)
                || annotations.hasAnyAnnotation(declaration, OFF_THE_EVENT_LOOP);
    }
}
