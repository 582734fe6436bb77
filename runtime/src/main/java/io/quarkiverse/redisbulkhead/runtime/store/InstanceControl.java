package io.quarkiverse.redisbulkhead.runtime.store;

/** What tests of applications do to an instance, beside the faults of its store. */
public interface InstanceControl extends ConnectionListener {

    /**
     * Whether idle permits stay with the instance. If not, each call asks the store.
     *
     * @param keeps {@code false}: all idle permits go back, and none stays from now on
     */
    void keepIdle(boolean keeps);

    /**
     * Lets an execution of this instance lose its permit as if the store had lost it.
     *
     * @param bulkhead the bulkhead
     * @param permitId the permit
     * @return {@code false} when no execution of this instance holds it
     */
    boolean lose(BulkheadId bulkhead, String permitId);
}
