package io.quarkiverse.redisbulkhead.runtime;

import java.lang.reflect.Method;
import java.util.Map;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;

/**
 * Passes each call of a guarded method to its {@link GuardedMethod}. It comes after the interceptor of MicroProfile Fault
 * Tolerance, so that each retry takes a new permit, and after those of transactions, caching and security.
 */
@RedisBulkheadBinding
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
}
