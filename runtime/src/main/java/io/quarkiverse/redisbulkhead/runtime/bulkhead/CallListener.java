package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import org.jboss.logging.Logger;

/**
 * Receives the events of one call, or of several that need not be told apart. The events of a call come one after the other, on
 * any thread, sometimes while a lock is held: methods must neither block nor call the bulkhead. Exceptions, and errors of an
 * incompatible library version, are logged and do not affect the call.
 */
public abstract class CallListener {

    /** Ignores all events. */
    public static final CallListener NONE = new CallListener() {
    };

    private static final Logger LOG = Logger.getLogger(CallListener.class);

    /** The call requests its permit. */
    public final void requested() {
        try {
            onRequested();
        } catch (RuntimeException | LinkageError e) {
            failed(e);
        }
    }

    /** The call starts to wait. */
    public final void waiting() {
        try {
            onWaiting();
        } catch (RuntimeException | LinkageError e) {
            failed(e);
        }
    }

    /** The wait is over. */
    public final void waited() {
        try {
            onWaited();
        } catch (RuntimeException | LinkageError e) {
            failed(e);
        }
    }

    /**
     * The call has a permit.
     *
     * @param result {@link CallResult#ACCEPTED} or {@link CallResult#BYPASSED}
     * @param fencingToken the fencing token of the permit; 0 for a permit that was given without one
     */
    public final void acquired(CallResult result, long fencingToken) {
        try {
            onAcquired(result, fencingToken);
        } catch (RuntimeException | LinkageError e) {
            failed(e);
        }
    }

    /**
     * Whether {@link #acquired} needs the fencing token. Otherwise it may be 0 for any permit: tokens are drawn on demand, and
     * each one that is drawn brings the next request to the store nearer.
     *
     * @return the same for the whole call
     */
    public boolean usesFencingToken() {
        return false;
    }

    /**
     * The call gets no permit.
     *
     * @param result why
     */
    public final void rejected(CallResult result) {
        try {
            onRejected(result);
        } catch (RuntimeException | LinkageError e) {
            failed(e);
        }
    }

    /**
     * The execution ended or detached its permit.
     *
     * @param heldNanos how long it held the permit
     */
    public final void released(long heldNanos) {
        try {
            onReleased(heldNanos);
        } catch (RuntimeException | LinkageError e) {
            failed(e);
        }
    }

    private void failed(Throwable failure) {
        LOG.errorf(failure, "%s failed", getClass().getName());
    }

    /** First event, and once; never for a call that needs several permits and did not get an earlier one. */
    protected void onRequested() {
    }

    /** No permit is free. At most once, before the outcome. */
    protected void onWaiting() {
    }

    /** The outcome of a call that was waiting follows. */
    protected void onWaited() {
    }

    /** Once, unless the call is rejected, and before it continues; see {@link #acquired}. */
    protected void onAcquired(CallResult result, long fencingToken) {
    }

    /** Once, unless the call acquires a permit, and before it continues; see {@link #rejected}. */
    protected void onRejected(CallResult result) {
    }

    /** The release follows. Once, after {@link #onAcquired}; see {@link #released}. */
    protected void onReleased(long heldNanos) {
    }
}
