package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.message.LogMessage;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * Several listeners as one. Exceptions, and errors of an incompatible library version, are logged. They affect neither the
 * other listeners nor the call.
 *
 * @param listeners in the order in which they receive events
 */
public record SemaphoreListeners(List<SemaphoreListener> listeners) implements SemaphoreListener {

    private static final Logger LOG = Logger.getLogger(SemaphoreListeners.class);

    @Override
    public void lost(PermitLost loss) {
        each(listeners, listener -> listener.lost(loss));
    }

    @Override
    public void nestedCallRejected(String method, RuntimeException rejection) {
        each(listeners, listener -> listener.nestedCallRejected(method, rejection));
    }

    @Override
    public void renewalFailed(BulkheadId bulkhead, int permits, Throwable failure) {
        each(listeners, listener -> listener.renewalFailed(bulkhead, permits, failure));
    }

    @Override
    public void limitsDiffer(BulkheadId bulkhead, int own, Set<Integer> others) {
        each(listeners, listener -> listener.limitsDiffer(bulkhead, own, others));
    }

    @Override
    public void leaked(PermitInUse permit) {
        each(listeners, listener -> listener.leaked(permit));
    }

    @Override
    public void heldLong(PermitInUse permit) {
        each(listeners, listener -> listener.heldLong(permit));
    }

    @Override
    public CallListener onCall(BulkheadId bulkhead, String method, int weight) {
        List<CallListener> ofCall = null;
        // By index: an iterator would be an object for each call.
        for (int index = 0; index < listeners.size(); index++) {
            CallListener call = onCall(listeners.get(index), bulkhead, method, weight);
            if (call != CallListener.NONE) {
                ofCall = ofCall == null ? new ArrayList<>(listeners.size()) : ofCall;
                ofCall.add(call);
            }
        }
        return ofCall == null ? CallListener.NONE : new OfCall(ofCall);
    }

    private static CallListener onCall(SemaphoreListener listener, BulkheadId bulkhead, String method, int weight) {
        try {
            return listener.onCall(bulkhead, method, weight);
        } catch (RuntimeException | LinkageError e) {
            LOG.errorf(e, "%s failed when a call requested a permit of bulkhead '%s'. %s", listener.getClass().getName(),
                    bulkhead.name(), LogMessage.UNEXPECTED);
            return CallListener.NONE;
        }
    }

    private record OfCall(List<CallListener> listeners) implements CallListener {

        @Override
        public void requested() {
            each(listeners, CallListener::requested);
        }

        @Override
        public void waiting() {
            each(listeners, CallListener::waiting);
        }

        @Override
        public void acquired(CallResult result, HeldPermit permit) {
            each(listeners, listener -> listener.acquired(result, permit));
        }

        @Override
        public void rejected(CallResult result) {
            each(listeners, listener -> listener.rejected(result));
        }

        @Override
        public void released(long heldNanos) {
            each(listeners, listener -> listener.released(heldNanos));
        }
    }

    private static <L> void each(List<L> listeners, Consumer<L> event) {
        for (L listener : listeners) {
            try {
                event.accept(listener);
            } catch (RuntimeException | LinkageError e) {
                LOG.errorf(e, "%s failed. %s", listener.getClass().getName(), LogMessage.UNEXPECTED);
            }
        }
    }
}
