package io.quarkiverse.redisbulkhead.runtime;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;

import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Executions;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits.WaitsOn;
import io.quarkiverse.redisbulkhead.runtime.guard.BlockingWait;
import io.quarkiverse.redisbulkhead.runtime.guard.Guard;
import io.quarkiverse.redisbulkhead.runtime.guard.Guard.SkippingGuard;
import io.quarkiverse.redisbulkhead.runtime.guard.HeldPermits;
import io.quarkiverse.redisbulkhead.runtime.guard.SynchronousGuard;

/**
 * Passes each call of a guarded method to its {@link GuardedMethod}. It comes after the interceptor of MicroProfile Fault
 * Tolerance, so that each retry takes a new permit, and after those of transactions, caching and security.
 */
@RedisBulkheadInterceptor.RedisBulkheadBinding
@Interceptor
@Priority(RedisBulkheadInterceptor.PRIORITY)
public class RedisBulkheadInterceptor {

    /** After Fault Tolerance, which has {@code PLATFORM_AFTER + 10}. */
    public static final int PRIORITY = Interceptor.Priority.PLATFORM_AFTER + 100;

    private final Instance<GuardedMethods> methods;
    // Unsynchronized: threads that race read the same map from the registry.
    private Map<Method, GuardedMethod> known;

    /**
     * Creates the interceptor; one per bean instance.
     *
     * @param methods all guarded methods of the application; looked up at the first call, because beans may be created before
     *        there is any configuration
     */
    @Inject
    public RedisBulkheadInterceptor(Instance<GuardedMethods> methods) {
        this.methods = methods;
    }

    @AroundInvoke
    Object guard(InvocationContext invocation) throws Exception {
        Map<Method, GuardedMethod> ofBean = known;
        GuardedMethod method = ofBean == null ? null : ofBean.get(invocation.getMethod());
        return (method == null ? find(invocation) : method).call(invocation);
    }

    private GuardedMethod find(InvocationContext invocation) {
        Class<?> bean = invocation.getTarget().getClass();
        known = methods.get().of(bean);
        return methods.get().find(bean, invocation.getMethod());
    }

    /**
     * Guards the calls of one method: holds the strategy for its return type, and finds the semaphores that a call must pass.
     * Made at its first call. Thread-safe.
     *
     * @param label how operators see the method
     * @param guard the strategy for its return type
     * @param semaphores finds those that a call must pass by its arguments, in the order in which permits are acquired
     * @param executions counts the calls
     * @param skips the strategy for the call that is being made if full bulkheads skip it, else null; null when no call is ever
     *        skipped
     */
    record GuardedMethod(String label, Guard guard, Function<Object[], List<Semaphore>> semaphores, Executions executions,
            Supplier<SkippingGuard> skips) {

        /**
         * Makes one call.
         *
         * @param invocation has its arguments, and runs the method
         * @return what the guard makes of its result
         * @throws Exception what the method threw, or the rejection
         */
        Object call(InvocationContext invocation) throws Exception {
            SkippingGuard skipping = skips == null ? null : skips.get();
            Call call = new Call(this, invocation, skipping);
            return (skipping == null ? guard : skipping).call(call, call);
        }

        // One object for both roles: every call allocates it.
        private record Call(GuardedMethod method, InvocationContext invocation,
                SkippingGuard skipping) implements Supplier<Admission>, Guard.SuspendingCall {

            @Override
            public Admission get() {
                List<Semaphore> semaphores = method.semaphores.apply(invocation.getParameters());
                // The thread waits until the execution has ended, so that calls around it end later.
                boolean isBlocking = method.guard instanceof SynchronousGuard;
                semaphores = isBlocking ? HeldPermits.nested(semaphores) : semaphores;
                return method.executions.admit(skipping == null ? semaphores : skipping.skipping(semaphores), method.label,
                        isBlocking ? BlockingWait.occupies() : WaitsOn.NO_WORKER_THREAD);
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
    }

    /**
     * Binds the interceptor to whatever carries {@link io.quarkiverse.redisbulkhead.RedisBulkhead}. The build adds it;
     * applications do not use it. It stands apart from the public annotation because CDI resolves repeated bindings by
     * rules of its own, and because misplaced annotations are to be reported together instead of one by one.
     */
    @Inherited
    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ ElementType.METHOD, ElementType.TYPE })
    public @interface RedisBulkheadBinding {
    }
}
