package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HeldPermit;
import io.smallrye.mutiny.Multi;

/**
 * Guards a method that returns a {@link Multi}. Each subscription takes permits, calls the method, and gives the
 * permits back at completion, failure or cancellation of the stream.
 */
public final class MultiGuard implements Guard {

    private final String bulkhead;
    private final Patience patience;
    private final LossSignal lossSignal;

    /**
     * Creates the guard.
     *
     * @param bulkhead the name of its first bulkhead, for messages
     * @param continuations where executions go on that had to wait
     */
    public MultiGuard(String bulkhead, Continuations continuations) {
        this.bulkhead = bulkhead;
        this.patience = new Patience(continuations);
        this.lossSignal = new LossSignal(continuations);
    }

    @Override
    public Multi<Object> call(Supplier<Admission> admissions, Callable<Object> method) {
        return Multi.createFrom().deferred(() -> {
            Admission admission = admissions.get();
            return CancelThenEnd.multi(patience.await(bulkhead, admission)
                    .onItem().transformToMulti(permits -> stream(permits, method))
                    .onCompletion().call(() -> patience.awaitEnd(admission::end))
                    .onFailure().call(() -> patience.awaitEnd(admission::end)), admission::end);
        });
    }

    @SuppressWarnings("unchecked")
    private Multi<Object> stream(List<HeldPermit> permits, Callable<Object> method) {
        try {
            return lossSignal.endBy(permits, Returned.value((Multi<Object>) HeldPermits.with(permits, method),
                    bulkhead, "Multi"));
        } catch (Exception e) {
            return Multi.createFrom().failure(e);
        }
    }
}
