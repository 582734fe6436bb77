package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HeldPermit;
import io.smallrye.mutiny.Uni;

/**
 * Guards a method that returns a {@link Uni}. Each subscription takes permits, calls the method, and gives the
 * permits back at item, failure or cancellation, as {@link SynchronousGuard} does. While it waits for a permit, no thread
 * does.
 */
public final class UniGuard implements Guard {

    private final String bulkhead;
    private final Patience patience;
    private final LossSignal lossSignal;

    /**
     * Creates the guard.
     *
     * @param bulkhead the name of its first bulkhead, for messages
     * @param continuations where executions go on that had to wait
     */
    public UniGuard(String bulkhead, Continuations continuations) {
        this.bulkhead = bulkhead;
        this.patience = new Patience(continuations);
        this.lossSignal = new LossSignal(continuations);
    }

    @Override
    @SuppressWarnings("unchecked")
    public Uni<Object> call(Supplier<Admission> admissions, Callable<Object> method) {
        return guard(admissions, () -> Returned.value((Uni<Object>) method.call(), bulkhead, "Uni"));
    }

    /**
     * Guards whatever a call turns into.
     *
     * @param admissions asks for the permits of one execution
     * @param execution called with the permits held
     * @return the guarded execution, one per subscription
     */
    public <T> Uni<T> guard(Supplier<Admission> admissions, Callable<Uni<T>> execution) {
        return Uni.createFrom().deferred(() -> {
            Admission admission = admissions.get();
            List<HeldPermit> held = admission.heldNow();
            Uni<T> running = held.isEmpty()
                    ? patience.await(bulkhead, admission).chain(permits -> start(permits, execution))
                    : start(held, execution);
            return CancelThenEnd.uni(running
                    .onItemOrFailure().call((item, failure) -> patience.awaitEnd(admission::end)), admission::end);
        });
    }

    private <T> Uni<T> start(List<HeldPermit> permits, Callable<Uni<T>> execution) {
        try {
            return lossSignal.endBy(permits, HeldPermits.with(permits, execution));
        } catch (Throwable e) {
            // Whatever it is, the permits must be given back.
            return Uni.createFrom().failure(e);
        }
    }
}
