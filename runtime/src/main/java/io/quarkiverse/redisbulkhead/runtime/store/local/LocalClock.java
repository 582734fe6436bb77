package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The clock of the store: it starts with the time of day and then only follows the passing of time, whatever becomes
 * of the computer's clock. It also numbers the tickets.
 */
final class LocalClock {

    private final LongSupplier nanoTime;
    private final long startNanos;
    private final long startMillis;

    /**
     * One counter for all bulkheads: so tickets of a bulkhead grow even when it was forgotten in between, and nothing
     * needs to be kept for that.
     */
    private final AtomicLong lastTicket = new AtomicLong();

    LocalClock(LongSupplier nanoTime, long startMillis) {
        this.nanoTime = nanoTime;
        this.startNanos = nanoTime.getAsLong();
        this.startMillis = startMillis;
    }

    /** Microseconds since the epoch. To be asked while the bulkhead is locked, so that its steps follow each other in time. */
    long micros() {
        long elapsed = nanoTime.getAsLong() - startNanos;
        return TimeUnit.MILLISECONDS.toMicros(startMillis) + TimeUnit.NANOSECONDS.toMicros(elapsed);
    }

    long nextTicket(long micros) {
        return lastTicket.accumulateAndGet(micros, (last, now) -> Math.max(last + 1, now));
    }

    long lastTicket() {
        return lastTicket.get();
    }

    /** The next ticket shall be greater than this one. */
    void passTicket(long ticket) {
        lastTicket.accumulateAndGet(ticket, Math::max);
    }
}
