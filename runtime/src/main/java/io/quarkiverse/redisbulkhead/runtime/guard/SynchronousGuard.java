package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.runtime.BlockingOperationNotAllowedException;

/**
 * Guards a method that has ended when it returns. The calling thread, platform or virtual, waits for the permits. At the end
 * it hands their releases to the store, and waits for the answers only where a bulkhead has {@code await-release}.
 *
 * @param label the method, for messages
 * @param bulkhead the name of its first bulkhead, for messages
 * @param results checks its results when the permits have gone back
 */
public record SynchronousGuard(String label, String bulkhead, UnfinishedResults results) implements Guard {

    /**
     * The guard of a method whose results are not checked.
     *
     * @param label the method, for messages
     * @param bulkhead the name of its first bulkhead, for messages
     */
    public SynchronousGuard(String label, String bulkhead) {
        this(label, bulkhead, UnfinishedResults.IGNORED);
    }

    @Override
    public Object call(Supplier<Admission> admissions, Callable<Object> method) throws Exception {
        if (!BlockingOperationControl.isBlockingAllowed()) {
            throw new BlockingOperationNotAllowedException(label
                    + " is guarded by @RedisBulkhead and returns synchronously, so "
                    + "it must not be called on an event loop. Add @Blocking or @RunOnVirtualThread to the endpoint that calls "
                    + "it, or return a Uni");
        }
        Admission admission = admissions.get();
        Object result;
        try {
            BlockingWait.untilHeld(bulkhead, admission);
            try (Interruption interruption = Interruption.by(admission.interruptions())) {
                result = HeldPermits.with(admission, method);
            }
        } finally {
            // Never fails, so the method's own result or exception reaches the caller.
            BlockingWait.awaitUninterruptibly(admission.end());
        }
        results.check(result);
        return result;
    }

    /** Interrupts the thread of a blocking execution when one of its permits is lost and {@code on-lost=interrupt}. */
    private static final class Interruption implements AutoCloseable {

        private final Thread thread = Thread.currentThread();

        // These two fields are guarded by the lock of this object: a thread that does other work by now must not be interrupted.
        private boolean over;
        private boolean interrupted;

        /** Returns null, which try-with-resources ignores, when no loss interrupts the execution. */
        static Interruption by(List<CompletionStage<PermitLost>> losses) {
            if (losses.isEmpty()) {
                return null;
            }
            Interruption watch = new Interruption();
            losses.forEach(loss -> loss.thenRun(watch::interrupt));
            return watch;
        }

        private synchronized void interrupt() {
            if (!over) {
                interrupted = true;
                thread.interrupt();
            }
        }

        /** An interrupt that the execution did not notice must not reach what the thread does next. */
        @Override
        public synchronized void close() {
            over = true;
            if (interrupted) {
                Thread.interrupted();
            }
        }
    }
}
