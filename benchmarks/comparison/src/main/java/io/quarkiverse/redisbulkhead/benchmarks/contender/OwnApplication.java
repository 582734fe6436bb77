package io.quarkiverse.redisbulkhead.benchmarks.contender;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.VertxTimers;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Executions;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits.WaitsOn;
import io.quarkiverse.redisbulkhead.runtime.guard.AsyncGuard;
import io.quarkiverse.redisbulkhead.runtime.guard.Continuations;
import io.quarkiverse.redisbulkhead.runtime.guard.SynchronousGuard;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;
import io.vertx.core.impl.VertxInternal;

/**
 * One of our stores with everything behind the interceptor of a guarded method, put together as the extension does it: for
 * stores that this application does not have, as an application has one, and for processes without an application.
 */
public final class OwnApplication implements AutoCloseable {

    private static final String METHOD = "Benchmark#pair";

    private final OwnStore store;
    private final Engine engine;
    private final Executions executions = new Executions();
    private final Continuations continuations = new Continuations(0);

    /**
     * Starts it.
     *
     * @param store its store, which it closes
     * @param vertx its event loops
     */
    public OwnApplication(OwnStore store, Vertx vertx) {
        this.store = store;
        this.engine = store.engine(new VertxTimers(vertx));
    }

    /**
     * A semaphore.
     *
     * @param spec what it is
     * @return the semaphore behind guarded methods
     */
    public Semaphore semaphore(SemaphoreSpec spec) {
        return new Semaphore(engine, spec, true);
    }

    private Admission admit(Semaphore semaphore) {
        return executions.admit(List.of(semaphore), METHOD, WaitsOn.NO_WORKER_THREAD);
    }

    /**
     * A guarded method that returns {@code void}.
     *
     * @param semaphore guards it
     * @return for use by one thread
     */
    public BlockingCaller newBlockingCaller(Semaphore semaphore) {
        SynchronousGuard guard = new SynchronousGuard(METHOD, semaphore.spec().name());
        return execution -> guard.call(() -> admit(semaphore), () -> {
            execution.run();
            return null;
        });
    }

    /** A guarded method that returns a {@code Uni}. */
    AsynchronousCaller newAsynchronousCaller(Vertx vertx, Semaphore semaphore) {
        AsyncGuard guard = new AsyncGuard(semaphore.spec().name(), continuations);
        return newAsynchronousCaller(vertx, execution -> guard.guard(() -> admit(semaphore), () -> {
            execution.run();
            return Uni.createFrom().voidItem();
        }));
    }

    /**
     * Calls a method on an event loop and a context of its own, as a reactive endpoint does.
     *
     * @return makes one call at a time
     */
    static AsynchronousCaller newAsynchronousCaller(Vertx vertx, Function<Runnable, Uni<Void>> method) {
        ContextInternal context = ((VertxInternal) vertx).createEventLoopContext().duplicate();
        return new AsynchronousCaller() {

            @Override
            public void pair(Runnable execution, Consumer<Throwable> end) {
                method.apply(execution).subscribe().with(nothing -> end.accept(null), end);
            }

            @Override
            public void atHome(Runnable task) {
                context.runOnContext(now -> task.run());
            }
        };
    }

    @Override
    public void close() {
        engine.refuseAndRejectWaiters();
        engine.releaseAll().toCompletableFuture().join();
        engine.close();
        continuations.close();
        store.close();
    }
}
