package io.quarkiverse.redisbulkhead.faults.worker;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Detects that the whole process stood still: it was paused, or got no processor time. A dedicated thread does nothing
 * else, so that a delay of another thread is not mistaken for a standstill.
 */
final class StandstillWatch {

    private static final Duration STEP = Duration.ofMillis(100);
    private static final Duration STANDSTILL = Duration.ofSeconds(1);

    private StandstillWatch() {
    }

    /** Reports each standstill of the process of more than a second. */
    static void start(Consumer<Duration> told) {
        Thread watch = new Thread(() -> watch(told), "standstill-watch");
        watch.setDaemon(true);
        watch.setPriority(Thread.MAX_PRIORITY);
        watch.start();
    }

    private static void watch(Consumer<Duration> told) {
        for (long last = System.nanoTime();;) {
            try {
                TimeUnit.MILLISECONDS.sleep(STEP.toMillis());
            } catch (InterruptedException e) {
                return;
            }
            long now = System.nanoTime();
            Duration still = Duration.ofNanos(now - last);
            if (still.compareTo(STANDSTILL) > 0) {
                told.accept(still);
            }
            last = now;
        }
    }
}
