package io.quarkiverse.redisbulkhead.runtime.semaphore;

/**
 * Is told how one call gets on. Its methods are called one after the other, by whatever thread, and must neither block nor
 * call the bulkhead.
 */
public interface CallListener {

    /** Of a call that nobody wants to be told about. */
    CallListener NONE = new CallListener() {
    };

    /**
     * The call asks for its permit now. Once and first; never when the call takes several permits and has not got an earlier
     * one.
     */
    default void begins() {
    }

    /** No permit is free, and the call begins to wait. At most once, before {@link #decided}. */
    default void waits() {
    }

    /**
     * The call has a permit, or will have none. Once, before the call goes on.
     *
     * @param result what became of it
     * @param fencingToken the permit's; 0 when there is none
     */
    default void decided(CallResult result, long fencingToken) {
    }

    /** The execution is over, and its permit is about to be given back. Once, after {@link CallResult#runs()}. */
    default void ended() {
    }
}
