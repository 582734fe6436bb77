package io.quarkiverse.redisbulkhead.runtime.store.reference;

import java.time.Duration;
import java.util.Optional;

/** A kind of semaphore in a comparison under load. */
interface Contender {

    String name();

    /**
     * Starts a process.
     *
     * @param skew how far the clock of the process is ahead, if the semaphore reads it
     */
    Member join(Duration skew);

    /** A process. */
    @FunctionalInterface
    interface Member extends AutoCloseable {

        /** Creates the caller of a thread. */
        Caller newCaller();

        @Override
        default void close() {
            // Most members hold no resources.
        }
    }

    /** A thread. */
    @FunctionalInterface
    interface Caller extends AutoCloseable {

        /** Acquires a permit, and waits if the semaphore supports it; empty if rejected. */
        Optional<Acquired> tryAcquire();

        /** The number of rejections before any client read the permits. */
        default long rejectedUnseen() {
            return 0;
        }

        @Override
        default void close() {
            // Most callers hold no resources.
        }
    }

    /** A permit. */
    @FunctionalInterface
    interface Acquired {

        void release();
    }
}
