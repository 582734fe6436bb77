package io.quarkiverse.redisbulkhead.benchmarks.contender;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Many requests of one thread, of which only so many are on their way at once. */
final class Window {

    private static final int SIZE = 500;

    private final Semaphore free = new Semaphore(SIZE);
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    void send(Supplier<? extends CompletionStage<?>> request) throws InterruptedException {
        free.acquire();
        request.get().whenComplete((answer, problem) -> {
            failure.compareAndSet(null, problem);
            free.release();
        });
    }

    void awaitEmpty() throws InterruptedException {
        free.acquire(SIZE);
        if (failure.get() != null) {
            throw new IllegalStateException(failure.get());
        }
        free.release(SIZE);
    }
}
