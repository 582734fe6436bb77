package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.concurrent.CompletableFuture;

/** Is completed by who promised it. Who has got it may cancel it, as asynchronous libraries do, but that has no effect. */
final class Promise<T> extends CompletableFuture<T> {

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return false;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
