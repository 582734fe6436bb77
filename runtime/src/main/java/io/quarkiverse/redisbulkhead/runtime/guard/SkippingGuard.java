package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.semaphore.WaitsOn;
import io.smallrye.mutiny.Uni;

/**
 * Guards a method whose calls are skipped when a bulkhead is full: they return null, or a {@code Uni} or stage of null; Kotlin
 * {@code suspend} functions return {@code Unit}. A rejection that the method itself throws, for example by another guarded
 * method that it calls, is not affected; nor is an
 * outage.
 */
public final class SkippingGuard implements Guard {

    /** Which full bulkheads skip a call. */
    public interface Skips {

        /**
         * Whether a full bulkhead skips the call.
         *
         * @param bulkhead its name
         * @return {@code false} when the call is rejected
         */
        boolean skips(String bulkhead);

        /**
         * The call is skipped. Must not block.
         *
         * @param rejection what it would have failed with
         */
        void skipped(BulkheadFullException rejection);
    }

    private final Guard guard;
    private final Skips skips;

    /**
     * Creates the guard.
     *
     * @param guard the strategy for the return type
     * @param skips which bulkheads skip calls
     */
    public SkippingGuard(Guard guard, Skips skips) {
        this.guard = guard;
        this.skips = skips;
    }

    @Override
    public WaitsOn waitsOn() {
        return guard.waitsOn();
    }

    @Override
    public Object call(Supplier<Admission> admissions, Callable<Object> method) throws Exception {
        Object returned;
        try {
            returned = guard.call(() -> new SkippableAdmission(admissions.get(), skips), method);
        } catch (SkippedException e) {
            e.skip();
            return null;
        }
        if (returned instanceof Uni<?> uni) {
            return recovered(uni);
        }
        // What the guard of stages returns, which passes a cancellation on.
        return returned instanceof CompletableFuture<?> stage
                ? recovered(Uni.createFrom().completionStage(stage)).subscribeAsCompletionStage()
                : returned;
    }

    private <T> Uni<T> recovered(Uni<T> execution) {
        return execution.onFailure(SkippedException.class).recoverWithItem(failure -> {
            ((SkippedException) failure).skip();
            return null;
        });
    }

    /** Tells rejections that skip the call from those that the method throws. */
    private record SkippableAdmission(Admission admission, Skips skips) implements Admission {

        @Override
        public List<HeldPermit> heldNow() {
            return admission.heldNow();
        }

        @Override
        public CompletionStage<List<HeldPermit>> granted() {
            return admission.granted().exceptionallyCompose(failure -> {
                Throwable rejection = failure instanceof CompletionException ? failure.getCause() : failure;
                return CompletableFuture.failedStage(
                        rejection instanceof BulkheadFullException full && skips.skips(full.name())
                                ? new SkippedException(full, skips)
                                : rejection);
            });
        }

        @Override
        public CompletionStage<Void> attempted() {
            return admission.attempted();
        }

        @Override
        public CompletionStage<Void> end() {
            return admission.end();
        }
    }

    /** The rejection of a call that is skipped. */
    static final class SkippedException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final transient BulkheadFullException rejection;
        private final transient Skips skips;

        private SkippedException(BulkheadFullException rejection, Skips skips) {
            super(rejection.getMessage(), rejection, false, false);
            this.rejection = rejection;
            this.skips = skips;
        }

        void skip() {
            skips.skipped(rejection);
        }
    }
}
