package io.quarkiverse.redisbulkhead.runtime.guard;

import io.quarkiverse.redisbulkhead.runtime.semaphore.WaitsOn;

/** Tells threads of shared pools from others, which nobody but their owner needs. */
public final class PooledThreads {

    // Quarkus names the threads of its executor so, with Vert.x (VertxCoreRecorder) and without (ExecutorRecorder); the
    // name is no configuration. It is the only mark that both have: with Vert.x they are VertxThreads like those of
    // named worker pools, and their thread group is that of whatever thread started them.
    private static final String WORKER = "executor-thread-";

    private PooledThreads() {
    }

    /**
     * What a blocking call occupies that is made by the current thread.
     *
     * @return {@code POOLED_THREAD} on threads of Quarkus' executor and of {@link Continuations}; not on event loops,
     *         virtual threads, the main thread and threads of other executors
     */
    public static WaitsOn current() {
        return Continuations.isOnOwnThread() || Thread.currentThread().getName().startsWith(WORKER) ? WaitsOn.POOLED_THREAD
                : WaitsOn.NO_POOLED_THREAD;
    }
}
