package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.SkippedException;
import io.smallrye.mutiny.Uni;

/**
 * Guards a method whose calls are skipped when a bulkhead is full, so that its admissions fail with {@link SkippedException}:
 * they return null, or a {@code Uni} or stage of null; Kotlin {@code suspend} functions return {@code Unit}. A rejection that
 * the method itself throws, for example by another guarded method that it calls, is not affected; nor is an outage.
 */
public final class SkippingGuard implements Guard {

    private final Guard guard;

    /**
     * Creates the guard.
     *
     * @param guard the strategy for the return type
     */
    public SkippingGuard(Guard guard) {
        this.guard = guard;
    }

    @Override
    public Object call(Supplier<Admission> admissions, Callable<Object> method) throws Exception {
        Object returned;
        try {
            returned = guard.call(admissions, method);
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

    private static <T> Uni<T> recovered(Uni<T> execution) {
        return execution.onFailure(SkippedException.class).recoverWithItem(failure -> {
            ((SkippedException) failure).skip();
            return null;
        });
    }
}
