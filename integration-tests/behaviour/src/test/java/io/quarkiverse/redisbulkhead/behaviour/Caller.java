package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** A call on its own thread. */
final class Caller<T> {

    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final CompletableFuture<Boolean> interruptedAfterwards = new CompletableFuture<>();
    private final Thread thread;

    private Caller(Callable<T> call) {
        thread = new Thread(() -> {
            try {
                result.complete(call.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
            interruptedAfterwards.complete(Thread.currentThread().isInterrupted());
        });
        thread.setDaemon(true);
    }

    static <T> Caller<T> of(Callable<T> call) {
        Caller<T> caller = new Caller<>(call);
        caller.thread.start();
        return caller;
    }

    void interrupt() {
        thread.interrupt();
    }

    boolean isDone() {
        return result.isDone();
    }

    T result() throws Exception {
        return result.get(60, TimeUnit.SECONDS);
    }

    Throwable failure() throws Exception {
        try {
            assertThat(result.get(60, TimeUnit.SECONDS)).as("a failure was expected").isNull();
            throw new AssertionError("a failure was expected");
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }

    /** Whether the thread was interrupted after its call. */
    boolean interruptedAfterwards() throws Exception {
        return interruptedAfterwards.get(60, TimeUnit.SECONDS);
    }
}
