package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/**
 * Guards a method that returns a {@link Multi}. Each subscription takes permits, calls the method, and gives the permits back
 * at
 * completion, failure or cancellation of the stream.
 */
public final class MultiGuard implements Guard {

    private final Supplier<Admission> admissions;

    /**
     * Creates the guard.
     *
     * @param admissions asks for the permits of one execution
     */
    public MultiGuard(Supplier<Admission> admissions) {
        this.admissions = admissions;
    }

    @Override
    public Multi<Object> call(Callable<Object> method) {
        return Multi.createFrom().deferred(() -> {
            CallerContext caller = CallerContext.capture();
            Admission admission = admissions.get();
            return Uni.createFrom().completionStage(admission.granted())
                    .emitOn(caller)
                    .onItem().transformToMulti(granted -> stream(method))
                    .onCompletion().call(() -> ended(admission, caller))
                    .onFailure().call(() -> ended(admission, caller))
                    // Without waiting, so that a permit that is granted later does not start the method any more.
                    .onCancellation().invoke(admission::end);
        });
    }

    private static Uni<Void> ended(Admission admission, CallerContext caller) {
        return Uni.createFrom().completionStage(admission.end()).emitOn(caller);
    }

    @SuppressWarnings("unchecked")
    private static Multi<Object> stream(Callable<Object> method) {
        try {
            return Objects.requireNonNull((Multi<Object>) method.call(), "The guarded method returned null instead of a Multi");
        } catch (Exception e) {
            return Multi.createFrom().failure(e);
        }
    }
}
