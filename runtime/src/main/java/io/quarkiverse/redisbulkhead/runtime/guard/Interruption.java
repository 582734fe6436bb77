package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.List;

import io.quarkiverse.redisbulkhead.runtime.semaphore.HeldPermit;

/** Interrupts the thread of a blocking execution when one of its permits is lost and that is to end it. */
final class Interruption implements AutoCloseable {

    private final Thread thread = Thread.currentThread();

    // Both are guarded by this: a thread that has gone on to other work must not be interrupted.
    private boolean over;
    private boolean interrupted;

    /** Watches the permits of an execution on the current thread. */
    Interruption(List<HeldPermit> permits) {
        permits.stream().flatMap(permit -> permit.interruption().stream())
                .forEach(loss -> loss.thenRun(this::interrupt));
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
