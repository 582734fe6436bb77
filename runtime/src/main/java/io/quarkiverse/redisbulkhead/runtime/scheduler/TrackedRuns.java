package io.quarkiverse.redisbulkhead.runtime.scheduler;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.function.Consumer;

import jakarta.annotation.Priority;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRuntime;
import io.quarkiverse.redisbulkhead.runtime.GuardedMethods.ScheduledRuns;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.StoreFailures.StoppingException;
import io.quarkiverse.redisbulkhead.runtime.guard.Guard.SkippingGuard;
import io.quarkiverse.redisbulkhead.runtime.message.LogMessage;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.scheduler.ScheduledExecution;
import io.quarkus.scheduler.SkippedExecution;
import io.smallrye.common.vertx.ContextLocals;
import io.smallrye.common.vertx.VertxContext;

/**
 * Remembers which run of a scheduled method its Vert.x context executes. The build makes it the {@code skipExecutionIf} of
 * scheduled methods, because the scheduler calls that in the context of each run, right before the method. It skips nothing
 * itself: only the interceptor knows whether the bulkhead is full.
 */
@Singleton
public class TrackedRuns implements Scheduled.SkipPredicate, ScheduledRuns {

    private static final Logger LOG = Logger.getLogger(TrackedRuns.class);
    private static final String RUN = TrackedRuns.class.getName();

    private record Run(ScheduledExecution execution, boolean late) {
    }

    private final Event<SkippedExecution> skips;
    // Created when the first run begins, and not when the application starts.
    private final Instance<BulkheadRuntime> runtime;

    /**
     * Creates the bean.
     *
     * @param skips takes the events of skipped runs
     * @param runtime knows whether the application stops
     */
    @Inject
    public TrackedRuns(Event<SkippedExecution> skips, Instance<BulkheadRuntime> runtime) {
        this.skips = skips;
        this.runtime = runtime;
    }

    @Override
    public boolean test(ScheduledExecution execution) {
        begin(execution);
        return false;
    }

    /** The current context executes this run. */
    void begin(ScheduledExecution execution) {
        if (VertxContext.isOnDuplicatedContext()) {
            ContextLocals.put(RUN, new Run(execution, runtime.get().isStopping()));
        }
    }

    /** The run that the current context executes, if it began while the application stops; otherwise null. */
    ScheduledExecution late() {
        Run run = run();
        return run != null && run.late() ? run.execution() : null;
    }

    // Null outside of a run.
    private static Run run() {
        return VertxContext.isOnDuplicatedContext() ? ContextLocals.<Run> get(RUN, null) : null;
    }

    @Override
    public Consumer<BulkheadFullException> current(String method) {
        Run run = run();
        return run != null && method.equals(run.execution().getTrigger().getMethodDescription())
                ? rejection -> skipped(run.execution(), rejection)
                : null;
    }

    private void skipped(ScheduledExecution run, BulkheadFullException rejection) {
        SkippedExecution event = new SkippedExecution(run, rejection.getMessage());
        skips.fireAsync(event);
        try {
            skips.fire(event);
        } catch (RuntimeException e) {
            LOG.errorf(e, "An observer of SkippedExecution failed; the run of %s is skipped all the same. %s",
                    run.getTrigger().getMethodDescription(), LogMessage.OBSERVER_FAILED);
        }
    }

    /** Binds {@link Tracking} to scheduled methods, and to the {@code skipExecutionIf} predicates of the application. */
    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ ElementType.TYPE, ElementType.METHOD })
    public @interface Tracked {
    }

    /**
     * Around a predicate of the application: remembers the run, as {@link TrackedRuns} does where a method has no predicate.
     * <p>
     * Around a scheduled method: a run that begins while the application stops, and fails because what it calls gets no permit
     * any more, ends with one line instead of an error. Guarded methods have {@code SkippingGuard} for that; this is for
     * scheduled methods that call guarded ones. A run that began before fails as usual: it may have done a part of its work.
     */
    @Tracked
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_BEFORE)
    public static class Tracking {

        private final TrackedRuns runs;

        /**
         * Creates the interceptor.
         *
         * @param runs remembers runs
         */
        @Inject
        public Tracking(TrackedRuns runs) {
            this.runs = runs;
        }

        @AroundInvoke
        Object track(InvocationContext invocation) throws Exception {
            ScheduledExecution late = runs.late();
            if (late != null) {
                return SkippingGuard.quietly(invocation::proceed, Tracking::isStopping, failure -> log(late));
            }
            Object skipped = invocation.proceed();
            if (Boolean.FALSE.equals(skipped) && invocation.getParameters().length == 1
                    && invocation.getParameters()[0] instanceof ScheduledExecution run) {
                runs.begin(run);
            }
            return skipped;
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
}
