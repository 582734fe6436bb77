package io.quarkiverse.redisbulkhead.deployment;

import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.bootstrap.classloading.QuarkusClassLoader;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;

/** Guards Kotlin {@code suspend} functions where the application has coroutines. */
class CoroutinesProcessor {

    // By name: it needs Kotlin.
    private static final String GUARD = "io.quarkiverse.redisbulkhead.runtime.guard.SuspendingGuard";

    private static final String COROUTINES = "kotlinx.coroutines.CancellableContinuation";

    /** Whether the application has kotlinx-coroutines-core, which only its users need. */
    static boolean arePresent() {
        return QuarkusClassLoader.isClassPresentAtRuntime(COROUTINES);
    }

    @BuildStep
    void guard(BuildProducer<AdditionalBeanBuildItem> beans) {
        if (arePresent()) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(GUARD));
        }
    }
}
