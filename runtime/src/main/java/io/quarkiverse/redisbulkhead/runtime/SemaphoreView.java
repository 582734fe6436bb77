package io.quarkiverse.redisbulkhead.runtime;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.SemaphoreStatus;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.guard.BlockingWait;
import io.quarkiverse.redisbulkhead.runtime.guard.SynchronousGuard;
import io.quarkiverse.redisbulkhead.runtime.guard.UniGuard;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;
import io.smallrye.mutiny.Uni;

/** The public face of a semaphore. */
record SemaphoreView(Semaphore semaphore, BulkheadRuntime runtime) implements RedisSemaphore {

    @Override
    public SemaphoreSpec spec() {
        return semaphore.spec();
    }

    @Override
    public Optional<Permit> tryAcquire() {
        try {
            return Optional.of(acquire("tryAcquire", Duration.ZERO));
        } catch (BulkheadFullException e) {
            return Optional.empty();
        }
    }

    @Override
    public Uni<Optional<Permit>> tryAcquireAsync() {
        return acquireUni(CallSite.label(), Duration.ZERO, asked -> asked.map(Optional::of)
                .onFailure(BulkheadFullException.class).recoverWithItem(Optional.empty()));
    }

    @Override
    public Permit acquire(Duration maxWait) {
        return acquire("acquire", checkedWait(maxWait));
    }

    @Override
    public Uni<Permit> acquireAsync(Duration maxWait) {
        return acquireUni(CallSite.label(), checkedWait(maxWait), asked -> asked);
    }

    private Duration checkedWait(Duration maxWait) {
        return spec().toBuilder().maxWait(maxWait).build().maxWait();
    }

    private Permit acquire(String method, Duration maxWait) {
        requireBlockingAllowed(method);
        Admission admission = semaphore.admit(CallSite.label(), maxWait);
        try {
            return view(BlockingWait.await(spec().name(), admission.granted()));
        } catch (RuntimeException e) {
            BlockingWait.awaitUninterruptibly(admission.end());
            throw e;
        }
    }

    // Cancellation is dealt with last: between it and the subscriber no permit may be dropped.
    private <T> Uni<T> acquireUni(String label, Duration maxWait, Function<Uni<Permit>, Uni<T>> answer) {
        return Uni.createFrom().deferred(() -> {
            Admission admission = semaphore.admit(label, maxWait);
            return answer.apply(runtime.continuations().answer(admission::granted).map(this::view))
                    .onCancellation().invoke(admission::end);
        });
    }

    private Permit view(List<HeldPermit> permits) {
        return new PermitView(permits.get(0), runtime.continuations());
    }

    @Override
    public void run(Runnable action) {
        requireAction(action);
        guardedCall("run", () -> {
            action.run();
            return null;
        });
    }

    // What a Runnable throws is unchecked, and so is a rejection.
    private void guardedCall(String method, Callable<Object> action) {
        try {
            guard(method).call(action);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T call(Callable<T> action) throws Exception {
        requireAction(action);
        return (T) guard("call").call((Callable<Object>) action);
    }

    private SynchronousGuard guard(String method) {
        requireBlockingAllowed(method);
        return new SynchronousGuard("RedisSemaphore." + method, spec().name(), executions(CallSite.label()));
    }

    @Override
    public Uni<Void> runAsync(Supplier<? extends Uni<?>> action) {
        requireAction(action);
        return new UniGuard(spec().name(), executions(CallSite.label()), runtime.continuations())
                .guard(() -> action.get().replaceWithVoid());
    }

    @Override
    public <T> Uni<T> callAsync(Supplier<? extends Uni<? extends T>> action) {
        requireAction(action);
        return new UniGuard(spec().name(), executions(CallSite.label()), runtime.continuations())
                .guard(() -> action.get().map(item -> (T) item));
    }

    private static void requireAction(Object action) {
        if (action == null) {
            throw new IllegalArgumentException("action must not be null");
        }
    }

    private Supplier<Admission> executions(String label) {
        return () -> runtime.executions().admit(List.of(semaphore), label);
    }

    @Override
    public SemaphoreStatus status() {
        return await("status", semaphore::status);
    }

    @Override
    public Uni<SemaphoreStatus> statusAsync() {
        return runtime.continuations().answer(semaphore::status);
    }

    @Override
    public List<Holder> holders() {
        return await("holders", semaphore::holders);
    }

    @Override
    public Uni<List<Holder>> holdersAsync() {
        return runtime.continuations().answer(semaphore::holders);
    }

    @Override
    public List<Waiter> waiters() {
        return await("waiters", semaphore::waiters);
    }

    @Override
    public Uni<List<Waiter>> waitersAsync() {
        return runtime.continuations().answer(semaphore::waiters);
    }

    @Override
    public boolean revoke(String permitId) {
        String id = checkedId(permitId);
        return await("revoke", () -> semaphore.revoke(id));
    }

    @Override
    public Uni<Boolean> revokeAsync(String permitId) {
        String id = checkedId(permitId);
        return runtime.continuations().answer(() -> semaphore.revoke(id));
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
        await("resize", () -> semaphore.resize(size));
    }

    @Override
    public Uni<Void> resizeAsync(int permits) {
        int size = checkedSize(permits);
        return runtime.continuations().answer(() -> semaphore.resize(size));
    }

    private int checkedSize(int permits) {
        return spec().toBuilder().permits(permits).build().permits();
    }

    @Override
    public boolean resetSize() {
        return await("resetSize", semaphore::resetSize);
    }

    @Override
    public Uni<Boolean> resetSizeAsync() {
        return runtime.continuations().answer(semaphore::resetSize);
    }

    private <T> T await(String method, Supplier<CompletionStage<T>> question) {
        requireBlockingAllowed(method);
        return BlockingWait.await(spec().name(), question.get());
    }

    private static void requireBlockingAllowed(String method) {
        BlockingWait.requireAllowed(() -> "RedisSemaphore." + method + "() must not be called on an event loop; use " + method
                + "Async() there");
    }
}
