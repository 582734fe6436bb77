package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.List;
import java.util.function.Consumer;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * Several listeners as one. Exceptions, and errors of an incompatible library version, are logged. They affect neither the
 * other listeners nor the call.
 */
public final class SemaphoreListeners implements SemaphoreListener {

    private static final Logger LOG = Logger.getLogger(SemaphoreListeners.class);

    private final List<SemaphoreListener> listeners;

    /**
     * Combines listeners.
     *
     * @param listeners in the order in which they receive events
     */
    public SemaphoreListeners(List<SemaphoreListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    @Override
    public void lost(PermitLost loss) {
        fireAll(listener -> listener.lost(loss));
    }

    @Override
    public CallListener onCall(BulkheadId bulkhead, String method) {
        CallListener all = CallListener.NONE;
        for (SemaphoreListener listener : listeners) {
            CallListener call = onCall(listener, bulkhead, method);
            if (call != CallListener.NONE) {
                all = new Call(all, call);
            }
        }
        return all;
    }

    private static CallListener onCall(SemaphoreListener listener, BulkheadId bulkhead, String method) {
        try {
            return listener.onCall(bulkhead, method);
        } catch (RuntimeException | LinkageError e) {
            LOG.errorf(e, "A listener failed when a call requested a permit of bulkhead '%s'", bulkhead.name());
            return CallListener.NONE;
        }
    }

    @Override
    public void nestedCallRejected(String method, RuntimeException rejection) {
        fireAll(listener -> listener.nestedCallRejected(method, rejection));
    }

    @Override
    public void renewalFailed(BulkheadId bulkhead, int permits, Throwable failure) {
        fireAll(listener -> listener.renewalFailed(bulkhead, permits, failure));
    }

    private void fireAll(Consumer<SemaphoreListener> event) {
        for (SemaphoreListener listener : listeners) {
            fire(listener, event);
        }
    }

    private static <T> void fire(T listener, Consumer<T> event) {
        try {
            event.accept(listener);
        } catch (RuntimeException | LinkageError e) {
            failed(listener, e);
        }
    }

    private static void failed(Object listener, Throwable failure) {
        LOG.errorf(failure, "%s failed", listener.getClass().getName());
    }

    /** The listeners of one call: a chain, because a list would take more memory. */
    private record Call(CallListener before, CallListener last) implements CallListener {

        @Override
        public void requested() {
            before.requested();
            fire(last, CallListener::requested);
        }

        @Override
        public void waiting() {
            before.waiting();
            fire(last, CallListener::waiting);
        }

        @Override
        public void acquired(CallResult result, long fencingToken) {
            before.acquired(result, fencingToken);
            try {
                // Most calls come here, and a lambda would be an object for each.
                last.acquired(result, fencingToken);
            } catch (RuntimeException | LinkageError e) {
                failed(last, e);
            }
        }

        @Override
        public void rejected(CallResult result) {
            before.rejected(result);
            fire(last, listener -> listener.rejected(result));
        }

        @Override
        public void released() {
            before.released();
            fire(last, CallListener::released);
        }
    }
}
