package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.util.List;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.redis.ErrorReply;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;

/** The last ticket that was given, and those that a step gives. */
final class Ticket {

    /** A whole number that is no larger than a double, as the scripts use it, holds exactly. */
    private static final int MOST_DIGITS = 16;
    private static final long END = 1L << 53;

    private final byte[] key;
    private long last;
    private boolean taken;

    Ticket(byte[] key) {
        this.key = key;
    }

    /**
     * Adds what was read.
     *
     * @throws StoreException when it is not ours
     */
    void know(String value) {
        if (!value.matches("\\d{1," + MOST_DIGITS + "}") || Long.parseLong(value) >= END - 1) {
            throw new StoreException(new ErrorReply("WRONGTYPE " + new String(key) + " holds no ticket").explanation(), false,
                    null);
        }
        last = Long.parseLong(value);
    }

    /**
     * The next ticket. It never falls behind the clock, so that tickets grow even after their key has expired or was flushed.
     */
    long next(long micros) {
        last = Math.max(last + 1, micros);
        taken = true;
        return last;
    }

    boolean isTaken() {
        return taken;
    }

    /** The commands that bring the change about. */
    List<Request> changes() {
        return taken ? List.of(Request.cmd(Command.SET).arg(key).arg(last).arg("KEEPTTL")) : List.of();
    }
}
