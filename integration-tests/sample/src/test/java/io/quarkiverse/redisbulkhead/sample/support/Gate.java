package io.quarkiverse.redisbulkhead.sample.support;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Counts concurrent calls, and blocks each until the test opens the gate. Thread-safe. */
public final class Gate {

    // Only limits the time of a failing test.
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private boolean open;
    private int inside;
    private int peak;
    private int arrived;
    // The number of calls so far, and how many of them, in order, may leave.
    private long turns;
    private long mayLeave;

    /** Lets a call in, and returns when it may leave. */
    synchronized void pass() throws InterruptedException {
        arrived++;
        long turn = turns++;
        inside++;
        peak = Math.max(peak, inside);
        notifyAll();
        try {
            waitFor(() -> open || turn < mayLeave, PATIENCE);
        } finally {
            inside--;
        }
    }

    public synchronized void open() {
        open = true;
        notifyAll();
    }

    public synchronized void letOneLeave() {
        mayLeave++;
        notifyAll();
    }

    /** Blocks future calls, and resets the counts. */
    public synchronized void shut() {
        open = false;
        mayLeave = turns;
        peak = inside;
        arrived = 0;
    }

    /** Waits until so many calls are inside, and fails on timeout. */
    public synchronized void awaitInside(int calls) throws InterruptedException {
        if (!waitFor(() -> inside >= calls, PATIENCE)) {
            throw new AssertionError("expected " + calls + " calls inside, but there are " + inside);
        }
    }

    public synchronized int inside() {
        return inside;
    }

    /** How many calls were inside at once at the most. */
    public synchronized int peak() {
        return peak;
    }

    public synchronized int arrived() {
        return arrived;
    }

    // Releases the lock meanwhile. Returns whether the condition became true.
    private boolean waitFor(BooleanSupplier condition, Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        while (!condition.getAsBoolean()) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return true;
    }
}
