package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.smallrye.mutiny.Multi;

/**
 * Guards a method that returns a {@link Multi}. Each subscription takes permits, calls the method, and gives the
 * permits back at completion, failure or cancellation of the stream.
 */
public final class MultiGuard implements Guard {

    private final String bulkhead;
    private final Supplier<Admission> admissions;

    /**
     * Creates the guard.
     *
     * @param bulkhead the name of its first bulkhead, for messages
     * @param admissions asks for the permits of one execution
     */
    public MultiGuard(String bulkhead, Supplier<Admission> admissions) {
        this.bulkhead = bulkhead;
        this.admissions = admissions;
    }

    @Override
    public Multi<Object> call(Callable<Object> method) {
        return Multi.createFrom().deferred(() -> {
            Admission admission = admissions.get();
            return Patience.await(bulkhead, admission::granted)
                    .onItem().transformToMulti(granted -> stream(method))
                    .onCompletion().call(() -> Patience.awaitEnd(admission::end))
                    .onFailure().call(() -> Patience.awaitEnd(admission::end))
                    // Without waiting, so that a permit that is granted later does not start the method any more.
                    .onCancellation().invoke(admission::end);
        });
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
