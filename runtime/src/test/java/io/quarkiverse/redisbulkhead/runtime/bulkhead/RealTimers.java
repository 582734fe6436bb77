package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Real time, for tests against real servers. */
public class RealTimers implements Timers {

    private static final ScheduledExecutorService THREAD = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "test timers");
        thread.setDaemon(true);
        return thread;
    });

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Planned after(Duration delay, Runnable task) {
        ScheduledFuture<?> planned = THREAD.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> planned.cancel(false);
    }
}
