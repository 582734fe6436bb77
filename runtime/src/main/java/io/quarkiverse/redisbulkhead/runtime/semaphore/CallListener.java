package io.quarkiverse.redisbulkhead.runtime.semaphore;

/**
 * Receives the events of one call. They come one after the other, on any thread, sometimes while a lock is held: methods must
 * neither block nor call the bulkhead.
 */
public interface CallListener {

    /** Ignores all events. */
    CallListener NONE = new CallListener() {
    };

    /**
     * The call requests its permit. First event, and once; never for a call that needs several permits and did not get an
     * earlier one.
     */
    default void requested() {
    }

    /** No permit is free, and the call starts to wait. At most once, before the outcome. */
    default void waiting() {
    }

    /**
     * The call has a permit. Once, unless it is rejected, and before the call continues.
     *
     * @param result {@link CallResult#ACCEPTED} or {@link CallResult#BYPASSED}
     * @param fencingToken the fencing token of the permit; 0 for a permit that was given without one
     */
    default void acquired(CallResult result, long fencingToken) {
    }

    /**
     * The call gets no permit. Once, unless it acquires one, and before the call continues.
     *
     * @param result why
     */
    default void rejected(CallResult result) {
    }

    /** The execution ended or detached its permit; the release follows. Once, after {@link #acquired}. */
    default void released() {
    }
}
