package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.smallrye.mutiny.Uni;

/**
 * Guards a method that returns a {@link Uni}. Each subscription takes permits, calls the method, and gives the
 * permits back at item, failure or cancellation; the outcome is passed on when they are back. On an event loop no
 * thread waits.
 */
public final class UniGuard implements Guard {

    private final String bulkhead;
    private final Supplier<Admission> admissions;

    /**
     * Creates the guard.
     *
     * @param bulkhead the name of its first bulkhead, for messages
     * @param admissions asks for the permits of one execution
     */
    public UniGuard(String bulkhead, Supplier<Admission> admissions) {
        this.bulkhead = bulkhead;
        this.admissions = admissions;
    }

    @Override
    @SuppressWarnings("unchecked")
    public Uni<Object> call(Callable<Object> method) {
        return guard(() -> Objects.requireNonNull((Uni<Object>) method.call(),
                "The guarded method returned null instead of a Uni"));
    }

    /** Guards whatever a call turns into. */
    Uni<Object> guard(Callable<Uni<Object>> execution) {
        return Uni.createFrom().deferred(() -> {
            Admission admission = admissions.get();
            return Patience.await(bulkhead, admission::granted)
                    .chain(() -> start(execution))
                    .onItemOrFailure().call((item, failure) -> Patience.awaitEnd(admission::end))
                    // Without waiting, so that a permit that is granted later does not start the method any more.
                    .onCancellation().invoke(admission::end);
        });
    }

    private static Uni<Object> start(Callable<Uni<Object>> execution) {
        try {
            return execution.call();
        } catch (Exception e) {
            return Uni.createFrom().failure(e);
        }
    }
}
