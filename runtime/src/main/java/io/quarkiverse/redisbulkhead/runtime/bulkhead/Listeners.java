package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.message.LogMessage;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * Passes events to listeners, in the order in which they were added. Exceptions, and errors of an incompatible library version,
 * are logged: they affect neither the other listeners nor the call. Thread-safe.
 */
final class Listeners {

    private static final Logger LOG = Logger.getLogger(Listeners.class);

    private final List<SemaphoreListener> all = new CopyOnWriteArrayList<>();

    void add(SemaphoreListener listener) {
        all.add(listener);
    }

    void fire(Consumer<SemaphoreListener> event) {
        fire(all, event);
    }

    /** The listeners of a call; most applications have none. */
    List<CallListener> onCall(BulkheadId bulkhead, String method, int weight) {
        List<CallListener> ofCall = List.of();
        // By index: an iterator would be an object for each call.
        for (int index = 0; index < all.size(); index++) {
            SemaphoreListener listener = all.get(index);
            CallListener call = CallListener.NONE;
            try {
                call = listener.onCall(bulkhead, method, weight);
            } catch (RuntimeException | LinkageError e) {
                logFailure(listener, e);
            }
            if (call != CallListener.NONE) {
                ofCall = ofCall.isEmpty() ? new ArrayList<>(all.size()) : ofCall;
                ofCall.add(call);
            }
        }
        return ofCall;
    }

    static <L> void fire(List<L> listeners, Consumer<L> event) {
        for (int index = 0; index < listeners.size(); index++) {
            L listener = listeners.get(index);
            try {
                event.accept(listener);
            } catch (RuntimeException | LinkageError e) {
                logFailure(listener, e);
            }
        }
    }

    private static void logFailure(Object listener, Throwable failure) {
        LOG.errorf(failure, "%s failed. %s", listener.getClass().getName(), LogMessage.UNEXPECTED);
    }
}
