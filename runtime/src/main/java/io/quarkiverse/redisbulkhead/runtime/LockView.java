package io.quarkiverse.redisbulkhead.runtime;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.CheckedCallable;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.LockNotAcquiredException;
import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisLock;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException.Reason;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.smallrye.mutiny.Uni;

/** The public view of a semaphore with one permit. */
final class LockView extends BulkheadView implements RedisLock {

    private final LockSpec spec;

    LockView(LockSpec spec, BulkheadRuntime runtime) {
        this(spec, new Semaphore(runtime.engine(), spec.bulkhead(), true).whenFull(full -> rejection(spec.name(), full)),
                runtime);
    }

    private LockView(LockSpec spec, Semaphore semaphore, BulkheadRuntime runtime) {
        super("RedisLock", semaphore, runtime);
        this.spec = spec;
    }

    private LockView within(Duration maxWait) {
        return new LockView(spec, semaphore.within(maxWait), runtime);
    }

    /** Where the bulkhead behind a lock is full, another call holds the lock. */
    static LockNotAcquiredException rejection(String lock, BulkheadFullException rejection) {
        Reason reason = CallRejectedException.reasonOf(rejection);
        if (reason == Reason.QUEUE_FULL) {
            return new LockNotAcquiredException("Lock '" + lock + "' is not free, and the call cannot wait: "
                    + ((CallRejectedException) rejection).bound(), lock, rejection.nearestLeaseEnd());
        }
        if (reason == Reason.NESTED) {
            LockNotAcquiredException held = new LockNotAcquiredException(
                    "Lock '" + lock + "' is held by a call around this one, which would wait for itself,"
                            + " as locks are not reentrant. Lock only once, and pass the Permit on",
                    lock, rejection.nearestLeaseEnd());
            held.initCause(rejection);
            return held;
        }
        return new LockNotAcquiredException(lock, rejection.nearestLeaseEnd());
    }

    @Override
    public LockSpec spec() {
        return spec;
    }

    @Override
    public Optional<Permit> tryLock(Duration maxWait) {
        return tryAcquire(semaphore.within(maxWait), "tryLock");
    }

    @Override
    public Uni<Optional<Permit>> tryLockAsync(Duration maxWait) {
        return tryAcquireAsync(semaphore.within(maxWait));
    }

    @Override
    public Permit lock() {
        return acquire(semaphore, "lock");
    }

    @Override
    public Uni<Permit> lockAsync() {
        return acquireAsync(semaphore);
    }

    @Override
    public void run(Duration maxWait, Runnable action) {
        within(maxWait).run(action);
    }

    @Override
    public <T, E extends Exception> T call(Duration maxWait, CheckedCallable<T, E> action) throws E {
        return within(maxWait).call(action);
    }

    @Override
    public Uni<Void> runAsync(Duration maxWait, Supplier<? extends Uni<?>> action) {
        return within(maxWait).runAsync(action);
    }

    @Override
    public <T> Uni<T> callAsync(Duration maxWait, Supplier<? extends Uni<? extends T>> action) {
        return within(maxWait).callAsync(action);
    }

    @Override
    public Optional<Holder> owner() {
        return await("owner", semaphore::firstHolder);
    }

    @Override
    public Uni<Optional<Holder>> ownerAsync() {
        return answer(semaphore::firstHolder);
    }

    @Override
    public boolean revoke() {
        return await("revoke", this::revokeOwner);
    }

    @Override
    public Uni<Boolean> revokeAsync() {
        return answer(this::revokeOwner);
    }

    private CompletionStage<Boolean> revokeOwner() {
        return semaphore.firstHolder().thenCompose(owner -> owner.map(Holder::permitId).map(semaphore::revoke)
                .orElseGet(() -> CompletableFuture.completedStage(false)));
    }
}
