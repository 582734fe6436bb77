package io.quarkiverse.redisbulkhead.runtime;

import static io.smallrye.mutiny.helpers.ParameterValidation.nonNull;

import java.lang.StackWalker.StackFrame;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.CheckedCallable;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.LockNotAcquiredException;
import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisLock;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.ResolvedKey;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.SemaphoreStatus;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException.Reason;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit.PermitInUse.Taker;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits.WaitsOn;
import io.quarkiverse.redisbulkhead.runtime.guard.AsyncGuard;
import io.quarkiverse.redisbulkhead.runtime.guard.BlockingWait;
import io.quarkiverse.redisbulkhead.runtime.guard.HeldPermits;
import io.quarkiverse.redisbulkhead.runtime.guard.SynchronousGuard;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.smallrye.mutiny.Uni;

/**
 * What {@link io.quarkiverse.redisbulkhead.RedisSemaphore} and {@link io.quarkiverse.redisbulkhead.RedisLock} have in common:
 * how code acquires permits, runs actions while it holds them, and waits for answers. Thread-safe.
 */
abstract class BulkheadView {

    private static final String OWN_PACKAGE = "io.quarkiverse.redisbulkhead.runtime.";
    // Their default methods.
    private static final Set<String> API = Set.of(RedisSemaphore.class.getName(), RedisLock.class.getName());

    private final String type;
    final Semaphore semaphore;
    final BulkheadRuntime runtime;

    /**
     * @param type the simple name of the public type, for messages
     * @param semaphore what this view stands for; where it has keys, the one of all keys
     * @param runtime what it runs on
     */
    BulkheadView(String type, Semaphore semaphore, BulkheadRuntime runtime) {
        this.type = type;
        this.semaphore = semaphore;
        this.runtime = runtime;
    }

    /**
     * The semaphore that this view stands for.
     *
     * @throws IllegalStateException when a key must be given first
     */
    Semaphore limit() {
        return semaphore;
    }

    public Permit attach(String token) {
        Semaphore limit = limit();
        Caller caller = caller();
        return view(BlockingWait.reply(type, "attach", limit.spec().name(), () -> limit.attach(token, caller.method()),
                attached -> attached.thenAccept(HeldPermit::release)), caller);
    }

    public Uni<Permit> attachAsync(String token) {
        Semaphore limit = limit();
        Caller caller = caller();
        Semaphore.requireToken(token);
        return runtime.continuations().answer(() -> limit.attach(token, caller.method()),
                attached -> attached.thenApply(permit -> view(permit, caller)),
                attached -> attached.thenAccept(HeldPermit::release));
    }

    public void run(Runnable action) {
        execute("run", action, () -> {
            action.run();
            return null;
        });
    }

    public <T, E extends Exception> T call(CheckedCallable<T, E> action) throws E {
        return execute("call", action, () -> action.call());
    }

    public Uni<Void> runAsync(Supplier<? extends Uni<?>> action) {
        return executeAsync(action).replaceWithVoid();
    }

    public <T> Uni<T> callAsync(Supplier<? extends Uni<? extends T>> action) {
        return executeAsync(action);
    }

    public List<Waiter> waiters() {
        return await("waiters", limit()::waiters);
    }

    public Uni<List<Waiter>> waitersAsync() {
        return answer(limit()::waiters);
    }

    /** Blocks until a permit is acquired; {@code method} is the public method, for messages. */
    Permit acquire(Semaphore semaphore, String method) {
        BlockingWait.requireAllowed(type, method);
        Caller caller = caller();
        Admission admission = HeldPermits.nested(semaphore).admit(caller.method(), BlockingWait.occupies());
        try {
            return view(BlockingWait.await(semaphore.spec().name(), admission.granted()).get(0), caller);
        } catch (RuntimeException e) {
            BlockingWait.awaitUninterruptibly(admission.end());
            throw e;
        }
    }

    /** As {@link #acquire}; empty when the bulkhead is full, or the lock is not free. */
    Optional<Permit> tryAcquire(Semaphore semaphore, String method) {
        try {
            return Optional.of(acquire(semaphore, method));
        } catch (BulkheadFullException e) {
            return Optional.empty();
        }
    }

    Uni<Permit> acquireAsync(Semaphore semaphore) {
        return acquireAsync(semaphore, permit -> permit, null);
    }

    Uni<Optional<Permit>> tryAcquireAsync(Semaphore semaphore) {
        return acquireAsync(semaphore, Optional::of, Optional.empty());
    }

    // No operator of Mutiny: one that is cancelled would drop the permit.
    private <T> Uni<T> acquireAsync(Semaphore semaphore, Function<Permit, T> result, T whenFull) {
        Caller caller = caller();
        return runtime.continuations().answer(() -> semaphore.admit(caller.method()),
                admission -> admission.granted().handle((permits, failure) -> {
                    if (failure == null) {
                        return result.apply(view(permits.get(0), caller));
                    }
                    if (whenFull != null && Failures.cause(failure) instanceof BulkheadFullException) {
                        return whenFull;
                    }
                    throw new CompletionException(Failures.cause(failure));
                }), Admission::end);
    }

    private Permit view(HeldPermit permit, Caller caller) {
        permit.heldBy(caller.taker());
        return new PermitView(permit, runtime.continuations(), runtime.cleaner());
    }

    @SuppressWarnings("unchecked")
    private <T, E extends Exception> T execute(String method, Object action, CheckedCallable<T, E> execution) throws E {
        Semaphore limit = limit();
        nonNull(action, "action");
        BlockingWait.requireAllowed(type, method);
        try {
            return (T) new SynchronousGuard(type + "." + method, limit.spec().name())
                    .call(admissions(HeldPermits.nested(limit), BlockingWait.occupies()), execution::call);
        } catch (Exception e) {
            // Rejections are unchecked, so the action threw it if it is not.
            throw (E) e;
        }
    }

    @SuppressWarnings("unchecked")
    private <T> Uni<T> executeAsync(Supplier<? extends Uni<? extends T>> action) {
        Semaphore limit = limit();
        nonNull(action, "action");
        // The Uni only emits its items.
        return new AsyncGuard(limit.spec().name(), runtime.continuations())
                .guard(admissions(limit, WaitsOn.NO_WORKER_THREAD), () -> (Uni<T>) action.get());
    }

    private Supplier<Admission> admissions(Semaphore limit, WaitsOn waitsOn) {
        String caller = method();
        return () -> runtime.executions().admit(List.of(limit), caller, waitsOn);
    }

    /** Blocks until an answer has come; {@code method} is the public method, for messages. */
    <T> T await(String method, Supplier<CompletionStage<T>> request) {
        return BlockingWait.reply(type, method, limit().spec().name(), request, reply -> {
        });
    }

    <T> Uni<T> answer(Supplier<CompletionStage<T>> request) {
        return runtime.continuations().answer(request);
    }

    /**
     * Code that acquires a permit.
     *
     * @param method {@code Class#method}, as operators see it
     * @param taker the same, with more details
     */
    private record Caller(String method, Taker taker) {
    }

    private Caller caller() {
        Optional<StackFrame> frame = firstOutside();
        String place = !runtime.recordsPlaces() ? ""
                : frame.map(StackFrame::toStackTraceElement).map(line -> line.getClassName() + "." + line.getMethodName() + "("
                        + line.getFileName() + ":" + line.getLineNumber() + ")").orElse("");
        return new Caller(label(frame), new Taker(Thread.currentThread().getName(), place));
    }

    /** The first caller outside of this extension, as operators see it among the holders: {@code Class#method}. */
    static String method() {
        return label(firstOutside());
    }

    private static Optional<StackFrame> firstOutside() {
        return StackWalker.getInstance()
                .walk(frames -> frames.filter(frame -> !frame.getClassName().startsWith(OWN_PACKAGE)
                        && !API.contains(frame.getClassName())).findFirst());
    }

    private static String label(Optional<StackFrame> caller) {
        return caller.map(frame -> frame.getClassName().substring(frame.getClassName().lastIndexOf('.') + 1) + "#"
                + frame.getMethodName()).orElse("");
    }

    /** The public view of a semaphore. */
    static final class SemaphoreView extends BulkheadView implements RedisSemaphore {

        /** What a bulkhead says about keys. */
        enum Keys {
            /** The bulkhead has one limit for each key. */
            NEEDED,
            /** The bulkhead has one limit for all calls. */
            NONE,
            /** Unknown: the bulkhead is defined in code. */
            ANY
        }

        private final Keys keys;

        SemaphoreView(Semaphore semaphore, Keys keys, BulkheadRuntime runtime) {
            super("RedisSemaphore", semaphore, runtime);
            this.keys = keys;
        }

        @Override
        public RedisSemaphore forKey(String key) {
            return forKey(ResolvedKey.of(key));
        }

        @Override
        public RedisSemaphore forKey(String key, int permits) {
            return forKey(ResolvedKey.of(key).withPermits(permits));
        }

        private RedisSemaphore forKey(ResolvedKey key) {
            String name = spec().name();
            if (semaphore.id().key().isPresent()) {
                throw new IllegalStateException(
                        "This semaphore already belongs to one key of bulkhead '" + name + "'. Call forKey on "
                                + "RedisBulkheads.semaphore(\"" + name + "\")");
            }
            if (keys == Keys.NONE) {
                throw new IllegalStateException("Bulkhead '" + name + "' has one limit for all calls, because its "
                        + "annotation has neither a @BulkheadKey nor a keyResolver. Use another name for a bulkhead with "
                        + "keys");
            }
            return new SemaphoreView(semaphore.forKey(key.key(), key.permits()), Keys.ANY, runtime);
        }

        @Override
        public boolean needsKey() {
            return keys == Keys.NEEDED;
        }

        @Override
        public Optional<String> key() {
            return semaphore.id().key();
        }

        @Override
        Semaphore limit() {
            if (needsKey()) {
                String name = spec().name();
                throw new IllegalStateException("Bulkhead '" + name + "' has one limit per key. Select the key with "
                        + "semaphore(\"" + name + "\").forKey(key)");
            }
            return semaphore;
        }

        private Semaphore within(int weight, Duration maxWait) {
            return limit().weighing(weight).within(maxWait);
        }

        @Override
        public SemaphoreSpec spec() {
            return semaphore.spec();
        }

        @Override
        public Optional<Permit> tryAcquire(int weight) {
            return tryAcquire(within(weight, Duration.ZERO), "tryAcquire");
        }

        @Override
        public Uni<Optional<Permit>> tryAcquireAsync(int weight) {
            return tryAcquireAsync(within(weight, Duration.ZERO));
        }

        @Override
        public Permit acquire(int weight, Duration maxWait) {
            return acquire(within(weight, maxWait), "acquire");
        }

        @Override
        public Uni<Permit> acquireAsync(int weight, Duration maxWait) {
            return acquireAsync(within(weight, maxWait));
        }

        @Override
        public SemaphoreStatus status() {
            return await("status", limit()::status);
        }

        @Override
        public Uni<SemaphoreStatus> statusAsync() {
            return answer(limit()::status);
        }

        @Override
        public List<Holder> holders() {
            return await("holders", limit()::holders);
        }

        @Override
        public Uni<List<Holder>> holdersAsync() {
            return answer(limit()::holders);
        }

        @Override
        public boolean revoke(String permitId) {
            return await("revoke", revocation(permitId));
        }

        @Override
        public Uni<Boolean> revokeAsync(String permitId) {
            return answer(revocation(permitId));
        }

        private Supplier<CompletionStage<Boolean>> revocation(String permitId) {
            nonNull(permitId, "permitId");
            Semaphore limit = limit();
            return () -> limit.revoke(permitId);
        }

        @Override
        public void resize(int permits) {
            await("resize", resizing(permits));
        }

        @Override
        public Uni<Void> resizeAsync(int permits) {
            return answer(resizing(permits));
        }

        private Supplier<CompletionStage<Void>> resizing(int permits) {
            int size = spec().toBuilder().weight(1).permits(permits).build().permits();
            Semaphore limit = limit();
            return () -> limit.resize(size);
        }

        @Override
        public boolean resetSize() {
            return await("resetSize", limit()::resetSize);
        }

        @Override
        public Uni<Boolean> resetSizeAsync() {
            return answer(limit()::resetSize);
        }
    }

    /** The public view of a semaphore with one permit. */
    static final class LockView extends BulkheadView implements RedisLock {

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
            if (reason != Reason.QUEUE_FULL && reason != Reason.NESTED) {
                return new LockNotAcquiredException(lock, rejection.nearestLeaseEnd());
            }
            LockNotAcquiredException locked = new LockNotAcquiredException("Lock '" + lock + "' is "
                    + (reason == Reason.QUEUE_FULL
                            ? "not free, and the call cannot wait: " + ((CallRejectedException) rejection).bound()
                            : "held by a call around this one, which would wait for itself, as locks are not reentrant. Lock "
                                    + "only once, and pass the Permit on"),
                    lock, rejection.nearestLeaseEnd());
            if (reason == Reason.NESTED) {
                locked.initCause(rejection);
            }
            return locked;
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
}
