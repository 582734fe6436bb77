package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.quarkus.runtime.BlockingOperationControl;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;

/**
 * Where an asynchronous execution goes on when it had to wait for its permit.
 * <p>
 * What began on an event loop goes back to its Vert.x context. What began on a thread that may block goes on on a thread
 * of its own, with the same Vert.x context: not on the store's thread, which it might block, and not on a worker, because
 * all workers may be waiting for just this. There are never more of these threads than executions that have been
 * granted their permits and are being started; idle ones end.
 */
public final class Continuations implements AutoCloseable {

    /** What the names of its threads begin with. */
    static final String THREAD_NAME = "redis-bulkhead-continuation-";

    private static final long KEEP_IDLE_SECONDS = 5;

    private final ExecutorService threads;

    /** Starts no thread yet. */
    public Continuations() {
        AtomicInteger number = new AtomicInteger();
        threads = new ThreadPoolExecutor(0, Integer.MAX_VALUE, KEEP_IDLE_SECONDS, TimeUnit.SECONDS,
                new SynchronousQueue<>(), task -> {
                    Thread thread = new Thread(task, THREAD_NAME + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                },
                // The application has stopped; whoever still waits for this must not wait for ever.
                (task, pool) -> task.run());
    }

    /**
     * Where the execution that is on the current thread goes on later.
     *
     * @return runs each task there
     */
    Executor here() {
        Context context = Vertx.currentContext();
        if (BlockingOperationControl.isBlockingAllowed()) {
            ClassLoader loader = Thread.currentThread().getContextClassLoader();
            return task -> threads.execute(() -> run(task, loader, context));
        }
        // An event loop without a context is that of a library beside Vert.x; there is nowhere to go back to.
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
     * An answer that goes on here.
     *
     * @param question asks for it, at each subscription
     * @return emits the answer where it was subscribed to
     */
    public <T> Uni<T> answer(Supplier<CompletionStage<T>> question) {
        return Uni.createFrom().deferred(() -> Uni.createFrom().completionStage(question.get()).emitOn(here()));
    }

    private static void run(Runnable task, ClassLoader loader, Context context) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            if (context == null) {
                task.run();
            } else {
                ((ContextInternal) context).dispatch(task);
            }
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Lets the threads end. */
    @Override
    public void close() {
        threads.shutdown();
    }
}
