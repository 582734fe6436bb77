package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.quarkus.runtime.BlockingOperationControl;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/**
 * How an asynchronous guard waits for the store: so that what follows goes on where it was asked for.
 * <ul>
 * <li>On an event loop nothing waits. The answer arrives on a thread of the store's, and execution goes back to the
 * Vert.x context that it came from.</li>
 * <li>Any other thread, worker, virtual or the caller's own, waits for the answer and goes on itself. It is not left
 * for another one: when all workers wait for guarded calls, no other one is free, and all would wait for ever.</li>
 * </ul>
 * Either way a guarded method has its caller's Vert.x context, and with it the CDI request context and the tracing
 * span.
 */
final class Patience {

    private Patience() {
    }

    /**
     * Waits for an answer at each subscription.
     *
     * @param bulkhead the bulkhead that is asked, for messages
     * @param question asks for the answer, which comes in bounded time or fails with an unchecked exception
     */
    static Uni<Void> await(String bulkhead, Supplier<CompletionStage<Void>> question) {
        return Uni.createFrom().deferred(() -> {
            CompletionStage<Void> answer = question.get();
            if (BlockingOperationControl.isBlockingAllowed()) {
                return Uni.createFrom().item(() -> BlockingWait.await(bulkhead, answer));
            }
            return Uni.createFrom().completionStage(answer).emitOn(here());
        });
    }

    /**
     * Waits for the end of something at each subscription; an interrupt does not end that.
     *
     * @param end brings the end about, which comes in bounded time and never fails
     */
    static Uni<Void> awaitEnd(Supplier<CompletionStage<Void>> end) {
        return Uni.createFrom().deferred(() -> {
            CompletionStage<Void> ended = end.get();
            if (BlockingOperationControl.isBlockingAllowed()) {
                BlockingWait.awaitUninterruptibly(ended);
                return Uni.createFrom().voidItem();
            }
            return Uni.createFrom().completionStage(ended).emitOn(here());
        });
    }

    // An event loop without a context is that of a library beside Vert.x; there is nowhere to go back to.
    private static Executor here() {
        Context context = Vertx.currentContext();
        if (context == null) {
            return Runnable::run;
        }
        return task -> {
            if (Vertx.currentContext() == context) {
                task.run();
            } else {
                context.runOnContext(now -> task.run());
            }
        };
    }
}
