package io.quarkiverse.redisbulkhead.runtime.store.reference;

import java.time.Duration;
import java.util.Optional;

/** A kind of semaphore in a comparison under load. */
interface Contender {

    String name();

    /**
     * Joins as one process.
     *
     * @param skew how far the clock of that process is ahead, for kinds that read it
     */
    Member join(Duration skew);

    /** One process. */
    @FunctionalInterface
    interface Member extends AutoCloseable {

        /** What one thread of the process uses. */
        Caller newCaller();

        @Override
        default void close() {
            // Most have nothing but what their callers have.
        }
    }

    /** One thread. */
    @FunctionalInterface
    interface Caller extends AutoCloseable {

        /** Asks for a permit, and waits for it where the kind can; empty when rejected. */
        Optional<Taken> tryAcquire();

        /** How many rejections came before any client looked at the permits. */
        default long rejectedUnseen() {
            return 0;
        }

        @Override
        default void close() {
            // Most have nothing of their own.
        }
    }

    /** A permit. */
    @FunctionalInterface
    interface Taken {

        void release();
    }
}
