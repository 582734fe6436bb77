package io.quarkiverse.redisbulkhead.runtime.metrics;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.SemaphoreStatus;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Timers;

/** Looks at bulkheads over all processes now and then, so that reading the numbers does not wait for the store. */
final class ClusterReadings {

    private static final Logger LOG = Logger.getLogger(ClusterReadings.class);

    /** What is known of one bulkhead. */
    static final class Reading {

        private final String bulkhead;
        private final Supplier<CompletionStage<SemaphoreStatus>> question;
        private final AtomicBoolean underWay = new AtomicBoolean();
        // Null while nothing is known.
        private volatile SemaphoreStatus latest;

        Reading(String bulkhead, Supplier<CompletionStage<SemaphoreStatus>> question) {
            this.bulkhead = bulkhead;
            this.question = question;
        }

        /** A number of the latest answer; no number when the store did not answer. */
        double value(ToDoubleFunction<SemaphoreStatus> number) {
            SemaphoreStatus status = latest;
            return status == null ? Double.NaN : number.applyAsDouble(status);
        }

        private void read() {
            if (underWay.compareAndSet(false, true)) {
                // Within a stage, so that what is thrown ends the reading too.
                CompletableFuture.completedFuture(null).thenCompose(start -> question.get()).whenComplete((status, failure) -> {
                    if (failure != null) {
                        LOG.debugf(failure, "Bulkhead '%s' could not be read; its metrics of all processes have no value now",
                                bulkhead);
                    }
                    latest = status;
                    underWay.set(false);
                });
            }
        }
    }

    private final List<Reading> readings;
    private final Timers timers;
    private final Duration interval;

    // Both are guarded by this.
    private Timers.Planned next = () -> {
    };
    private boolean stopped;

    ClusterReadings(List<Reading> readings, Timers timers, Duration interval) {
        this.readings = readings;
        this.timers = timers;
        this.interval = interval;
    }

    /** Looks now, and again after each interval. */
    void begin() {
        synchronized (this) {
            if (stopped) {
                return;
            }
            next = timers.after(interval, this::begin);
        }
        readings.forEach(Reading::read);
    }

    /** Looks no more. */
    synchronized void stop() {
        stopped = true;
        next.cancel();
    }
}
