package io.quarkiverse.redisbulkhead.runtime;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;

import jakarta.interceptor.InvocationContext;

import io.quarkiverse.redisbulkhead.runtime.guard.Guard;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
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

    private record Call(GuardedCalls calls, InvocationContext invocation) implements Supplier<Admission>, Callable<Object> {

        @Override
        public Admission get() {
            return calls.executions.admit(calls.semaphores.apply(invocation.getParameters()), calls.method,
                    calls.guard.waitsOn());
        }

        @Override
        public Object call() throws Exception {
            return invocation.proceed();
        }
    }

    /**
     * Makes one call.
     *
     * @param invocation has its arguments, and runs the method
     * @return what the guard makes of its result
     * @throws Exception what the method threw, or the rejection
     */
    Object call(InvocationContext invocation) throws Exception {
        Call call = new Call(this, invocation);
        return guard.call(call, call);
    }
}
