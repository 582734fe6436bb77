package io.quarkiverse.redisbulkhead.testredis;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** A call on its own thread. */
public final class Caller<T> {

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

    public static <T> Caller<T> of(Callable<T> call) {
        Caller<T> caller = new Caller<>(call);
        caller.thread.start();
        return caller;
    }

    public void interrupt() {
        thread.interrupt();
    }

    public boolean isDone() {
        return result.isDone();
    }

    public T result() throws Exception {
        return result.get(60, TimeUnit.SECONDS);
    }

    public Throwable failure() throws Exception {
        try {
            throw new AssertionError("A failure was expected, but the call returned " + result());
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }

    /** Whether the thread was interrupted after its call. */
    public boolean interruptedAfterwards() throws Exception {
        return interruptedAfterwards.get(60, TimeUnit.SECONDS);
    }
}
