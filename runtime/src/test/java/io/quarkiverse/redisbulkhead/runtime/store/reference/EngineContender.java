package io.quarkiverse.redisbulkhead.runtime.store.reference;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.semaphore.SemaphoreEngine;

/** One of our stores behind its engine, which all threads of a process share. No clock of the process is read. */
record EngineContender(String name, SemaphoreSpec spec, Supplier<Running> start) implements Contender {

    /** The engine of one process, and what ends it. */
    record Running(SemaphoreEngine engine, Runnable end) {
    }

    @Override
    public Member join(Duration skew) {
        Running running = start.get();
        Semaphore semaphore = running.engine().semaphore(spec);
        return new Member() {

            @Override
            public Caller newCaller() {
                return () -> take(semaphore);
            }

            @Override
            public void close() {
                running.end().run();
            }
        };
    }

    private static Optional<Taken> take(Semaphore semaphore) {
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
