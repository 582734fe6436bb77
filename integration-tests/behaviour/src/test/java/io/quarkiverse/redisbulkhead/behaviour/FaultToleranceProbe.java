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

/** What a test sees between Fault Tolerance and the bulkhead, and in the pauses between attempts. */
@ApplicationScoped
public class FaultToleranceProbe {

    private static final Runnable NOTHING = () -> {
    };

    private final List<Thread> askers = new CopyOnWriteArrayList<>();
    private volatile Runnable atPause = NOTHING;
    private volatile Runnable withPermit = NOTHING;

    void reset() {
        askers.clear();
        atPause = NOTHING;
        withPermit = NOTHING;
    }

    /** How often a permit was asked for. */
    int asked() {
        return askers.size();
    }

    /** The threads that asked for a permit. */
    List<Thread> askers() {
        return askers;
    }

    /** What is done when a pause between two attempts begins, and again when it ends. */
    void atPause(Runnable action) {
        atPause = action;
    }

    /** What is done within the bulkhead, before the method. */
    void withPermit(Runnable action) {
        withPermit = action;
    }

    void permitted() {
        withPermit.run();
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

    /** Comes after Fault Tolerance and before the bulkhead. */
    @Asks
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_AFTER + 50)
    public static class Asking {

        @Inject
        FaultToleranceProbe probe;

        @AroundInvoke
        Object asks(InvocationContext invocation) throws Exception {
            probe.askers().add(Thread.currentThread());
            return invocation.proceed();
        }
    }

    /** A call of the method has its permit. */
    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ ElementType.METHOD, ElementType.TYPE })
    public @interface WithPermit {
    }

    /** Comes after the bulkhead. */
    @WithPermit
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_AFTER + 200)
    public static class Permitted {

        @Inject
        FaultToleranceProbe probe;

        @AroundInvoke
        Object proceed(InvocationContext invocation) throws Exception {
            probe.permitted();
            return invocation.proceed();
        }
    }

    /** Called when a pause begins. */
    public static class Pause implements CustomBackoffStrategy {

        @Override
        public long nextDelayInMillis(Throwable failure) {
            CDI.current().select(FaultToleranceProbe.class).get().pause();
            return 1;
        }
    }
}
