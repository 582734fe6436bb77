package io.quarkiverse.redisbulkhead.benchmarks.load;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.HdrHistogram.Histogram;

import io.quarkiverse.redisbulkhead.benchmarks.contender.AsynchronousCaller;

/** One pair after the other by an asynchronous caller. */
final class CallerLoop {

    private final AsynchronousCaller caller;
    private final Runnable execution;
    private final Consumer<Throwable> end;
    private final Histogram latencies = Work.newHistogram();
    private final AtomicBoolean halfway = new AtomicBoolean();
    private volatile boolean over;
    private long begun;

    /**
     * @param end told when there will be no more pairs; with null, or with the failure
     */
    CallerLoop(AsynchronousCaller caller, Runnable execution, Consumer<Throwable> end) {
        this.caller = caller;
        this.execution = execution;
        this.end = end;
    }

    void begin() {
        caller.atHome(this::next);
    }

    void stop() {
        over = true;
    }

    private void next() {
        // At least one pair, however late the thread gets to run.
        if (over && latencies.getTotalCount() > 0) {
            end.accept(null);
            return;
        }
        halfway.set(false);
        begun = System.nanoTime();
        try {
            caller.pair(execution, this::ended);
        } catch (RuntimeException e) {
            end.accept(e);
            return;
        }
        // The pair has ended within the call: going on from here would keep the thread from all others.
        if (!halfway.compareAndSet(false, true)) {
            caller.atHome(this::next);
        }
    }

    private void ended(Throwable failure) {
        if (failure != null) {
            end.accept(failure);
            return;
        }
        Work.record(latencies, System.nanoTime() - begun);
        // The call has returned, so the stack does not grow.
        if (!halfway.compareAndSet(false, true)) {
            next();
        }
    }

    Histogram latencies() {
        return latencies;
    }
}
