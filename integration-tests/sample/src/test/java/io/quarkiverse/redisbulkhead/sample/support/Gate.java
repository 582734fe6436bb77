package io.quarkiverse.redisbulkhead.sample.support;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Counts the calls that are inside at the same moment, and holds each of them until the test opens the gate. Safe for use by
 * many threads.
 */
public class Gate {

    // Only ends a test that fails anyway.
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private boolean open;
    private int inside;
    private int peak;
    private int arrived;
    // Of all calls that ever came, how many there were, and how many of the first of them may leave.
    private long turns;
    private long mayLeave;

    /** Lets a call in, and returns when it may leave. */
    final synchronized void pass() throws InterruptedException {
        arrived++;
        long turn = turns++;
        inside++;
        peak = Math.max(peak, inside);
        BooleanSupplier over = roundOf(inside);
        notifyAll();
        try {
            waitFor(() -> open || turn < mayLeave || over.getAsBoolean(), PATIENCE);
        } finally {
            inside--;
        }
    }

    /**
     * What lets a call leave while the gate is shut. Called, as its result is, with the lock held.
     *
     * @param inside how many calls are inside, this one included
     */
    BooleanSupplier roundOf(int inside) {
        return () -> false;
    }

    /** Lets all calls leave that are inside, and those that come. */
    public final synchronized void open() {
        open = true;
        notifyAll();
    }

    /** Lets one call leave: of those that are inside, the one that came first. */
    public final synchronized void letOneLeave() {
        mayLeave++;
        notifyAll();
    }

    /** Holds the calls that come, and counts from zero. */
    public synchronized void shut() {
        open = false;
        mayLeave = turns;
        peak = inside;
        arrived = 0;
    }

    /**
     * Waits until calls are inside.
     *
     * @param calls how many at once
     * @throws AssertionError when there are not enough in reasonable time
     */
    public final synchronized void awaitInside(int calls) throws InterruptedException {
        if (!waitFor(() -> inside >= calls, PATIENCE)) {
            throw new AssertionError("expected " + calls + " calls inside, but there are " + inside);
        }
    }

    /** How many calls are inside. */
    public final synchronized int inside() {
        return inside;
    }

    /** How many calls were inside at once at the most. */
    public final synchronized int peak() {
        return peak;
    }

    /** How many calls came. */
    public final synchronized int arrived() {
        return arrived;
    }

    // Gives the lock up meanwhile. Tells whether the condition came true.
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
