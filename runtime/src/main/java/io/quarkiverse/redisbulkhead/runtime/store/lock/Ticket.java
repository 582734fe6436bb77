package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.util.List;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys.Part;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;

/** The last ticket that was given, those that a step gives, and how late it has been. */
final class Ticket {

    private static final int MOST_DIGITS = 16;

    /** From here on a double, as the scripts use it, does not hold each whole number. */
    private static final long END = 1L << 53;

    /** Where the last ticket is that far ahead of the clock, it was set back since. */
    private static final long SET_BACK_MICROS = 1_000_000;

    private final BulkheadKeys keys;
    private long last;
    private boolean changed;

    Ticket(BulkheadKeys keys) {
        this.keys = keys;
    }

    /**
     * Adds what was read.
     *
     * @throws StoreException when it is not ours
     */
    void know(String value) {
        if (!value.matches("\\d{1," + MOST_DIGITS + "}") || Long.parseLong(value) >= END - 1) {
            // Without what it holds, which is somebody else's business.
            throw new StoreException("The key " + keys.shown()
                    + "ticket holds no ticket. Another application keeps data of its own"
                    + " there; it was left alone. Set quarkus.redis-bulkhead.key-prefix to a prefix that nobody else uses",
                    false, null);
        }
        last = Long.parseLong(value);
    }

    /**
     * The next ticket. It never falls behind the clock, so that tickets grow even after their key has expired or was flushed.
     */
    long next(long micros) {
        last = Math.max(last + 1, micros);
        changed = true;
        return last;
    }

    /** The last ticket that was given, or 0 when none is known. */
    long last() {
        return last;
    }

    /** The next ticket shall be greater than this one. */
    void pass(long ticket) {
        if (last < ticket) {
            last = ticket;
            changed = true;
        }
    }

    /**
     * Notes how late it has been, as the last ticket does. Whatever makes a lease or a place end later says so here, so that a
     * clock that was set back since is noticed, however long ago a ticket was given. The next ticket is what it would be
     * without.
     */
    void noteTheTime(long micros) {
        pass(micros - 1);
    }

    /** Whether the clock was set back since a ticket was given, or a lease or a place lengthened. */
    boolean tellsOfSetBack(long micros) {
        return last > micros + SET_BACK_MICROS;
    }

    boolean hasChanged() {
        return changed;
    }

    /** The commands that bring the change about. */
    List<Request> changes() {
        return changed ? List.of(Request.cmd(Command.SET).arg(keys.of(Part.TICKET)).arg(last).arg("KEEPTTL")) : List.of();
    }
}
