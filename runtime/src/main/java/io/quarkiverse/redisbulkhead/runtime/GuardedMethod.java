package io.quarkiverse.redisbulkhead.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import jakarta.interceptor.InvocationContext;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException.SkippedException;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Executions;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits.WaitsOn;
import io.quarkiverse.redisbulkhead.runtime.guard.BlockingWait;
import io.quarkiverse.redisbulkhead.runtime.guard.Guard;
import io.quarkiverse.redisbulkhead.runtime.guard.HeldPermits;

/**
 * Guards the calls of one method: holds the strategy for its return type, and finds the semaphores that a call must pass.
 * Made at its first call. Thread-safe.
 *
 * @param label how operators see the method
 * @param guard the strategy for its return type
 * @param same the semaphores that every call passes, in the order in which permits are acquired; null where the arguments
 *        decide
 * @param ofCall finds those of a call otherwise, in the same order
 * @param executions counts the calls
 * @param skips tells which full bulkheads skip the call that is being made, or null for none; null when no call is ever skipped
 */
record GuardedMethod(String label, Guard guard, List<Semaphore> same, List<Function<Object[], Semaphore>> ofCall,
        Executions executions,
        Supplier<Skips> skips) {

    /**
     * Makes one call.
     *
     * @param invocation has its arguments, and runs the method
     * @return what the guard makes of its result
     * @throws Exception what the method threw, or the rejection
     */
    Object call(InvocationContext invocation) throws Exception {
        Skips skipsOfCall = skips == null ? null : skips.get();
        Call call = new Call(this, invocation, skipsOfCall);
        return (skipsOfCall == null ? guard : skipsOfCall.guard()).call(call, call);
    }

    private List<Semaphore> semaphores(InvocationContext invocation) {
        List<Semaphore> all = same == null ? semaphores(invocation.getParameters()) : same;
        return guard.isBlocking() ? HeldPermits.nested(all) : all;
    }

    private List<Semaphore> semaphores(Object[] arguments) {
        List<Semaphore> all = new ArrayList<>(ofCall.size());
        for (Function<Object[], Semaphore> one : ofCall) {
            all.add(one.apply(arguments));
        }
        return all;
    }

    // One object for both roles: every call allocates it.
    private record Call(GuardedMethod method, InvocationContext invocation,
            Skips skips) implements Supplier<Admission>, Guard.SuspendingCall {

        @Override
        public Admission get() {
            List<Semaphore> semaphores = method.semaphores(invocation);
            return method.executions.admit(skips == null ? semaphores : skippable(semaphores), method.label,
                    method.guard.isBlocking() ? BlockingWait.occupies() : WaitsOn.NO_WORKER_THREAD);
        }

        private List<Semaphore> skippable(List<Semaphore> semaphores) {
            return semaphores.stream().map(semaphore -> skips.bulkheads().contains(semaphore.spec().name())
                    ? semaphore.whenFull(full -> new SkippedException(full, skips.listener()))
                    : semaphore).toList();
        }

        @Override
        public Object call() throws Exception {
            return invocation.proceed();
        }

        @Override
        public Object continuation() {
            Object[] arguments = invocation.getParameters();
            return arguments[arguments.length - 1];
        }

        @Override
        public Object call(Object continuation) throws Exception {
            Object[] arguments = invocation.getParameters();
            Object[] replaced = arguments.clone();
            replaced[arguments.length - 1] = continuation;
            invocation.setParameters(replaced);
            try {
                return invocation.proceed();
            } finally {
                // An interceptor that retries calls again with the arguments that it knows.
                invocation.setParameters(arguments);
            }
        }
    }

    /**
     * Which full bulkheads skip a call.
     *
     * @param bulkheads their names
     * @param guard the strategy for such calls
     * @param listener receives what a skipped call would have failed with; must not block
     */
    record Skips(Set<String> bulkheads, Guard guard, Consumer<BulkheadFullException> listener) {
    }
}
