package io.quarkiverse.redisbulkhead.runtime.scheduler;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.bulkhead.StoppingException;
import io.quarkiverse.redisbulkhead.runtime.guard.SkippingGuard;
import io.quarkus.scheduler.ScheduledExecution;

/**
 * Around scheduled methods: a run that begins while the application stops, and fails because what it calls gets no permit any
 * more, ends with one line instead of an error. Guarded methods have {@code SkippingGuard} for that; this is for scheduled
 * methods that call guarded ones. A run that began before fails as usual: it may have done a part of its work.
 */
@LateRuns.Bound
@Interceptor
@Priority(Interceptor.Priority.PLATFORM_BEFORE)
public class LateRuns {

    /** Binds the interceptor; the build adds it to scheduled methods. */
    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ ElementType.TYPE, ElementType.METHOD })
    public @interface Bound {
    }

    private static final Logger LOG = Logger.getLogger(LateRuns.class);

    private final TrackedRuns runs;

    /**
     * Creates the interceptor.
     *
     * @param runs knows which run the current call is
     */
    @Inject
    public LateRuns(TrackedRuns runs) {
        this.runs = runs;
    }

    @AroundInvoke
    Object endCalmly(InvocationContext invocation) throws Exception {
        ScheduledExecution run = runs.late();
        return run == null ? invocation.proceed()
                : SkippingGuard.quietly(invocation::proceed, LateRuns::isStopping, failure -> log(run));
    }

    private static boolean isStopping(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof StoppingException) {
                return true;
            }
        }
        return false;
    }

    private static void log(ScheduledExecution run) {
        // As in the lines about guarded methods, without the package.
        String method = run.getTrigger().getMethodDescription();
        int end = method.indexOf('#');
        LOG.infof("A scheduled run of %s got no permit and ended: the application is stopping",
                method.substring(Math.max(method.lastIndexOf('.', end), method.lastIndexOf('$', end)) + 1));
    }
}
