package io.quarkiverse.redisbulkhead.runtime.semaphore;

/** An admission that counts the execution off at its end. */
abstract class CountedAdmission implements Admission {

    // Null when there is nothing to count. Guarded by this.
    private UnderWay count;

    /**
     * Who counts the execution. To be called at once.
     *
     * @param executions has it begun
     * @return this
     */
    final synchronized Admission countedBy(UnderWay executions) {
        count = executions;
        return this;
    }

    /** The execution has ended, and its release has begun. Calling it again has no effect. */
    final void countOff() {
        UnderWay counted;
        synchronized (this) {
            counted = count;
            count = null;
        }
        if (counted != null) {
            counted.end();
        }
    }
}
