package io.quarkiverse.redisbulkhead.deployment;

import java.util.Optional;
import java.util.function.Consumer;

import org.jboss.jandex.AnnotationOverlay;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.Declaration;

import io.quarkiverse.redisbulkhead.runtime.GuardedMethod.ReturnKind;

/** A synchronous method waits for Redis, so nothing may put it on an event loop. */
final class EventLoopRule implements Rule {

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        ReturnKinds kinds = new ReturnKinds(usage.index());
        for (Guard guard : usage.guards()) {
            if (kinds.of(guard.returns()).equals(Optional.of(ReturnKind.SYNCHRONOUS)) && isNonBlocking(guard, usage)) {
                mistakes.accept(new Mistake(guard.place(), "@NonBlocking puts this method on an event loop, but it is"
                        + " synchronous, so @RedisBulkhead would wait for Redis there. Remove @NonBlocking, or return Uni,"
                        + " Multi or CompletionStage"));
            }
        }
    }

    // The nearest annotation decides: first the method's, then those of the bean's class and its superclasses.
    private static boolean isNonBlocking(Guard guard, BulkheadUsage usage) {
        AnnotationOverlay annotations = usage.annotations();
        if (decides(guard.method(), annotations)) {
            return annotations.hasAnnotation(guard.method(), Names.NON_BLOCKING);
        }
        for (ClassInfo type = guard.bean(); type != null && type.superName() != null; type = usage.index()
                .getClassByName(type.superName())) {
            if (decides(type, annotations)) {
                return annotations.hasAnnotation(type, Names.NON_BLOCKING);
            }
        }
        return false;
    }

    private static boolean decides(Declaration declaration, AnnotationOverlay annotations) {
        return annotations.hasAnnotation(declaration, Names.NON_BLOCKING)
                || annotations.hasAnyAnnotation(declaration, Names.OFF_THE_EVENT_LOOP);
    }
}
