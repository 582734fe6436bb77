package io.quarkiverse.redisbulkhead.runtime.bulkhead;

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

    // An array, because the iterator of a list would be an object for each call.
    private final SemaphoreListener[] listeners;

    /**
     * Combines listeners.
     *
     * @param listeners in the order in which they receive events
     */
    public SemaphoreListeners(List<SemaphoreListener> listeners) {
        this.listeners = listeners.toArray(new SemaphoreListener[0]);
    }

    @Override
    public void lost(PermitLost loss) {
        fireAll(listener -> listener.lost(loss));
    }

    @Override
    public CallListener onCall(BulkheadId bulkhead, String method) {
        return onCall(bulkhead, method, 1);
    }

    @Override
    public CallListener onCall(BulkheadId bulkhead, String method, int weight) {
        CallListener all = CallListener.NONE;
        for (SemaphoreListener listener : listeners) {
            CallListener call = onCall(listener, bulkhead, method, weight);
            if (call != CallListener.NONE) {
                all = all == CallListener.NONE ? call : new Call(all, call);
            }
        }
        return all;
    }

    private static CallListener onCall(SemaphoreListener listener, BulkheadId bulkhead, String method, int weight) {
        try {
            return listener.onCall(bulkhead, method, weight);
        } catch (RuntimeException | LinkageError e) {
            LOG.errorf(e, "A listener failed when a call requested a permit of bulkhead '%s'", bulkhead.name());
            return CallListener.NONE;
        }
    }

    @Override
    public void leaked(PermitInUse permit) {
        fireAll(listener -> listener.leaked(permit));
    }

    @Override
    public void heldLong(PermitInUse permit) {
        fireAll(listener -> listener.heldLong(permit));
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
            try {
                event.accept(listener);
            } catch (RuntimeException | LinkageError e) {
                LOG.errorf(e, "%s failed", listener.getClass().getName());
            }
        }
    }

    /** The listeners of one call: a chain, because a list would take more memory. */
    private static final class Call extends CallListener {

        private final CallListener before;
        private final CallListener last;

        private Call(CallListener before, CallListener last) {
            this.before = before;
            this.last = last;
        }

        @Override
        public boolean usesFencingToken() {
            return before.usesFencingToken() || last.usesFencingToken();
        }

        @Override
        protected void onRequested() {
            before.requested();
            last.requested();
        }

        @Override
        protected void onWaiting() {
            before.waiting();
            last.waiting();
        }

        @Override
        protected void onWaited() {
            before.waited();
            last.waited();
        }

        @Override
        protected void onAcquired(CallResult result, long fencingToken) {
            before.acquired(result, fencingToken);
            last.acquired(result, fencingToken);
        }

        @Override
        protected void onRejected(CallResult result) {
            before.rejected(result);
            last.rejected(result);
        }

        @Override
        protected void onReleased(long heldNanos) {
            before.released(heldNanos);
            last.released(heldNanos);
        }
    }
}
