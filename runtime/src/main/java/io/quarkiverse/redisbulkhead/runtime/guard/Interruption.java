package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HeldPermit;

/** Interrupts the thread of a blocking execution when one of its permits is lost and that is to end it. */
final class Interruption implements AutoCloseable {

    private final Thread thread = Thread.currentThread();

    // Both are guarded by this: a thread that has gone on to other work must not be interrupted.
    private boolean over;
    private boolean interrupted;

    private Interruption() {
    }

    /**
     * Watches the permits of an execution on the current thread.
     *
     * @return null, which is nothing to close, when no loss is to end it
     */
    static Interruption of(List<HeldPermit> permits) {
        Interruption watch = null;
        for (int i = 0; i < permits.size(); i++) {
            Optional<CompletionStage<PermitLost>> loss = permits.get(i).interruption();
            if (loss.isPresent()) {
                watch = watch == null ? new Interruption() : watch;
                loss.get().thenRun(watch::interrupt);
            }
        }
        return watch;
    }

    private synchronized void interrupt() {
        if (!over) {
            interrupted = true;
            thread.interrupt();
        }
    }

    /** The execution has ended. An interrupt that it did not notice does not reach what the thread does next. */
    @Override
    public synchronized void close() {
        over = true;
        if (interrupted) {
            Thread.interrupted();
        }
    }
}
