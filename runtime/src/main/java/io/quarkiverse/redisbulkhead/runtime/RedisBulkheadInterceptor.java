package io.quarkiverse.redisbulkhead.runtime;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;

/**
 * Hands each call of a guarded method to its guard. It comes after the interceptor of MicroProfile Fault Tolerance,
 * so that each retry takes a new permit, and after those of transactions, caching and security.
 */
@RedisBulkheadBinding
@Interceptor
@Priority(RedisBulkheadInterceptor.PRIORITY)
public class RedisBulkheadInterceptor {

    /** After Fault Tolerance, which has {@code PLATFORM_AFTER + 10}. */
    public static final int PRIORITY = Interceptor.Priority.PLATFORM_AFTER + 100;

    private final Instance<GuardRegistry> registry;
    private GuardsOfBean guards;

    /**
     * Creates the interceptor; one per bean instance.
     *
     * @param registry all guards of the application; looked up at the first call, because beans may be created before
     *        there is any configuration
     */
    @Inject
    public RedisBulkheadInterceptor(Instance<GuardRegistry> registry) {
        this.registry = registry;
    }

    @AroundInvoke
    Object guard(InvocationContext invocation) throws Exception {
        return guards(invocation).of(invocation.getMethod()).call(invocation);
    }

    // Threads that race here find the same.
    private GuardsOfBean guards(InvocationContext invocation) {
        GuardsOfBean known = guards;
        if (known == null) {
            known = registry.get().of(invocation.getTarget().getClass());
            guards = known;
        }
        return known;
    }
}
