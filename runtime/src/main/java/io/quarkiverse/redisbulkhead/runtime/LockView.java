package io.quarkiverse.redisbulkhead.runtime;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.LockNotAcquiredException;
import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisLock;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;
import io.smallrye.mutiny.Uni;

/** The public face of a semaphore with one permit. */
final class LockView implements RedisLock {

    private final LockSpec spec;
    private final Semaphore semaphore;
    private final BulkheadRuntime runtime;
    private final PermitCalls calls;

    LockView(LockSpec spec, BulkheadRuntime runtime) {
        this.spec = spec;
        this.semaphore = runtime.engine().semaphore(spec.bulkhead());
        this.runtime = runtime;
        this.calls = calls(semaphore);
    }

    private PermitCalls calls(Semaphore waiting) {
        return new PermitCalls("RedisLock", waiting, runtime, admission -> new LockAdmission(spec.name(), admission));
    }

    private PermitCalls within(Duration maxWait) {
        return calls(semaphore.within(maxWait));
    }

    @Override
    public LockSpec spec() {
        return spec;
    }

    @Override
    public Optional<Permit> tryLock() {
        return tryLock(Duration.ZERO);
    }

    @Override
    public Uni<Optional<Permit>> tryLockAsync() {
        return tryLockAsync(Duration.ZERO);
    }

    @Override
    public Optional<Permit> tryLock(Duration maxWait) {
        try {
            return Optional.of(within(maxWait).acquire("tryLock"));
        } catch (LockNotAcquiredException e) {
            return Optional.empty();
        }
    }

    @Override
    public Uni<Optional<Permit>> tryLockAsync(Duration maxWait) {
        return within(maxWait).acquireAsync(asked -> asked.map(Optional::of)
                .onFailure(LockNotAcquiredException.class).recoverWithItem(Optional.empty()));
    }

    @Override
    public Permit lock() {
        return calls.acquire("lock");
    }

    @Override
    public Uni<Permit> lockAsync() {
        return calls.acquireAsync(asked -> asked);
    }

    @Override
    public Permit attach(String token) {
        return calls.attach(token);
    }

    @Override
    public Uni<Permit> attachAsync(String token) {
        return calls.attachAsync(token);
    }

    @Override
    public void run(Runnable action) {
        calls.run("run", action);
    }

    @Override
    public void run(Duration maxWait, Runnable action) {
        within(maxWait).run("run", action);
    }

    @Override
    public <T> T call(Callable<T> action) throws Exception {
        return calls.call("call", action);
    }

    @Override
    public <T> T call(Duration maxWait, Callable<T> action) throws Exception {
        return within(maxWait).call("call", action);
    }

    @Override
    public Uni<Void> runAsync(Supplier<? extends Uni<?>> action) {
        return calls.runAsync(action);
    }

    @Override
    public Uni<Void> runAsync(Duration maxWait, Supplier<? extends Uni<?>> action) {
        return within(maxWait).runAsync(action);
    }

    @Override
    public <T> Uni<T> callAsync(Supplier<? extends Uni<? extends T>> action) {
        return calls.callAsync(action);
    }

    @Override
    public <T> Uni<T> callAsync(Duration maxWait, Supplier<? extends Uni<? extends T>> action) {
        return within(maxWait).callAsync(action);
    }

    @Override
    public Optional<Holder> owner() {
        return calls.await("owner", this::askOwner);
    }

    @Override
    public Uni<Optional<Holder>> ownerAsync() {
        return calls.answer(this::askOwner);
    }

    private CompletionStage<Optional<Holder>> askOwner() {
        return semaphore.firstHolder();
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
    public boolean revoke() {
        return calls.await("revoke", this::revokeOwner);
    }

    @Override
    public Uni<Boolean> revokeAsync() {
        return calls.answer(this::revokeOwner);
    }

    private CompletionStage<Boolean> revokeOwner() {
        return askOwner().thenCompose(owner -> owner.map(Holder::permitId).map(semaphore::revoke)
                .orElseGet(() -> CompletableFuture.completedStage(false)));
    }
}
