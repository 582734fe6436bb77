package io.quarkiverse.redisbulkhead.runtime.store.reference;

/** Counts the callers inside, independently of the semaphore. Thread-safe. */
interface Observer {

    /** Called right after a permit was granted; returns the number of callers inside. */
    int enter();

    /** Called right before a permit is released, so that its successor is not counted too early. */
    void leave();

    int inside();
}
