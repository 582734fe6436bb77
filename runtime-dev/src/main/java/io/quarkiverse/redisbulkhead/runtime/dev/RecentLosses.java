package io.quarkiverse.redisbulkhead.runtime.dev;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

import io.quarkiverse.redisbulkhead.PermitLost;

/** The permits that executions of this process lost while {@link UseHistory} shows the use; bounded. Thread-safe. */
final class RecentLosses {

    private static final int MOST = 10_000;

    private record Loss(String bulkhead, Optional<String> key, Instant at) {
    }

    // The oldest first. Guarded by this.
    private final Deque<Loss> losses = new ArrayDeque<>();

    /**
     * Adds a loss.
     *
     * @param loss what was lost
     * @param at when; not before those that were added earlier
     */
    synchronized void add(PermitLost loss, Instant at) {
        if (losses.size() == MOST) {
            losses.removeFirst();
        }
        losses.addLast(new Loss(loss.bulkhead(), loss.key(), at));
    }

    /**
     * Counts them.
     *
     * @param bulkhead its name
     * @param key empty if the bulkhead has one limit for all calls
     * @param now the time
     * @return how many there were during the last minutes
     */
    synchronized long of(String bulkhead, Optional<String> key, Instant now) {
        Instant oldest = now.minus(UseHistory.SPAN.multipliedBy(UseHistory.POINTS));
        losses.removeIf(loss -> loss.at().isBefore(oldest));
        return losses.stream().filter(loss -> loss.bulkhead().equals(bulkhead) && loss.key().equals(key)).count();
    }
}
