package io.quarkiverse.redisbulkhead.runtime;

import io.quarkus.arc.Arc;
import io.quarkus.arc.InstanceHandle;
import io.quarkus.runtime.shutdown.ShutdownListener;

/**
 * Refuses new calls when the application stops, and lets it wait for the executions that are under way, up to
 * {@code quarkus.shutdown.timeout}.
 */
final class ExecutionsShutdownListener implements ShutdownListener {

    @Override
    public void preShutdown(ShutdownNotification notification) {
        // The application still serves until quarkus.shutdown.delay is over.
        notification.done();
    }

    @Override
    public void shutdown(ShutdownNotification notification) {
        InstanceHandle<BulkheadRuntime> runtime = Arc.container().instance(BulkheadRuntime.class);
        runtime.get().stop().whenComplete((ended, none) -> notification.done());
    }
}
