package io.quarkiverse.redisbulkhead.runtime;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.SemaphoreStatus;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;
import io.smallrye.mutiny.Uni;

/** The public face of a semaphore. */
final class SemaphoreView implements RedisSemaphore {

    private final Semaphore semaphore;
    private final BulkheadRuntime runtime;
    private final PermitCalls calls;

    SemaphoreView(Semaphore semaphore, BulkheadRuntime runtime) {
        this.semaphore = semaphore;
        this.runtime = runtime;
        this.calls = calls(semaphore);
    }

    private PermitCalls calls(Semaphore waiting) {
        return new PermitCalls("RedisSemaphore", waiting, runtime, admission -> admission);
    }

    private PermitCalls within(Duration maxWait) {
        return calls(semaphore.within(maxWait));
    }

    @Override
    public SemaphoreSpec spec() {
        return semaphore.spec();
    }

    @Override
    public Optional<Permit> tryAcquire() {
        try {
            return Optional.of(within(Duration.ZERO).acquire("tryAcquire"));
        } catch (BulkheadFullException e) {
            return Optional.empty();
        }
    }

    @Override
    public Uni<Optional<Permit>> tryAcquireAsync() {
        return within(Duration.ZERO).acquireAsync(asked -> asked.map(Optional::of)
                .onFailure(BulkheadFullException.class).recoverWithItem(Optional.empty()));
    }

    @Override
    public Permit acquire(Duration maxWait) {
        return within(maxWait).acquire("acquire");
    }

    @Override
    public Uni<Permit> acquireAsync(Duration maxWait) {
        return within(maxWait).acquireAsync(asked -> asked);
    }

    @Override
    public void run(Runnable action) {
        calls.run("run", action);
    }

    @Override
    public <T> T call(Callable<T> action) throws Exception {
        return calls.call("call", action);
    }

    @Override
    public Uni<Void> runAsync(Supplier<? extends Uni<?>> action) {
        return calls.runAsync(action);
    }

    @Override
    public <T> Uni<T> callAsync(Supplier<? extends Uni<? extends T>> action) {
        return calls.callAsync(action);
    }

    @Override
    public SemaphoreStatus status() {
        return calls.await("status", semaphore::status);
    }

    @Override
    public Uni<SemaphoreStatus> statusAsync() {
        return calls.answer(semaphore::status);
    }

    @Override
    public List<Holder> holders() {
        return calls.await("holders", semaphore::holders);
    }

    @Override
    public Uni<List<Holder>> holdersAsync() {
        return calls.answer(semaphore::holders);
    }

    @Override
    public List<Waiter> waiters() {
        return calls.await("waiters", semaphore::waiters);
    }

    @Override
    public Uni<List<Waiter>> waitersAsync() {
        return calls.answer(semaphore::waiters);
    }

    @Override
    public boolean revoke(String permitId) {
        String id = checkedId(permitId);
        return calls.await("revoke", () -> semaphore.revoke(id));
    }

    @Override
    public Uni<Boolean> revokeAsync(String permitId) {
        String id = checkedId(permitId);
        return calls.answer(() -> semaphore.revoke(id));
    }

    private static String checkedId(String permitId) {
        if (permitId == null) {
            throw new IllegalArgumentException("permitId must not be null");
        }
        return permitId;
    }

    @Override
    public void resize(int permits) {
        int size = checkedSize(permits);
        calls.await("resize", () -> semaphore.resize(size));
    }

    @Override
    public Uni<Void> resizeAsync(int permits) {
        int size = checkedSize(permits);
        return calls.answer(() -> semaphore.resize(size));
    }

    private int checkedSize(int permits) {
        return spec().toBuilder().permits(permits).build().permits();
    }

    @Override
    public boolean resetSize() {
        return calls.await("resetSize", semaphore::resetSize);
    }

    @Override
    public Uni<Boolean> resetSizeAsync() {
        return calls.answer(semaphore::resetSize);
    }
}
