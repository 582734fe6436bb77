package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.PermitLostException;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;
import io.quarkus.runtime.BlockingOperationControl;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.Subscriptions;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.smallrye.mutiny.operators.AbstractMulti;
import io.smallrye.mutiny.operators.AbstractUni;
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
 * @param results checks the results of {@code Uni}s and stages when the permits have gone back
 */
public record AsyncGuard(String bulkhead, Continuations continuations, UnfinishedResults results) {

    /**
     * The guard of executions whose results are not checked.
     *
     * @param bulkhead the name of the method's first bulkhead, for messages
     * @param continuations runs executions that had to wait
     */
    public AsyncGuard(String bulkhead, Continuations continuations) {
        this(bulkhead, continuations, UnfinishedResults.IGNORED);
    }

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
        return guard(admissions, (Callable<Uni<Object>>) (Callable<?>) method);
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
            Admission admission;
            try {
                admission = admissions.get();
            } catch (Throwable e) {
                // For example, the key is null. The subscriber gets the failure before its subscription is over.
                decided.complete(null);
                throw e;
            }
            return Infrastructure.onMultiCreation(new AbstractMulti<>() {

                @Override
                public void subscribe(MultiSubscriber<? super Object> downstream) {
                    GuardedStream guarded = new GuardedStream(new SerializedSubscriber<>(downstream), admission, decided);
                    held(admission).onItem().transformToMulti(held -> startMulti(method, guarded))
                            .subscribe().withSubscriber(guarded);
                }
            });
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
            return ending(running, admission);
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

    /** Ends an admission, and continues when that is answered. Interrupts do not cut the wait short. */
    private void end(Admission admission, Runnable next) {
        CompletableFuture<Void> ended = admission.end().toCompletableFuture();
        if (!ended.isDone() && BlockingOperationControl.isBlockingAllowed()) {
            BlockingWait.awaitUninterruptibly(ended);
        }
        if (ended.isDone()) {
            next.run();
        } else {
            // In place if the event loop is closed: a caller may still wait.
            continuations.answer(() -> ended).subscribe().with(done -> next.run(), closed -> next.run());
        }
    }

    // ---- Running

    private <T> Uni<T> startUni(Admission admission, Callable<Uni<T>> execution) {
        try {
            Uni<T> running = notNull(HeldPermits.with(admission, execution), "Uni");
            List<CompletionStage<PermitLost>> losses = admission.interruptions();
            return losses.isEmpty() ? running
                    : Uni.combine().any().<T> of(running, Uni.createFrom().emitter(end -> onLoss(losses, end::fail)));
        } catch (Throwable e) {
            // Any failure must release the permits.
            return Uni.createFrom().failure(e);
        }
    }

    @SuppressWarnings("unchecked")
    private Multi<Object> startMulti(Callable<Object> method, GuardedStream guarded) {
        try {
            Multi<Object> running = notNull((Multi<Object>) HeldPermits.with(guarded.admission, method), "Multi");
            onLoss(guarded.admission.interruptions(), guarded::end);
            guarded.decided.complete(null);
            return running;
        } catch (Exception e) {
            return Multi.createFrom().failure(e);
        }
    }

    /** Ends an execution where it continues. */
    private void onLoss(List<CompletionStage<PermitLost>> losses, Consumer<Throwable> end) {
        if (!losses.isEmpty()) {
            Executor here = continuations.here();
            losses.forEach(loss -> loss.thenAcceptAsync(lost -> end.accept(new PermitLostException(lost)), here));
        }
    }

    // The method is no longer on the stack, so the message names its bulkhead.
    private <T> T notNull(T returned, String type) {
        if (returned == null) {
            throw new NullPointerException("What " + Texts.bulkheadOrLock(bulkhead) + " guards returned null instead of a "
                    + type + ". Return a " + type + " that fails, or has no value");
        }
        return returned;
    }

    // ---- Ends. A cancellation does not wait for the end of the admission, so that a permit that is granted later starts no method.

    /** Ends the admission at item, failure and cancellation. One operator instead of three, because each call creates them. */
    private <T> Uni<T> ending(Uni<T> execution, Admission admission) {
        return new AbstractUni<>() {

            @Override
            public void subscribe(UniSubscriber<? super T> subscriber) {
                AbstractUni.subscribe(execution, new UniOperatorProcessor<T, T>(subscriber) {

                    @Override
                    public void onItem(T item) {
                        end(admission, () -> {
                            results.check(item);
                            super.onItem(item);
                        });
                    }

                    @Override
                    public void onFailure(Throwable failure) {
                        end(admission, () -> super.onFailure(failure));
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
        };
    }

    /**
     * The same for a stream, which it also ends at a loss: Mutiny's operators that fail a stream do not cancel it. Cancelling a
     * stream may run code of the application, and throw what that throws.
     */
    private final class GuardedStream extends MultiOperatorProcessor<Object, Object> {

        private final Admission admission;
        private final CompletableFuture<Void> decided;

        private GuardedStream(MultiSubscriber<Object> downstream, Admission admission, CompletableFuture<Void> decided) {
            super(downstream);
            this.admission = admission;
            this.decided = decided;
        }

        private void end(Throwable loss) {
            Subscription stream = getAndSetUpstreamSubscription(Subscriptions.CANCELLED);
            if (stream != Subscriptions.CANCELLED) {
                try {
                    stream.cancel();
                } finally {
                    AsyncGuard.this.end(admission, () -> downstream.onFailure(loss));
                }
            }
        }

        @Override
        public void onFailure(Throwable failure) {
            AsyncGuard.this.end(admission, () -> {
                super.onFailure(failure);
                decided.complete(null);
            });
        }

        @Override
        public void onCompletion() {
            AsyncGuard.this.end(admission, super::onCompletion);
        }

        @Override
        public void cancel() {
            boolean running = !isDone() && !isCancelled();
            try {
                super.cancel();
            } finally {
                if (running) {
                    admission.end();
                    decided.cancel(false);
                }
            }
        }
    }

    /**
     * Subscribes to a stream whose response must not begin before the guarded streams in it have their permits: afterwards, it
     * could not be a rejection any more. Guarded streams announce themselves on the thread that subscribes.
     */
    public static final class StreamStart {

        private static final ThreadLocal<StreamStart> CURRENT = new ThreadLocal<>();

        private final Consumer<Executor> decided;
        // The subscription itself is one of them.
        private final AtomicInteger undecided = new AtomicInteger(1);
        // Where the first guarded stream was subscribed to; null without one.
        private volatile Executor here;
        private volatile boolean isCancelled;

        /**
         * Does not subscribe yet.
         *
         * @param decided called once each guarded stream has its permits, has failed or is cancelled. Takes {@link #here()}, or
         *        null on the thread that subscribed
         */
        public StreamStart(Consumer<Executor> decided) {
            this.decided = decided;
        }

        /**
         * Subscribes.
         *
         * @param subscription subscribes to the stream
         */
        public void by(Runnable subscription) {
            StreamStart outer = CURRENT.get();
            CURRENT.set(this);
            try {
                subscription.run();
            } finally {
                CURRENT.set(outer);
            }
            decide(null);
        }

        private void decide(Executor executor) {
            if (undecided.decrementAndGet() == 0) {
                decided.accept(executor);
            }
        }

        /** Where guarded streams continue: the Vert.x context and the kind of thread of the subscription; null without any. */
        public Executor here() {
            return here;
        }

        /** Whether a guarded stream was cancelled, and what the subscriber gets instead is still to come. */
        public boolean isCancelled() {
            return isCancelled;
        }

        /**
         * Announces a guarded stream to which the current thread subscribes.
         *
         * @param continuations knows where the subscription continues
         * @return to be completed when it has its permits, or when its failure has reached its subscriber; to be cancelled with
         *         it
         */
        static CompletableFuture<Void> announce(Continuations continuations) {
            CompletableFuture<Void> decision = new CompletableFuture<>();
            StreamStart start = CURRENT.get();
            if (start != null) {
                if (start.here == null) {
                    start.here = continuations.here();
                }
                start.undecided.incrementAndGet();
                decision.whenComplete((none, cancelled) -> {
                    if (cancelled != null) {
                        start.isCancelled = true;
                    }
                    start.decide(start.here);
                });
            }
            return decision;
        }
    }
}
