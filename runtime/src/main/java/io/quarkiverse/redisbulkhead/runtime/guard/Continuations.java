package io.quarkiverse.redisbulkhead.runtime.guard;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jboss.threads.EnhancedQueueExecutor;

import io.quarkus.runtime.BlockingOperationControl;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.EmptyUniSubscription;
import io.smallrye.mutiny.helpers.UniCallbackSubscriber;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.operators.uni.UniOperatorProcessor;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;

/**
 * Runs the continuation of an asynchronous call that had to wait.
 * <p>
 * A call from an event loop continues on its Vert.x context. A call from a blocking thread continues on a thread of these
 * pools, with the same Vert.x context if it had one: not on the store's thread, which it might block, nor on a worker, because
 * all workers may be blocked until this continuation runs. A call from another thread that must not block, such as an event
 * loop of another library, has no context to return to, and continues on the store's thread. The pools are bounded; tasks
 * queue. ADR 0037 explains why they cannot deadlock:
 * <ul>
 * <li>A task may block for a permit. At most {@code maxBlockedThreads} threads do so concurrently, those of the worker pool
 * included (see {@link BlockingWait#occupies}), and each pool has {@value #NEVER_WAITING} threads more than that.</li>
 * <li>A task may await a guarded call that it made. That call continues on the pool of the next depth.</li>
 * </ul>
 */
public class Continuations implements AutoCloseable {

    /** Threads per pool that never wait for permits. */
    static final int NEVER_WAITING = 32;

    /** How many pools there are. Calls that are nested deeper share the last one. */
    static final int DEPTHS = 3;

    // The maximum of EnhancedQueueExecutor.
    private static final int MOST_THREADS = 0xfffff;
    private static final Duration KEEP_IDLE = Duration.ofSeconds(5);

    private final AtomicInteger number = new AtomicInteger();
    // By depth. They start no thread before a call of that depth waits.
    private final List<EnhancedQueueExecutor> pools;

    /**
     * Starts no thread yet.
     *
     * @param maxBlockedThreads how many threads, here and in the worker pool, may wait for permits concurrently
     */
    public Continuations(int maxBlockedThreads) {
        int size = (int) Math.min(MOST_THREADS, Math.max(0L, maxBlockedThreads) + NEVER_WAITING);
        EnhancedQueueExecutor[] byDepth = new EnhancedQueueExecutor[DEPTHS];
        for (int depth = 0; depth < DEPTHS; depth++) {
            byDepth[depth] = newPool(depth, size);
        }
        this.pools = List.of(byDepth);
    }

    // A ThreadPoolExecutor with a queue would either not grow before the queue is full, or not use idle threads first.
    private EnhancedQueueExecutor newPool(int depth, int size) {
        return new EnhancedQueueExecutor.Builder().setRegisterMBean(false)
                .setCorePoolSize(0).setMaximumPoolSize(size).setQueueLimited(false).setKeepAliveTime(KEEP_IDLE)
                .setThreadFactory(task -> new ContinuationThread(task, depth, number.incrementAndGet()))
                // After shutdown, run in place: a caller may still wait.
                .setHandoffExecutor(Runnable::run).build();
    }

    private static final class ContinuationThread extends Thread {

        private final int depth;

        private ContinuationThread(Runnable task, int depth, int number) {
            super(task, "redis-bulkhead-continuation-" + number);
            this.depth = depth;
            setDaemon(true);
        }
    }

    /** Whether the current thread is one of a pool of continuations. */
    static boolean isOnOwnThread() {
        return Thread.currentThread() instanceof ContinuationThread;
    }

    private Executor poolForCurrentThread() {
        int depth = Thread.currentThread() instanceof ContinuationThread here ? here.depth + 1 : 0;
        return pools.get(Math.min(depth, DEPTHS - 1));
    }

    /**
     * The executor on which the execution of the current thread continues.
     *
     * @return runs each task in the same way
     */
    Executor here() {
        Context context = Vertx.currentContext();
        if (BlockingOperationControl.isBlockingAllowed()) {
            ClassLoader loader = Thread.currentThread().getContextClassLoader();
            Executor threads = poolForCurrentThread();
            return task -> threads.execute(() -> run(task, loader, context));
        }
        if (context == null) {
            return Runnable::run;
        }
        return task -> {
            if (Vertx.currentContext() == context) {
                task.run();
            } else {
                context.runOnContext(now -> task.run());
            }
        };
    }

    /**
     * The answer to a request, emitted where this execution continues. Cancelling it has no effect on the request.
     *
     * @param request makes the request, at each subscription
     * @return emits the answer on {@link #here()} of the subscription
     */
    public <T> Uni<T> answer(Supplier<CompletionStage<T>> request) {
        return answer(request, made -> made, made -> {
        });
    }

    /**
     * The answer to a request, emitted where this execution continues. Cancelling the subscription does not cancel the future
     * behind the request, as {@code Uni.createFrom().completionStage} would: what the engine does when the answer arrives
     * must happen in any case. Instead, a request whose answer does not reach its subscriber is given up once, whether it is
     * cancelled while it is in flight or before the answer is emitted.
     * <p>
     * Where the answer is something to be released, nothing may come between the result and the caller's subscriber: an
     * operator that is cancelled just as the answer is emitted may drop it, or may be passing it to a function. Nothing is
     * given up then: a permit that stays held until {@code max-hold} is better than one that is released during the work.
     *
     * @param request makes the request, at each subscription
     * @param answer the answer to the request
     * @param giveUp gives up a request, or what it was answered by, when the answer does not reach its subscriber; on the
     *        thread that cancels, so it must not block
     * @return emits the answer on {@link #here()} of the subscription
     */
    public <R, T> Uni<T> answer(Supplier<R> request, Function<R, CompletionStage<T>> answer, Consumer<R> giveUp) {
        Supplier<R> inContext = Infrastructure.decorate(request);
        return Infrastructure.onUniCreation(new AbstractUni<>() {

            @Override
            public void subscribe(UniSubscriber<? super T> subscriber) {
                Executor executor = here();
                R made;
                CompletionStage<T> pending;
                try {
                    made = inContext.get();
                    pending = answer.apply(made);
                } catch (Throwable e) {
                    EmptyUniSubscription.propagateFailureEvent(subscriber, e);
                    return;
                }
                Delivery<R, T> delivery = new Delivery<>(subscriber, made, giveUp, new AtomicReference<>(State.PENDING));
                subscriber.onSubscribe(delivery);
                pending.whenComplete((item, failure) -> delivery.emitOn(executor, item, cause(failure)));
            }
        });
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private enum State {
        PENDING,
        /** From the start of the emission. */
        EMITTED,
        /** Nothing more is emitted. */
        CANCELLED
    }

    private record Delivery<R, T>(UniSubscriber<? super T> subscriber, R made, Consumer<R> giveUp,
            AtomicReference<State> state) implements UniSubscription {

        private void emitOn(Executor executor, T item, Throwable failure) {
            try {
                executor.execute(() -> emit(item, failure));
            } catch (RejectedExecutionException e) {
                // For example, the event loop was closed. A subscriber without an answer would wait forever.
                if (state.compareAndSet(State.PENDING, State.CANCELLED)) {
                    giveUp.accept(made);
                    subscriber.onFailure(failure == null ? e : failure);
                }
            }
        }

        private void emit(T item, Throwable failure) {
            if (subscriber instanceof UniOperatorProcessor<?, ?> operator && operator.isCancelled()) {
                // It would drop the answer. Its call of cancel() is yet to come.
                cancel();
            } else if (state.compareAndSet(State.PENDING, State.EMITTED)) {
                if (failure == null) {
                    subscriber.onItem(item);
                } else {
                    subscriber.onFailure(failure);
                }
            }
        }

        // A UniCallbackSubscriber forwards a cancellation only if it has not accepted the answer. Operators forward it also
        // while, or long after, a function uses the answer.
        @Override
        public void cancel() {
            State before = state.getAndSet(State.CANCELLED);
            if (before == State.PENDING || before == State.EMITTED && subscriber instanceof UniCallbackSubscriber) {
                giveUp.accept(made);
            }
        }
    }

    private static void run(Runnable task, ClassLoader loader, Context context) {
        // The executor sets that of the thread that completes the answer, and restores its own.
        Thread.currentThread().setContextClassLoader(loader);
        if (context == null) {
            task.run();
        } else {
            ((ContextInternal) context).dispatch(task);
        }
    }

    /** Stops the threads. */
    @Override
    public void close() {
        pools.forEach(EnhancedQueueExecutor::shutdown);
    }
}
