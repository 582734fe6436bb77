package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** A call on its own thread. */
final class Caller<T> {

    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final CompletableFuture<Boolean> interruptedAfterwards = new CompletableFuture<>();

    private Caller(Callable<T> call) {
        Thread thread = new Thread(() -> {
            try {
                result.complete(call.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
            interruptedAfterwards.complete(Thread.currentThread().isInterrupted());
        });
        thread.setDaemon(true);
        thread.start();
    }

    static <T> Caller<T> of(Callable<T> call) {
        return new Caller<>(call);
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
