package io.quarkiverse.redisbulkhead.runtime;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.SemaphoreStatus;
import io.quarkiverse.redisbulkhead.runtime.guard.BlockingWait;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;
import io.smallrye.mutiny.Uni;

/** The public face of a semaphore. */
record SemaphoreView(Semaphore semaphore) implements RedisSemaphore {

    @Override
    public SemaphoreSpec spec() {
        return semaphore.spec();
    }

    @Override
    public SemaphoreStatus status() {
        return await("status", semaphore::status);
    }

    @Override
    public Uni<SemaphoreStatus> statusAsync() {
        return Uni.createFrom().completionStage(semaphore::status);
    }

    @Override
    public List<Holder> holders() {
        return await("holders", () -> semaphore.holders(MAX_HOLDERS));
    }

    @Override
    public Uni<List<Holder>> holdersAsync() {
        return Uni.createFrom().completionStage(() -> semaphore.holders(MAX_HOLDERS));
    }

    private <T> T await(String method, Supplier<CompletionStage<T>> question) {
        BlockingWait.requireAllowed(() -> "RedisSemaphore." + method + "() must not be called on an event loop; use " + method
                + "Async() there");
        return BlockingWait.await(spec().name(), question.get());
    }
}
