package io.quarkiverse.redisbulkhead.runtime;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.runtime.guard.BlockingWait;
import io.quarkiverse.redisbulkhead.runtime.guard.PooledThreads;
import io.quarkiverse.redisbulkhead.runtime.guard.SynchronousGuard;
import io.quarkiverse.redisbulkhead.runtime.guard.UniGuard;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.semaphore.WaitsOn;
import io.smallrye.mutiny.Uni;

/** How code takes permits of one semaphore, and waits for answers, whatever face the semaphore has. */
final class PermitCalls {

    private final String face;
    private final Semaphore semaphore;
    private final BulkheadRuntime runtime;
    private final Function<Admission, Admission> translation;

    /**
     * Asks nothing yet.
     *
     * @param face the public type that is called, for messages
     * @param semaphore says how long to wait for a permit
     * @param runtime what it runs on
     * @param translation puts rejections into the words of the face
     */
    PermitCalls(String face, Semaphore semaphore, BulkheadRuntime runtime, Function<Admission, Admission> translation) {
        this.face = face;
        this.semaphore = semaphore;
        this.runtime = runtime;
        this.translation = translation;
    }

    Permit acquire(String method) {
        requireBlockingAllowed(method);
        Admission admission = translation.apply(semaphore.admit(CallSite.label(), PooledThreads.current()));
        try {
            return view(BlockingWait.await(bulkhead(), admission.granted()));
        } catch (RuntimeException e) {
            BlockingWait.awaitUninterruptibly(admission.end());
            throw e;
        }
    }

    // Cancellation is dealt with last: between it and the subscriber no permit may be dropped.
    <T> Uni<T> acquireAsync(Function<Uni<Permit>, Uni<T>> answer) {
        String label = CallSite.label();
        return Uni.createFrom().deferred(() -> {
            Admission admission = translation.apply(semaphore.admit(label));
            return answer.apply(runtime.continuations().answer(admission::granted).map(this::view))
                    .onCancellation().invoke(admission::end);
        });
    }

    Permit attach(String token) {
        requireBlockingAllowed("attach");
        CompletionStage<HeldPermit> attached = semaphore.attach(token, CallSite.label());
        try {
            return new PermitView(BlockingWait.await(bulkhead(), attached), runtime.continuations());
        } catch (RuntimeException e) {
            // An interrupt ends the wait only.
            attached.thenAccept(HeldPermit::release);
            throw e;
        }
    }

    Uni<Permit> attachAsync(String token) {
        String label = CallSite.label();
        Semaphore.requireToken(token);
        return Uni.createFrom().deferred(() -> {
            CompletionStage<HeldPermit> attached = semaphore.attach(token, label);
            return runtime.continuations().answer(() -> attached)
                    .<Permit> map(permit -> new PermitView(permit, runtime.continuations()))
                    .onCancellation().invoke(() -> attached.thenAccept(HeldPermit::release));
        });
    }

    private Permit view(List<HeldPermit> permits) {
        return new PermitView(permits.get(0), runtime.continuations());
    }

    // What a Runnable throws is unchecked, and so is a rejection.
    void run(String method, Runnable action) {
        requireAction(action);
        try {
            call(method, () -> {
                action.run();
                return null;
            });
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @SuppressWarnings("unchecked")
    <T> T call(String method, Callable<T> action) throws Exception {
        requireAction(action);
        requireBlockingAllowed(method);
        SynchronousGuard guard = new SynchronousGuard(face + "." + method, bulkhead());
        return (T) guard.call(executions(CallSite.label(), guard.waitsOn()), (Callable<Object>) action);
    }

    Uni<Void> runAsync(Supplier<? extends Uni<?>> action) {
        requireAction(action);
        return guard().guard(executions(CallSite.label(), WaitsOn.NO_WORKER_THREAD),
                () -> action.get().replaceWithVoid());
    }

    <T> Uni<T> callAsync(Supplier<? extends Uni<? extends T>> action) {
        requireAction(action);
        return guard().guard(executions(CallSite.label(), WaitsOn.NO_WORKER_THREAD), () -> action.get().map(item -> (T) item));
    }

    private UniGuard guard() {
        return new UniGuard(bulkhead(), runtime.continuations());
    }

    private static void requireAction(Object action) {
        if (action == null) {
            throw new IllegalArgumentException("action must not be null");
        }
    }

    private Supplier<Admission> executions(String label, WaitsOn waitsOn) {
        return () -> translation.apply(runtime.executions().admit(List.of(semaphore), label, waitsOn));
    }

    <T> T await(String method, Supplier<CompletionStage<T>> question) {
        requireBlockingAllowed(method);
        return BlockingWait.await(bulkhead(), question.get());
    }

    <T> Uni<T> answer(Supplier<CompletionStage<T>> question) {
        return runtime.continuations().answer(question);
    }

    private String bulkhead() {
        return semaphore.spec().name();
    }

    private void requireBlockingAllowed(String method) {
        BlockingWait.requireAllowed(() -> face + "." + method + "() must not be called on an event loop; use " + method
                + "Async() there");
    }
}
