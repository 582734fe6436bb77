package io.quarkiverse.redisbulkhead.runtime.semaphore;

/** An admission that can be told who counts the execution. */
interface Countable extends Admission {

    /**
     * Counts the execution off at its end. To be called at once.
     *
     * @param count has it begun
     * @return this
     */
    Admission countedBy(UnderWay count);
}
