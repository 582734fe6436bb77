package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.HolderMark;
import io.quarkiverse.redisbulkhead.runtime.store.PermitTerms;
import io.quarkiverse.redisbulkhead.runtime.store.Weights;

/**
 * What is known about a holder or a waiter beside its times: its record in the hash {@code state}, one part a line. The
 * scripts read and write it as well.
 *
 * @param ticket the fencing token of a holder, or the place of a waiter in the queue; 0 for a waiter that is not in the queue
 * @param since since when it holds or waits, in milliseconds since the epoch
 * @param lease the requested lease
 * @param limit the limit that was declared
 * @param mailbox the channel on which its process receives messages; or a {@link HolderMark}
 * @param application the name of the application
 * @param instance its host and process
 * @param method the guarded method
 */
public record PermitDetails(long ticket, long since, Duration lease, int limit, String mailbox, String application,
        String instance, String method) {

    private static final int LINES = 8;

    /** Where nothing is known. */
    public static final PermitDetails NOTHING = new PermitDetails(0, 0, Duration.ZERO, 0, "", "", "", "");

    /**
     * Queued waiters by ticket, then the others by arrival time. Those with the same ticket are equal, so a stable sort leaves
     * them in the order of the queue.
     */
    public static Comparator<Waiter> waitersInOrder() {
        return Comparator.comparing((Waiter waiter) -> waiter.ticket() == 0).thenComparing(Waiter::ticket)
                .thenComparing(waiter -> waiter.ticket() == 0 ? waiter.since() : Instant.EPOCH);
    }

    /** What a request says of itself. */
    public static PermitDetails of(PermitTerms terms, long ticket, long since, String mailbox) {
        return new PermitDetails(ticket, since, terms.lease(), terms.limit(), mailbox, terms.application(),
                terms.instance(), terms.method());
    }

    /** The details in a value; empty if the value has another format. */
    public static Optional<PermitDetails> parse(String value) {
        String[] lines = value.split("\n", -1);
        if (lines.length != LINES) {
            return Optional.empty();
        }
        try {
            return Optional.of(new PermitDetails(Long.parseLong(lines[0]), Long.parseLong(lines[1]),
                    Duration.ofMillis(Long.parseLong(lines[2])), Integer.parseInt(lines[3]), lines[4], decoded(lines[5]),
                    decoded(lines[6]), decoded(lines[7])));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** The value of the hash. */
    public String text() {
        return String.join("\n", Long.toString(ticket), Long.toString(since), Long.toString(lease.toMillis()),
                Integer.toString(limit), owner(mailbox, application, instance, method));
    }

    /** The last lines of the value: who it is. */
    public static String owner(String mailbox, String application, String instance, String method) {
        return String.join("\n", mailbox, oneLine(application), oneLine(instance), oneLine(method));
    }

    /** Describes a holder. */
    public Holder holder(BulkheadId bulkhead, String id, long leaseEnd) {
        return new Holder(id, bulkhead.name(), bulkhead.key(), ticket, Weights.of(id), application, instance, method,
                Instant.ofEpochMilli(since),
                Instant.ofEpochMilli(leaseEnd), HolderMark.state(mailbox));
    }

    /** Describes a waiter. */
    public Waiter waiter(BulkheadId bulkhead, String id, long placeEnd) {
        return new Waiter(id, bulkhead.name(), bulkhead.key(), ticket, Weights.of(id), application, instance, method,
                Instant.ofEpochMilli(since),
                Instant.ofEpochMilli(placeEnd));
    }

    // Each text is one line of the value.
    private static String oneLine(String text) {
        return text.replace("%", "%25").replace("\n", "%0A");
    }

    private static String decoded(String line) {
        return line.replace("%0A", "\n").replace("%25", "%");
    }
}
