package io.quarkiverse.redisbulkhead.sample.job;

import java.time.Instant;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkus.scheduler.Scheduled;

/**
 * A job that one instance at a time runs. All instances have the same schedule; when it is time, one gets the permit and the
 * others skip.
 * <p>
 * The bulkhead is on the bean that does the work, so that this class can count the runs that are skipped, those during an
 * outage included. On the scheduled method itself, a full bulkhead would skip the run without an exception.
 * <p>
 * The permit is free as soon as the work is done. An instance whose clock is behind by more than the work takes runs the job
 * again, one after the other, unless {@code min-hold} is set.
 */
@ApplicationScoped
public class StatisticsJob {

    /** What this instance has done so far: jobs that it completed, and dates that it skipped. The times are null before. */
    public record History(int runs, Instant lastRun, int skips, Instant lastSkip) {
    }

    private final Statistics statistics;
    private History history = new History(0, null, 0, null);

    StatisticsJob(Statistics statistics) {
        this.statistics = statistics;
    }

    // tag::scheduled[]
    /** Runs the job, or skips it when another instance runs it, or when Redis cannot tell whether one does. */
    @Scheduled(cron = "{sample.job.cron}", delayed = "2s")
    void run() {
        Instant now = Instant.now();
        try {
            statistics.update();
            ran(now);
        } catch (BulkheadFullException | BulkheadUnavailableException e) {
            skipped(now);
        }
    }
    // end::scheduled[]

    /** The activity of this instance since it started. */
    public synchronized History history() {
        return history;
    }

    private synchronized void ran(Instant time) {
        history = new History(history.runs() + 1, time, history.skips(), history.lastSkip());
    }

    private synchronized void skipped(Instant time) {
        history = new History(history.runs(), history.lastRun(), history.skips() + 1, time);
    }
}
