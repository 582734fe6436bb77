package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.concurrent.Executor;

import io.quarkus.runtime.BlockingOperationControl;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/**
 * Where an asynchronous guarded method runs: where its caller was. The answer from the store arrives on a thread of the
 * store's;
 * from there execution goes back
 * <ul>
 * <li>to the caller's Vert.x context on its event loop, when the caller was on an event loop;</li>
 * <li>to the caller's Vert.x context on a worker thread, when the caller was on a worker or virtual thread, which may
 * block;</li>
 * <li>to Quarkus's worker pool, when the caller was on a thread without Vert.x.</li>
 * </ul>
 * A Vert.x context carries the CDI request context and the tracing span; elsewhere Mutiny propagates them.
 */
final class CallerContext implements Executor {

    private final Context context;
    private final boolean onEventLoop;

    private CallerContext(Context context, boolean onEventLoop) {
        this.context = context;
        this.onEventLoop = onEventLoop;
    }

    /** Remembers where the current thread is. */
    static CallerContext capture() {
        return new CallerContext(Vertx.currentContext(), Context.isOnEventLoopThread());
    }

    @Override
    public void execute(Runnable task) {
        if (isHere()) {
            task.run();
        } else if (context == null) {
            Infrastructure.getDefaultWorkerPool().execute(task);
        } else if (onEventLoop) {
            context.runOnContext(now -> task.run());
        } else {
            context.executeBlocking(() -> {
                task.run();
                return null;
            }, false);
        }
    }

    private boolean isHere() {
        if (context == null) {
            return BlockingOperationControl.isBlockingAllowed();
        }
        return Vertx.currentContext() == context && Context.isOnEventLoopThread() == onEventLoop;
    }
}
