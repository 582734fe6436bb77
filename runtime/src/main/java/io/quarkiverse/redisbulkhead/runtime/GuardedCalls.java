package io.quarkiverse.redisbulkhead.runtime;

import java.util.List;
import java.util.concurrent.Callable;

import io.quarkiverse.redisbulkhead.runtime.guard.Guard;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Executions;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;

/**
 * The calls of one guarded method.
 *
 * @param guard guards them
 * @param semaphores those that a call must pass, in the order in which permits are taken
 * @param method how people see the method
 * @param executions counts them
 */
record GuardedCalls(Guard guard, List<SemaphoreOfCall> semaphores, String method, Executions executions) {

    /**
     * Makes one call.
     *
     * @param arguments its arguments
     * @param proceed runs the method
     * @return what the guard makes of its result
     * @throws Exception what the method threw, or the rejection
     */
    Object call(Object[] arguments, Callable<Object> proceed) throws Exception {
        return guard.call(() -> admission(arguments), proceed);
    }

    private Admission admission(Object[] arguments) {
        List<Semaphore> passed = semaphores.stream().map(semaphore -> semaphore.of(arguments)).toList();
        return executions.admit(passed, method);
    }
}
