package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow.Subscription;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.PermitLostException;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkus.runtime.BlockingOperationControl;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.Subscriptions;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.operators.UniOperator;
import io.smallrye.mutiny.operators.multi.AbstractMultiOperator;
import io.smallrye.mutiny.operators.multi.MultiOperatorProcessor;
import io.smallrye.mutiny.operators.uni.UniOperatorProcessor;
import io.smallrye.mutiny.subscription.MultiSubscriber;
import io.smallrye.mutiny.subscription.SerializedSubscriber;
import io.smallrye.mutiny.subscription.UniSubscriber;

/**
 * Guards methods whose execution ends after they have returned. {@link #uni}, {@link #multi} and {@link #stage} are one
 * {@link Guard} each.
 * <ul>
 * <li>An event loop never waits for a permit. The execution continues on the Vert.x context of the caller.</li>
 * <li>Any other thread waits for the store's first reply and continues itself if a permit is free. Otherwise it returns, and
 * the execution continues as {@link Continuations} describes.</li>
 * </ul>
 * In both cases a guarded method runs with its caller's Vert.x context, and so with its CDI request context and span.
 * <p>
 * A cancelled execution is cancelled first, and only then are its permits released, so that no other call gets a permit while
 * the execution still runs. Mutiny's {@code onCancellation()} has the opposite order.
 *
 * @param bulkhead the name of the method's first bulkhead, for messages
 * @param continuations runs executions that had to wait
 */
public record AsyncGuard(String bulkhead, Continuations continuations) {

    /**
     * Guards a method that returns a {@link Uni}. Each subscription acquires permits, calls the method, and releases the
     * permits at item, failure or cancellation.
     *
     * @param admissions requests the permits of one execution
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
     * @param admissions requests the permits of one execution
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
     * @param admissions requests the permits of one execution
     * @param method calls the method
     * @return the guarded execution
     */
    public Multi<Object> multi(Supplier<Admission> admissions, Callable<Object> method) {
        return Multi.createFrom().deferred(() -> {
            CompletableFuture<Void> decided = StreamStart.announce(continuations);
            Admission admission = admissions.get();
            return held(admission).onItem().transformToMulti(held -> startMulti(held, method, decided))
                    .onCompletion().call(() -> end(admission))
                    .onFailure().call(() -> end(admission))
                    .plug(stream -> new StreamOperator<>(stream,
                            downstream -> new EndOfStream<>(downstream, admission, decided)));
        });
    }

    /**
     * Guards any asynchronous execution.
     *
     * @param admissions requests the permits of one execution
     * @param execution called while the permits are held
     * @return the guarded execution, one per subscription
     */
    public <T> Uni<T> guard(Supplier<Admission> admissions, Callable<Uni<T>> execution) {
        return Uni.createFrom().deferred(() -> {
            Admission admission = admissions.get();
            Uni<T> running = admission.isHeldNow() ? startUni(admission, execution)
                    : held(admission).chain(held -> startUni(held, execution));
            // Not plugged: it runs nothing that needs the caller's context, which Quarkus propagates to each operator that is.
            return new EndUni<>(running, admission);
        });
    }

    // ---- Waiting

    private Uni<Admission> held(Admission admission) {
        return Uni.createFrom().deferred(() -> {
            if (BlockingOperationControl.isBlockingAllowed()) {
                BlockingWait.await(bulkhead, admission.attempted());
                if (admission.granted().toCompletableFuture().isDone()) {
                    BlockingWait.untilHeld(bulkhead, admission);
                    return Uni.createFrom().item(admission);
                }
            }
            return continuations.answer(admission::granted).replaceWith(admission);
        });
    }

    private Uni<Void> end(Admission admission) {
        CompletableFuture<Void> ended = admission.end().toCompletableFuture();
        return hasEnded(ended) ? Uni.createFrom().voidItem() : continuations.answer(() -> ended);
    }

    // Interrupts do not cut the wait short.
    private static boolean hasEnded(CompletableFuture<Void> ended) {
        if (!ended.isDone() && BlockingOperationControl.isBlockingAllowed()) {
            BlockingWait.awaitUninterruptibly(ended);
        }
        return ended.isDone();
    }

    // ---- Running

    private <T> Uni<T> startUni(Admission admission, Callable<Uni<T>> execution) {
        try {
            Uni<T> running = HeldPermits.with(admission, execution);
            List<CompletionStage<PermitLost>> losses = admission.interruptions();
            return losses.isEmpty() ? running : Uni.combine().any().<T> of(List.of(running, failureAt(losses)));
        } catch (Throwable e) {
            // Any failure must release the permits.
            return Uni.createFrom().failure(e);
        }
    }

    @SuppressWarnings("unchecked")
    private Multi<Object> startMulti(Admission admission, Callable<Object> method, CompletableFuture<Void> decided) {
        try {
            Multi<Object> running = notNull((Multi<Object>) HeldPermits.with(admission, method), "Multi");
            List<CompletionStage<PermitLost>> losses = admission.interruptions();
            decided.complete(null);
            return losses.isEmpty() ? running : failingAt(losses, running);
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

    // ---- Losses

    private <T> Uni<T> failureAt(List<CompletionStage<PermitLost>> losses) {
        Executor here = continuations.here();
        return Uni.createFrom().<T> emitter(emitter -> losses.forEach(
                loss -> loss.thenAccept(lost -> emitter.fail(new PermitLostException(lost))))).emitOn(here);
    }

    private <T> Multi<T> failingAt(List<CompletionStage<PermitLost>> losses, Multi<T> running) {
        Executor here = continuations.here();
        return running.plug(stream -> new StreamOperator<>(stream, downstream -> {
            UntilLoss<T> untilLoss = new UntilLoss<>(new SerializedSubscriber<>(downstream));
            losses.forEach(loss -> loss.thenAccept(lost -> here.execute(() -> untilLoss.end(new PermitLostException(lost)))));
            return untilLoss;
        }));
    }

    /** Mutiny's own operators that fail a stream do not cancel it. */
    private static final class UntilLoss<T> extends MultiOperatorProcessor<T, T> {

        private UntilLoss(MultiSubscriber<? super T> downstream) {
            super(downstream);
        }

        private void end(Throwable failure) {
            Subscription stream = getAndSetUpstreamSubscription(Subscriptions.CANCELLED);
            if (stream == null) {
                Subscriptions.fail(downstream, failure);
            } else if (stream != Subscriptions.CANCELLED) {
                stream.cancel();
                downstream.onFailure(failure);
            }
        }
    }

    // ---- Ends. A cancellation does not wait for the end of the admission, so that a permit that is granted later starts no method.

    /** Ends the admission at item, failure and cancellation. One operator instead of three, because each call creates them. */
    private final class EndUni<T> extends UniOperator<T, T> {

        private final Admission admission;

        private EndUni(Uni<? extends T> execution, Admission admission) {
            super(execution);
            this.admission = admission;
        }

        @Override
        public void subscribe(UniSubscriber<? super T> subscriber) {
            AbstractUni.subscribe(upstream(), new UniOperatorProcessor<T, T>(subscriber) {

                @Override
                public void onItem(T item) {
                    CompletableFuture<Void> ended = admission.end().toCompletableFuture();
                    if (hasEnded(ended)) {
                        super.onItem(item);
                    } else {
                        continuations.answer(() -> ended).subscribe().with(done -> super.onItem(item));
                    }
                }

                @Override
                public void onFailure(Throwable failure) {
                    CompletableFuture<Void> ended = admission.end().toCompletableFuture();
                    if (hasEnded(ended)) {
                        super.onFailure(failure);
                    } else {
                        continuations.answer(() -> ended).subscribe().with(done -> super.onFailure(failure));
                    }
                }

                @Override
                public void cancel() {
                    boolean running = !isCancelled();
                    super.cancel();
                    if (running) {
                        admission.end();
                    }
                }
            });
        }
    }

    private static final class EndOfStream<T> extends MultiOperatorProcessor<T, T> {

        private final Admission admission;
        private final CompletableFuture<Void> decided;

        private EndOfStream(MultiSubscriber<? super T> downstream, Admission admission, CompletableFuture<Void> decided) {
            super(downstream);
            this.admission = admission;
            this.decided = decided;
        }

        @Override
        public void onFailure(Throwable failure) {
            super.onFailure(failure);
            decided.complete(null);
        }

        @Override
        public void cancel() {
            boolean running = !isDone() && !isCancelled();
            super.cancel();
            if (running) {
                admission.end();
            }
        }
    }

    private static final class StreamOperator<T> extends AbstractMultiOperator<T, T> {

        private final Function<MultiSubscriber<? super T>, MultiSubscriber<T>> between;

        private StreamOperator(Multi<? extends T> stream, Function<MultiSubscriber<? super T>, MultiSubscriber<T>> between) {
            super(stream);
            this.between = between;
        }

        @Override
        public void subscribe(MultiSubscriber<? super T> downstream) {
            upstream.subscribe().withSubscriber(between.apply(downstream));
        }
    }
}
