package io.quarkiverse.redisbulkhead.runtime.scheduler;

import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;

import io.quarkus.scheduler.ScheduledExecution;

/** Does what {@link TrackedRuns} does, for scheduled methods that have a {@code skipExecutionIf} of their own. */
@TracksRuns
@Interceptor
@Priority(Interceptor.Priority.PLATFORM_BEFORE)
public class RunTrackingInterceptor {

    private final TrackedRuns runs;

    /**
     * Creates the interceptor.
     *
     * @param runs remembers runs
     */
    @Inject
    public RunTrackingInterceptor(TrackedRuns runs) {
        this.runs = runs;
    }

    @AroundInvoke
    Object track(InvocationContext invocation) throws Exception {
        Object skipped = invocation.proceed();
        if (Boolean.FALSE.equals(skipped) && invocation.getParameters().length == 1
                && invocation.getParameters()[0] instanceof ScheduledExecution run) {
            runs.begin(run);
        }
        return skipped;
    }
}
