package io.quarkiverse.redisbulkhead.runtime;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import jakarta.enterprise.event.Event;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.SemaphoreListener;
import io.quarkiverse.redisbulkhead.runtime.message.LogMessage;
import io.quarkus.arc.Arc;

/**
 * Fires a CDI event for each lost permit. Observers may block, so they run on a worker thread.
 *
 * @param event notifies them
 * @param workers run them
 */
record PermitLostEvents(Event<PermitLost> event, Executor workers) implements SemaphoreListener {

    private static final Logger LOG = Logger.getLogger(PermitLostEvents.class);

    @Override
    public void lost(PermitLost loss) {
        try {
            workers.execute(() -> fire(loss));
        } catch (RejectedExecutionException e) {
            LOG.errorf(e, "No worker thread is free to notify the observers of %s. %s", loss, LogMessage.OBSERVER_FAILED);
        }
    }

    private void fire(PermitLost loss) {
        try {
            event.fireAsync(loss).exceptionally(failure -> {
                LOG.errorf(failure, "An asynchronous observer of %s failed. %s", loss, LogMessage.OBSERVER_FAILED);
                return null;
            });
            event.fire(loss);
        } catch (RuntimeException e) {
            // Without a container, the application has stopped meanwhile, and its observers with it.
            if (Arc.container() != null) {
                LOG.errorf(e, "An observer of %s failed. %s", loss, LogMessage.OBSERVER_FAILED);
            }
        }
    }
}
