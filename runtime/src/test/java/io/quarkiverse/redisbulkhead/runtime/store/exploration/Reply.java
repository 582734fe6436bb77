package io.quarkiverse.redisbulkhead.runtime.store.exploration;

/**
 * What the store says of one permit.
 *
 * @param what the answer
 * @param end when its lease ends, if it was handed over; from now, milliseconds
 * @param ticket of who waits in the queue, or 0
 * @param clock the clock of the store when it answered; from now, milliseconds
 */
record Reply(What what, long end, long ticket, long clock) {

    /** What has ended so long ago has done so by any reckoning. */
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

    /** Time passes; what was said once and for all stays as it is. */
    Reply later(long end, long clock) {
        if (!tellsTime()) {
            return this;
        }
        return new Reply(what, what == What.HANDED_OVER ? Math.max(this.end - end, LONG_OVER) : 0, ticket,
                this.clock - clock);
    }

    Reply with(long newTicket) {
        return new Reply(what, end, newTicket, clock);
    }

    private boolean tellsTime() {
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
