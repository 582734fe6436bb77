package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import jakarta.inject.Singleton;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.PermitLostException;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException.SkippedException;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;
import kotlin.Result;
import kotlin.ResultKt;
import kotlin.Unit;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.ContinuationInterceptor;
import kotlin.coroutines.CoroutineContext;
import kotlin.coroutines.SafeContinuation;
import kotlin.coroutines.intrinsics.IntrinsicsKt;
import kotlinx.coroutines.CompletableJob;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.JobKt;
import kotlinx.coroutines.future.FutureKt;

/**
 * Guards Kotlin {@code suspend} functions. A call suspends while it waits, on any thread, and continues on the dispatcher of
 * its coroutine. A coroutine that is cancelled while it waits gives up its place. The permits of a running function are
 * released when it has ended, not when its coroutine is cancelled, because it may still run for a while.
 * <p>
 * It is a bean, because only applications with coroutines can load it.
 */
@Singleton
public class SuspendingGuard implements Guard {

    private static final Object SUSPENDED = IntrinsicsKt.getCOROUTINE_SUSPENDED();

    private final UnfinishedResults results;

    /** The guard of functions whose results are not checked. */
    public SuspendingGuard() {
        this(UnfinishedResults.IGNORED);
    }

    private SuspendingGuard(UnfinishedResults results) {
        this.results = results;
    }

    @Override
    public Guard checking(UnfinishedResults ofMethod) {
        return new SuspendingGuard(ofMethod);
    }

    @Override
    @SuppressWarnings("unchecked")
    public Object call(Supplier<Admission> admissions, Callable<Object> method) {
        SuspendingCall function = (SuspendingCall) method;
        return new Execution(admissions.get(), function, (Continuation<Object>) function.continuation(), results).start();
    }

    // IntrinsicsKt.intercepted() would ignore continuations that interceptors made, and not the compiler.
    private static <T> Continuation<? super T> dispatched(Continuation<? super T> continuation) {
        ContinuationInterceptor dispatcher = continuation.getContext().get(ContinuationInterceptor.Key);
        return dispatcher == null ? continuation : dispatcher.interceptContinuation(continuation);
    }

    /** One call; as a continuation, it gets the permits, and then the result of the function. */
    private static final class Execution implements Continuation<Object> {

        private final Admission admission;
        private final SuspendingCall function;
        private final SafeContinuation<Object> caller;
        private final UnfinishedResults results;
        // These are written before the function is called.
        private boolean running;
        private CoroutineContext context;
        private CompletableJob cancelledAtLoss;
        private volatile PermitLost loss;

        private Execution(Admission admission, SuspendingCall function, Continuation<Object> caller,
                UnfinishedResults results) {
            this.admission = admission;
            this.function = function;
            this.results = results;
            this.context = caller.getContext();
            this.caller = new SafeContinuation<>(dispatched(caller));
        }

        /** Returns the result, or the mark that the call has suspended; throws what the function threw, or the rejection. */
        private Object start() {
            if (admission.isHeldNow()) {
                run();
            } else {
                await();
            }
            return caller.getOrThrow();
        }

        // A copy, because a cancelled coroutine also cancels the future for which it waits.
        private void await() {
            CompletableFuture<List<HeldPermit>> granted = admission.granted().toCompletableFuture().copy();
            granted(outcome(() -> FutureKt.await(granted, dispatched(this))));
        }

        private void granted(Object outcome) {
            Throwable rejection = failure(outcome);
            if (rejection instanceof SkippedException skipped) {
                skipped.skip();
                end(Unit.INSTANCE);
            } else if (rejection != null) {
                end(outcome);
            } else if (outcome != SUSPENDED) {
                run();
            }
        }

        private static Throwable failure(Object outcome) {
            return outcome instanceof Result.Failure failure ? failure.exception : null;
        }

        private void run() {
            running = true;
            admission.interruptions().forEach(this::watch);
            Object outcome = outcome(() -> HeldPermits.with(admission, () -> function.call(this)));
            if (outcome != SUSPENDED) {
                resumeWith(outcome);
            }
        }

        // A job of its own, so that the loss cancels the function and not its caller.
        private void watch(CompletionStage<PermitLost> signal) {
            if (cancelledAtLoss == null) {
                cancelledAtLoss = JobKt.Job(context.get(Job.Key));
                context = context.plus(cancelledAtLoss);
            }
            signal.thenAccept(this::lost);
        }

        private void lost(PermitLost lost) {
            loss = lost;
            cancelledAtLoss.cancel(new CancellationException("A permit of bulkhead '" + lost.bulkhead() + "' was lost"));
        }

        @Override
        public CoroutineContext getContext() {
            return context;
        }

        @Override
        public void resumeWith(Object outcome) {
            if (!running) {
                granted(outcome);
                return;
            }
            if (cancelledAtLoss != null) {
                cancelledAtLoss.complete();
            }
            boolean endedByLoss = loss != null && failure(outcome) instanceof CancellationException;
            end(endedByLoss ? ResultKt.createFailure(new PermitLostException(loss)) : outcome);
        }

        private void end(Object outcome) {
            admission.end().thenRun(() -> {
                results.check(outcome);
                caller.resumeWith(outcome);
            });
        }

        // Any failure, because it must release the permits.
        private static Object outcome(Callable<Object> action) {
            try {
                return action.call();
            } catch (Throwable e) {
                return ResultKt.createFailure(e);
            }
        }
    }
}
