package io.quarkiverse.redisbulkhead.test;

import java.time.Duration;

/** A deadline of an operation. */
record Deadline(long endNanos) {

    static Deadline in(Duration time) {
        return new Deadline(System.nanoTime() + time.toNanos());
    }

    boolean isOver() {
        return System.nanoTime() - endNanos >= 0;
    }
}
