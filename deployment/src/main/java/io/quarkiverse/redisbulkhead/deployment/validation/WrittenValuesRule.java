package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.deployment.discovery.AnnotatedElement;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.WrittenBulkhead;

/** Each value that an annotation states must be valid by itself. */
final class WrittenValuesRule implements Rule {

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        for (AnnotatedElement element : usage.elements()) {
            for (WrittenBulkhead bulkhead : element.bulkheads()) {
                check(() -> SemaphoreSpec.named(bulkhead.name()), element, "@RedisBulkhead", mistakes);
                String annotation = Texts.annotation(bulkhead.name());
                if (bulkhead.statesPermits()) {
                    check(() -> SemaphoreSpec.named("any").permits(bulkhead.permits()), element, annotation, mistakes);
                }
                check(() -> DurationText.EXPIRE.parse(bulkhead.expire()), element, annotation, mistakes);
                check(() -> DurationText.MAX_WAIT.parse(bulkhead.maxWait()), element, annotation, mistakes);
            }
        }
    }

    private static void check(Runnable reading, AnnotatedElement element, String annotation, Consumer<Mistake> mistakes) {
        try {
            reading.run();
        } catch (IllegalArgumentException e) {
            mistakes.accept(new Mistake(element.place(), annotation + ": " + e.getMessage()));
        }
    }
}
