package io.quarkiverse.redisbulkhead.runtime.store.reference;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;

/** One of our stores with its engine, shared by all threads of a process. Reads no clock of the process. */
record EngineContender(String name, SemaphoreSpec spec, Supplier<Running> start) implements Contender {

    /** The engine of a process, and the task that closes it. */
    record Running(Engine engine, Runnable end) {
    }

    @Override
    public Member join(Duration skew) {
        Running running = start.get();
        Semaphore semaphore = new Semaphore(running.engine(), spec, true);
        return new Member() {

            @Override
            public Caller newCaller() {
                return () -> acquire(semaphore);
            }

            @Override
            public void close() {
                running.end().run();
            }
        };
    }

    private static Optional<Acquired> acquire(Semaphore semaphore) {
        Admission admission = semaphore.admit("load");
        try {
            admission.granted().toCompletableFuture().get(3, TimeUnit.MINUTES);
            return Optional.of(() -> admission.end().toCompletableFuture().join());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof BulkheadFullException) {
                return Optional.empty();
            }
            throw new AssertionError(e);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
