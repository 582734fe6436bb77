package io.quarkiverse.redisbulkhead.runtime.scheduler;

import java.util.function.Consumer;

import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.runtime.ScheduledRuns;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.scheduler.ScheduledExecution;
import io.quarkus.scheduler.SkippedExecution;
import io.smallrye.common.vertx.VertxContext;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/**
 * Remembers which run of a scheduled method its Vert.x context executes. The build makes it the {@code skipExecutionIf} of
 * scheduled methods, because the scheduler calls that in the context of each run, right before the method. It skips nothing
 * itself: only the interceptor knows whether the bulkhead is full.
 */
@Singleton
public class TrackedRuns implements Scheduled.SkipPredicate, ScheduledRuns {

    private static final Logger LOG = Logger.getLogger(TrackedRuns.class);
    private static final String RUN = TrackedRuns.class.getName();

    private final Event<SkippedExecution> skips;

    /**
     * Creates the bean.
     *
     * @param skips takes the events of skipped runs
     */
    @Inject
    public TrackedRuns(Event<SkippedExecution> skips) {
        this.skips = skips;
    }

    @Override
    public boolean test(ScheduledExecution execution) {
        begin(execution);
        return false;
    }

    /** The current context executes this run. */
    void begin(ScheduledExecution execution) {
        Context context = Vertx.currentContext();
        if (context != null && VertxContext.isDuplicatedContext(context)) {
            context.putLocal(RUN, execution);
        }
    }

    @Override
    public Consumer<BulkheadFullException> current(String method) {
        Context context = Vertx.currentContext();
        if (context == null || !VertxContext.isDuplicatedContext(context)) {
            return null;
        }
        ScheduledExecution run = context.getLocal(RUN);
        return run != null && method.equals(run.getTrigger().getMethodDescription()) ? rejection -> skipped(run, rejection)
                : null;
    }

    private void skipped(ScheduledExecution run, BulkheadFullException rejection) {
        SkippedExecution event = new SkippedExecution(run, rejection.getMessage());
        skips.fireAsync(event);
        try {
            skips.fire(event);
        } catch (RuntimeException e) {
            LOG.errorf(e, "An observer of SkippedExecution failed; the run of %s is skipped all the same",
                    run.getTrigger().getMethodDescription());
        }
    }
}
