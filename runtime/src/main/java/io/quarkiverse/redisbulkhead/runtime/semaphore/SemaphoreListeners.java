package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.ArrayList;
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
        fire(listeners, listener -> listener.lost(loss));
    }

    @Override
    public CallListener onCall(BulkheadId bulkhead, String method) {
        List<CallListener> interested = null;
        for (SemaphoreListener listener : listeners) {
            CallListener call = onCall(listener, bulkhead, method);
            if (call != CallListener.NONE) {
                interested = interested == null ? new ArrayList<>(listeners.size()) : interested;
                interested.add(call);
            }
        }
        return interested == null ? CallListener.NONE : new Call(interested);
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
    public void renewalFailed(BulkheadId bulkhead, int permits, Throwable failure) {
        fire(listeners, listener -> listener.renewalFailed(bulkhead, permits, failure));
    }

    private static <T> void fire(List<T> listeners, Consumer<T> event) {
        for (T listener : listeners) {
            try {
                event.accept(listener);
            } catch (RuntimeException | LinkageError e) {
                LOG.errorf(e, "%s failed", listener.getClass().getName());
            }
        }
    }

    private record Call(List<CallListener> listeners) implements CallListener {

        @Override
        public void requested() {
            fire(listeners, CallListener::requested);
        }

        @Override
        public void waiting() {
            fire(listeners, CallListener::waiting);
        }

        @Override
        public void acquired(CallResult result, long fencingToken) {
            fire(listeners, listener -> listener.acquired(result, fencingToken));
        }

        @Override
        public void rejected(CallResult result) {
            fire(listeners, listener -> listener.rejected(result));
        }

        @Override
        public void released() {
            fire(listeners, CallListener::released);
        }
    }
}
