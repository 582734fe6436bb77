package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HeldPermit;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/**
 * Guards methods whose execution ends after they have returned. {@link #uni}, {@link #multi} and {@link #stage} are one
 * {@link Guard} each. No thread waits for a permit.
 */
public final class AsyncGuard {

    private final String bulkhead;
    private final AsyncWait wait;
    private final LossSignal lossSignal;

    /**
     * Creates the guard.
     *
     * @param bulkhead the name of the method's first bulkhead, for messages
     * @param continuations runs executions that had to wait
     */
    public AsyncGuard(String bulkhead, Continuations continuations) {
        this.bulkhead = bulkhead;
        this.wait = new AsyncWait(continuations);
        this.lossSignal = new LossSignal(continuations);
    }

    /**
     * Guards a method that returns a {@link Uni}. Each subscription acquires permits, calls the method, and releases the
     * permits at item, failure or cancellation.
     *
     * @param admissions asks for the permits of one execution
     * @param method calls the method
     * @return the guarded execution
     */
    @SuppressWarnings("unchecked")
    public Uni<Object> uni(Supplier<Admission> admissions, Callable<Object> method) {
        return guard(admissions, () -> notNull((Uni<Object>) method.call(), "Uni"));
    }

    /**
     * Guards a method that returns a {@link CompletionStage} or {@link CompletableFuture}. Permits are acquired at the call
     * and released when the stage completes, or when the caller cancels the returned future.
     *
     * @param admissions asks for the permits of one execution
     * @param method calls the method
     * @return the guarded execution
     */
    @SuppressWarnings("unchecked")
    public CompletableFuture<Object> stage(Supplier<Admission> admissions, Callable<Object> method) {
        return guard(admissions, () -> Uni.createFrom()
                .completionStage(notNull((CompletionStage<Object>) method.call(), "CompletionStage")))
                .subscribeAsCompletionStage();
    }

    /**
     * Guards a method that returns a {@link Multi}. Each subscription acquires permits, calls the method, and releases the
     * permits at completion, failure or cancellation of the stream.
     *
     * @param admissions asks for the permits of one execution
     * @param method calls the method
     * @return the guarded execution
     */
    public Multi<Object> multi(Supplier<Admission> admissions, Callable<Object> method) {
        return Multi.createFrom().deferred(() -> {
            Admission admission = admissions.get();
            return CancelThenEnd.multi(wait.await(bulkhead, admission)
                    .onItem().transformToMulti(permits -> startMulti(permits, method))
                    .onCompletion().call(() -> wait.awaitEnd(admission::end))
                    .onFailure().call(() -> wait.awaitEnd(admission::end)), admission::end);
        });
    }

    /**
     * Guards any asynchronous execution.
     *
     * @param admissions asks for the permits of one execution
     * @param execution called while the permits are held
     * @return the guarded execution, one per subscription
     */
    public <T> Uni<T> guard(Supplier<Admission> admissions, Callable<Uni<T>> execution) {
        return Uni.createFrom().deferred(() -> {
            Admission admission = admissions.get();
            List<HeldPermit> held = admission.heldNow();
            Uni<T> running = held.isEmpty()
                    ? wait.await(bulkhead, admission).chain(permits -> startUni(permits, execution))
                    : startUni(held, execution);
            return CancelThenEnd.uni(running, admission, wait);
        });
    }

    private <T> Uni<T> startUni(List<HeldPermit> permits, Callable<Uni<T>> execution) {
        try {
            return lossSignal.endBy(permits, HeldPermits.with(permits, execution));
        } catch (Throwable e) {
            // Any failure must release the permits.
            return Uni.createFrom().failure(e);
        }
    }

    @SuppressWarnings("unchecked")
    private Multi<Object> startMulti(List<HeldPermit> permits, Callable<Object> method) {
        try {
            return lossSignal.endBy(permits, notNull((Multi<Object>) HeldPermits.with(permits, method), "Multi"));
        } catch (Exception e) {
            return Multi.createFrom().failure(e);
        }
    }

    // The method is no longer on the stack, so the message names its bulkhead.
    private <T> T notNull(T returned, String type) {
        if (returned == null) {
            throw new NullPointerException("A method guarded by bulkhead '" + bulkhead + "' returned null instead of a " + type
                    + ". Let it return a " + type + " that fails, or has no value");
        }
        return returned;
    }
}
