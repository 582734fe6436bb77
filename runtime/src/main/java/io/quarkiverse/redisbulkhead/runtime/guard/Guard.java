package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException.SkippedException;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.StoreFailures.StoppingException;
import io.smallrye.mutiny.Uni;

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
     * This strategy for one method, if it is made before the method is known, as that for {@code suspend} functions.
     *
     * @param results checks the results of the method when the permits have gone back
     * @return the guard of the method
     */
    default Guard checking(UnfinishedResults results) {
        return this;
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

    /**
     * Guards a method whose calls are skipped when a bulkhead is full, so that its admissions fail with
     * {@link SkippedException}: they return null, or a {@code Uni} or stage of null; Kotlin {@code suspend} functions return
     * {@code Unit}. A rejection that the method itself throws, for example by another guarded method that it calls, is not
     * affected; nor is an outage.
     *
     * @param guard the strategy for the return type
     * @param bulkheads the names of those that skip calls when they are full
     * @param scheduled the method, if the scheduler calls it: runs that get no permit because the application stops are
     *        skipped, too; null for other calls
     * @param listener receives what a skipped call would have failed with; must not block
     */
    record SkippingGuard(Guard guard, Set<String> bulkheads, String scheduled,
            Consumer<BulkheadFullException> listener) implements Guard {

        private static final Logger LOG = Logger.getLogger(SkippingGuard.class);

        @Override
        public Object call(Supplier<Admission> admissions, Callable<Object> method) throws Exception {
            return quietly(() -> guard.call(admissions, method), this::isSkipped, this::skip);
        }

        /**
         * Runs what may end without a result in place of failing.
         *
         * @param execution returns a value, or a {@link Uni} or stage of one
         * @param quiet which failures end it
         * @param listener receives them
         * @return what the execution returned; after such a failure null, or a {@link Uni} or stage of null
         * @throws Exception any other failure
         */
        public static Object quietly(Callable<Object> execution, Predicate<Throwable> quiet, Consumer<Throwable> listener)
                throws Exception {
            Object returned;
            try {
                returned = execution.call();
            } catch (Exception e) {
                if (!quiet.test(e)) {
                    throw e;
                }
                listener.accept(e);
                return null;
            }
            if (returned instanceof Uni<?> uni) {
                return recovered(uni, quiet, listener);
            }
            // The stage of a guard passes a cancellation on.
            return returned instanceof CompletionStage<?> stage
                    ? recovered(Uni.createFrom().completionStage(stage), quiet, listener).subscribeAsCompletionStage()
                    : returned;
        }

        private static <T> Uni<T> recovered(Uni<T> execution, Predicate<Throwable> quiet, Consumer<Throwable> listener) {
            return execution.onFailure(quiet).invoke(listener).onFailure(quiet).recoverWithNull();
        }

        /**
         * Marks the semaphores that skip calls.
         *
         * @param semaphores what a call must pass
         * @return the same, with rejections that {@link #call} understands
         */
        public List<Semaphore> skipping(List<Semaphore> semaphores) {
            return semaphores.stream().map(semaphore -> bulkheads.contains(semaphore.spec().name())
                    ? semaphore.whenFull(full -> new SkippedException(full, listener))
                    : semaphore).toList();
        }

        private boolean isSkipped(Throwable failure) {
            return failure instanceof SkippedException || scheduled != null && failure instanceof StoppingException;
        }

        private void skip(Throwable failure) {
            if (failure instanceof SkippedException skipped) {
                skipped.skip();
            } else {
                LOG.infof("A scheduled run of %s is skipped: the application is stopping", scheduled);
            }
        }
    }
}
