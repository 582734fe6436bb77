package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;

/** The strategy by which one method is guarded; its return type decides which. Thread-safe. */
@FunctionalInterface
public interface Guard {

    /** A call of a Kotlin {@code suspend} function, whose last argument is its continuation. */
    interface SuspendingCall extends Callable<Object> {

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

    /**
     * Runs the method, or arranges for it to run, once its permits are held.
     *
     * @param admissions requests the permits of one execution; may be called again for each subscription
     * @param method calls the method; may be called again for each subscription; for a {@code suspend} function a
     *        {@link SuspendingCall}
     * @return what the method returned, or an object of the same kind that stands for it
     * @throws Exception what the method threw, or the rejection
     */
    Object call(Supplier<Admission> admissions, Callable<Object> method) throws Exception;

    /**
     * Whether the calling thread waits until the execution has ended, so that calls around it end later.
     *
     * @return {@code false} unless the guard blocks the calling thread
     */
    default boolean isBlocking() {
        return false;
    }

    /**
     * Lets every call through, on any thread: all bulkheads of the method are switched off. The method still sees these
     * permits, and not those of a guarded method around it.
     *
     * @param permits uncounted permits, one for each bulkhead of the method, in their order
     * @return the guard
     */
    static Guard open(List<HeldPermit> permits) {
        Admission held = new Uncounted(permits);
        return (admissions, method) -> HeldPermits.with(held, method);
    }

    /** Never ends, because it counts nowhere. */
    record Uncounted(List<HeldPermit> heldNow) implements Admission {

        @Override
        public CompletionStage<Void> end() {
            return attempted();
        }
    }
}
