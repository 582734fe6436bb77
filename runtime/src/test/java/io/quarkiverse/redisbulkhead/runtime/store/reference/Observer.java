package io.quarkiverse.redisbulkhead.runtime.store.reference;

/** Counts who is inside, whatever the semaphore says. Safe for use by many threads. */
interface Observer {

    /** Told right after a permit was granted; the answer is how many are inside then. */
    int enter();

    /** Told right before a permit is released, so that no successor is counted too early. */
    void leave();

    int inside();
}
