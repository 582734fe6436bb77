package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.BulkheadInterruptedException;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits.WaitsOn;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.runtime.BlockingOperationNotAllowedException;

/** How a blocking caller waits for the asynchronous core. */
public final class BlockingWait {

    // Both Quarkus executors (VertxCoreRecorder, ExecutorRecorder) use this name prefix. Thread class and group do not
    // identify them: named worker pools use the same.
    private static final String WORKER = "executor-thread-";

    private BlockingWait() {
    }

    /**
     * What a blocking call on the current thread occupies while it waits.
     *
     * @return {@code WORKER_THREAD} on threads of Quarkus' executor and of {@link Continuations}; not on event loops,
     *         virtual threads, the main thread and threads of other executors
     */
    public static WaitsOn occupies() {
        return Continuations.isOnOwnThread() || Thread.currentThread().getName().startsWith(WORKER) ? WaitsOn.WORKER_THREAD
                : WaitsOn.NO_WORKER_THREAD;
    }

    /**
     * Checks that the current thread may wait for a method that has an asynchronous variant.
     *
     * @param type the simple name of its type, for the message
     * @param method its name
     * @throws BlockingOperationNotAllowedException on an event loop
     */
    public static void requireAllowed(String type, String method) {
        if (!BlockingOperationControl.isBlockingAllowed()) {
            throw new BlockingOperationNotAllowedException(
                    type + "." + method + "() must not be called on an event loop; use " + method + "Async() there");
        }
    }

    /**
     * Waits for permits.
     *
     * @param bulkhead the name of the bulkhead, for the message
     * @param stage completes in bounded time, or fails with an unchecked exception
     * @return the result
     * @throws BulkheadInterruptedException when the thread is interrupted meanwhile; it stays interrupted
     * @throws RuntimeException what the stage failed with, with the stack trace of the caller
     */
    public static <T> T await(String bulkhead, CompletionStage<T> stage) {
        return await(stage, interrupt -> new BulkheadInterruptedException(bulkhead, interrupt));
    }

    /**
     * Makes a request other than one for permits, and waits for the reply. The method has an asynchronous variant.
     *
     * @param type the simple name of its type, for messages
     * @param method the public method, for messages
     * @param bulkhead the name of the bulkhead
     * @param request makes the request; the reply completes in bounded time, or fails with an unchecked exception
     * @param giveUp receives a reply that does not reach the caller: an interrupt ends only the wait
     * @return the reply
     * @throws BlockingOperationNotAllowedException on an event loop
     * @throws BulkheadInterruptedException when the thread is interrupted meanwhile; it stays interrupted
     * @throws RuntimeException what the request failed with, with the stack trace of the caller
     */
    public static <T> T reply(String type, String method, String bulkhead, Supplier<CompletionStage<T>> request,
            Consumer<CompletionStage<T>> giveUp) {
        requireAllowed(type, method);
        CompletionStage<T> reply = request.get();
        try {
            return await(reply, interrupt -> new BulkheadInterruptedException("The thread was interrupted while " + type + "."
                    + method + "() waited for a reply about " + Texts.bulkheadOrLock(bulkhead), bulkhead, interrupt));
        } catch (RuntimeException e) {
            giveUp.accept(reply);
            throw e;
        }
    }

    private static <T> T await(CompletionStage<T> stage, Function<InterruptedException, RuntimeException> interrupted) {
        try {
            return stage.toCompletableFuture().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted.apply(e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                failure.fillInStackTrace();
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    /**
     * Waits for permits, unless they are held already.
     *
     * @param bulkhead the name of the bulkhead, for the message
     * @param admission the request for them
     * @throws BulkheadInterruptedException when the thread is interrupted meanwhile; it stays interrupted
     * @throws RuntimeException the rejection, with the stack trace of the caller
     */
    public static void untilHeld(String bulkhead, Admission admission) {
        if (!admission.isHeldNow()) {
            await(bulkhead, admission.granted());
        }
    }

    /**
     * Waits for the end of something, also when the thread is interrupted; the thread then stays interrupted.
     *
     * @param stage completes in bounded time and never fails
     * @return what it completed with
     */
    public static <T> T awaitUninterruptibly(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
