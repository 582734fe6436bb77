package io.quarkiverse.redisbulkhead.behaviour;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;

import io.smallrye.faulttolerance.api.CustomBackoffStrategy;

/** Records calls between Fault Tolerance and the bulkhead, and runs actions in the pauses between attempts. */
@ApplicationScoped
public class FaultToleranceProbe {

    private static final Runnable NOTHING = () -> {
    };

    private final List<Thread> requestThreads = new CopyOnWriteArrayList<>();
    private volatile Runnable atPause = NOTHING;

    void reset() {
        requestThreads.clear();
        atPause = NOTHING;
    }

    /** The number of permit requests. */
    int requests() {
        return requestThreads.size();
    }

    /** The threads that requested a permit. */
    List<Thread> requestThreads() {
        return requestThreads;
    }

    /** Runs at the start and at the end of a pause between two attempts. */
    void atPause(Runnable action) {
        atPause = action;
    }

    void pause() {
        atPause.run();
    }

    /** A call of the method reaches the bulkhead. */
    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ ElementType.METHOD, ElementType.TYPE })
    public @interface Asks {
    }

    /** Runs after Fault Tolerance and before the bulkhead. */
    @Asks
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_AFTER + 50)
    public static class Asking {

        @Inject
        FaultToleranceProbe probe;

        @AroundInvoke
        Object recordRequest(InvocationContext invocation) throws Exception {
            probe.requestThreads().add(Thread.currentThread());
            return invocation.proceed();
        }
    }

    /** Called when a pause starts. */
    public static class Pause implements CustomBackoffStrategy {

        @Override
        public long nextDelayInMillis(Throwable failure) {
            CDI.current().select(FaultToleranceProbe.class).get().pause();
            return 1;
        }
    }
}
