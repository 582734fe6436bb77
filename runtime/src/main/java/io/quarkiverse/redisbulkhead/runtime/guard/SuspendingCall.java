package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.concurrent.Callable;

/** A call of a Kotlin {@code suspend} function, whose last argument is its continuation. */
public interface SuspendingCall extends Callable<Object> {

    /** The continuation of the caller. */
    Object continuation();

    /**
     * Calls the function with another continuation.
     *
     * @param continuation gets the result if the function suspends
     * @return the result, or the mark that the function has suspended
     * @throws Exception what the function threw before it suspended
     */
    Object call(Object continuation) throws Exception;
}
