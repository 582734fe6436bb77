package io.quarkiverse.redisbulkhead.runtime;

import java.lang.StackWalker.StackFrame;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.CheckedCallable;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisLock;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
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
        return executeAsync(action, () -> action.get().replaceWithVoid());
    }

    public <T> Uni<T> callAsync(Supplier<? extends Uni<? extends T>> action) {
        return executeAsync(action, () -> action.get().map(item -> (T) item));
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
        Caller caller = caller();
        return acquireAsync(semaphore, caller, granted -> granted.thenApply(permits -> view(permits.get(0), caller)));
    }

    Uni<Optional<Permit>> tryAcquireAsync(Semaphore semaphore) {
        Caller caller = caller();
        return acquireAsync(semaphore, caller, granted -> granted.handle((permits, failure) -> {
            if (failure == null) {
                return Optional.of(view(permits.get(0), caller));
            }
            if (Failures.cause(failure) instanceof BulkheadFullException) {
                return Optional.empty();
            }
            throw new CompletionException(Failures.cause(failure));
        }));
    }

    private <T> Uni<T> acquireAsync(Semaphore semaphore, Caller caller,
            Function<CompletionStage<List<HeldPermit>>, CompletionStage<T>> answer) {
        return runtime.continuations().answer(() -> semaphore.admit(caller.method()),
                admission -> answer.apply(admission.granted()),
                Admission::end);
    }

    private Permit view(HeldPermit permit, Caller caller) {
        permit.heldBy(caller.taker());
        return new PermitView(permit, runtime.continuations(), runtime.cleaner());
    }

    @SuppressWarnings("unchecked")
    private <T, E extends Exception> T execute(String method, Object action, CheckedCallable<T, E> execution) throws E {
        Semaphore limit = limit();
        requireAction(action);
        BlockingWait.requireAllowed(type, method);
        try {
            return (T) new SynchronousGuard(type + "." + method, limit.spec().name())
                    .call(admissions(HeldPermits.nested(limit), BlockingWait.occupies()), execution::call);
        } catch (Exception e) {
            // Rejections are unchecked, so the action threw it if it is not.
            throw (E) e;
        }
    }

    private <T> Uni<T> executeAsync(Object action, Callable<Uni<T>> execution) {
        Semaphore limit = limit();
        requireAction(action);
        return new AsyncGuard(limit.spec().name(), runtime.continuations())
                .guard(admissions(limit, WaitsOn.NO_WORKER_THREAD), execution);
    }

    private Supplier<Admission> admissions(Semaphore limit, WaitsOn waitsOn) {
        String caller = method();
        return () -> runtime.executions().admit(List.of(limit), caller, waitsOn);
    }

    private static void requireAction(Object action) {
        if (action == null) {
            throw new IllegalArgumentException("action must not be null");
        }
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
}
