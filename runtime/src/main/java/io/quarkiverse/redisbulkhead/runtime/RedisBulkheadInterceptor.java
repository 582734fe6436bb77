package io.quarkiverse.redisbulkhead.runtime;

import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;

/**
 * Hands each call of a guarded method to its guard. It comes after the interceptor of MicroProfile Fault Tolerance, so that
 * each
 * retry takes a new permit, and after those of transactions, caching and security.
 */
@RedisBulkheadBinding
@Interceptor
@Priority(RedisBulkheadInterceptor.PRIORITY)
public class RedisBulkheadInterceptor {

    /** After Fault Tolerance, which has {@code PLATFORM_AFTER + 10}. */
    public static final int PRIORITY = Interceptor.Priority.PLATFORM_AFTER + 100;

    private final GuardRegistry guards;

    /**
     * Creates the interceptor; one per bean instance.
     *
     * @param guards all guards of the application
     */
    @Inject
    public RedisBulkheadInterceptor(GuardRegistry guards) {
        this.guards = guards;
    }

    @AroundInvoke
    Object guard(InvocationContext invocation) throws Exception {
        return guards.guardOf(invocation.getTarget().getClass(), invocation.getMethod()).call(invocation::proceed);
    }
}
