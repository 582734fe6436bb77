package io.quarkiverse.redisbulkhead.runtime.guard;

import io.quarkiverse.redisbulkhead.runtime.semaphore.WaitsOn;

/** Detects threads of shared pools. */
public final class PooledThreads {

    // Both Quarkus executors (VertxCoreRecorder, ExecutorRecorder) use this name prefix. Thread class and group do not
    // identify them: named worker pools use the same.
    private static final String WORKER = "executor-thread-";

    private PooledThreads() {
    }

    /**
     * What a blocking call occupies that is made by the current thread.
     *
     * @return {@code WORKER_THREAD} on threads of Quarkus' executor and of {@link Continuations}; not on event loops,
     *         virtual threads, the main thread and threads of other executors
     */
    public static WaitsOn current() {
        return Continuations.isOnOwnThread() || Thread.currentThread().getName().startsWith(WORKER) ? WaitsOn.WORKER_THREAD
                : WaitsOn.NO_WORKER_THREAD;
    }
}
