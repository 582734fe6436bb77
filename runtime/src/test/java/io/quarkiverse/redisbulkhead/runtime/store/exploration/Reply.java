package io.quarkiverse.redisbulkhead.runtime.store.exploration;

/**
 * The reply of the store about a permit.
 *
 * @param what the result
 * @param end the lease end of a hand-over, in milliseconds from now
 * @param ticket the ticket in the queue, or 0
 * @param clock the clock of the store at the reply, in milliseconds from now
 */
record Reply(What what, long end, long ticket, long clock) {

    /** Ends this long ago are past by any clock. */
    static final long LONG_OVER = -2 * Setting.TICK;

    enum What {
        GRANTED,
        FULL,
        WAITING,
        CANCELLED,
        HANDED_OVER,
        GONE,
        FREE,
        NOTHING_NEW,
        RENEWED,
        LOST,
        DONE
    }

    static Reply of(What what) {
        return new Reply(what, 0, 0, 0);
    }

    /** Advances the time of replies that contain times. */
    Reply later(long end, long clock) {
        if (!containsTime()) {
            return this;
        }
        return new Reply(what, what == What.HANDED_OVER ? Math.max(this.end - end, LONG_OVER) : 0, ticket,
                this.clock - clock);
    }

    Reply with(long newTicket) {
        return new Reply(what, end, newTicket, clock);
    }

    private boolean containsTime() {
        return switch (what) {
            case WAITING, HANDED_OVER, GONE, FREE, NOTHING_NEW -> true;
            default -> false;
        };
    }

    @Override
    public String toString() {
        return what + (end != 0 ? " until " + end : "") + (ticket > 0 ? " with ticket " + ticket % 1_000_000_000 : "")
                + (clock != 0 ? " at " + clock : "");
    }
}
