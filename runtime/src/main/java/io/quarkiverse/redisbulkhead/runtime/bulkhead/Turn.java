package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;

/**
 * What the permits of this instance may serve while calls of other instances wait: in a fair bulkhead, the calls that a grant
 * was meant for; in one that is not fair, for a moment after a grant, all calls of this instance. Guarded by the bulkhead.
 */
final class Turn {

    // As long as some executions that take a millisecond, so that an instance amortizes its requests; short enough for others.
    private static final long NANOS = Duration.ofMillis(10).toNanos();

    // As the last call declared it.
    boolean fair;
    private boolean othersWait;
    // Up to which ticket grants have served calls of this instance.
    private long served;
    private boolean begun;
    private long endNanos;

    /** The store has answered, or has granted permits by a message. */
    void heard(boolean othersWait, long served, boolean grants, long now) {
        this.othersWait = othersWait;
        this.served = Math.max(this.served, served);
        if (!othersWait) {
            begun = false;
        } else if (grants) {
            begun = !fair;
            endNanos = now + NANOS;
        }
    }

    /** Whether a call that comes now would overtake one of another instance that must not be overtaken. */
    boolean isOthers() {
        return othersWait && fair;
    }

    /** A permit that was granted to a call that gave up must not serve a later one that would overtake those of others. */
    boolean mayServe(long ticket) {
        return !isOthers() || ticket != 0 && ticket <= served;
    }

    /** Whether permits may be passed on here although calls of other instances wait. */
    boolean lasts(long now) {
        return begun && endNanos - now > 0;
    }

    /** When it ends, if it lasts. */
    long endNanos() {
        return endNanos;
    }
}
