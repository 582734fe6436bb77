package io.quarkiverse.redisbulkhead.runtime;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.runtime.guard.Guard;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Executions;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;

/**
 * The calls of one guarded method.
 *
 * @param guard guards them
 * @param semaphores tells from the arguments which semaphores a call must pass, in the order in which permits are taken
 * @param method how people see the method
 * @param executions counts them
 */
record GuardedCalls(Guard guard, Function<Object[], List<Semaphore>> semaphores, String method, Executions executions) {

    /**
     * Makes one call.
     *
     * @param arguments its arguments
     * @param proceed runs the method
     * @return what the guard makes of its result
     * @throws Exception what the method threw, or the rejection
     */
    Object call(Object[] arguments, Callable<Object> proceed) throws Exception {
        return guard.call(() -> executions.admit(semaphores.apply(arguments), method), proceed);
    }
}
