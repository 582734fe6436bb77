package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.IntFunction;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.HolderMark;
import io.quarkiverse.redisbulkhead.runtime.store.InProcessPermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.PermitTerms;
import io.quarkiverse.redisbulkhead.runtime.store.Weights;

/**
 * A permit that is held, or that a waiter waits for. Its score is the end of its lease, the ticket or the turn of the waiter.
 * Only the score changes, and only within a {@link BulkheadStateMachine}.
 */
public final class Permit extends ScoredSet.Entry implements InProcessPermitStore.Taken {

    private final PermitTerms terms;
    private final String process;
    private final long ticket;
    private final long since;
    // Null when the id is given.
    private final IntFunction<String> ids;
    // Null until it is asked for.
    private volatile String id;

    /**
     * Creates a permit.
     *
     * @param terms the requested terms
     * @param id its id
     * @param process the requesting process
     * @param ticket the fencing token of a holder; of a waiter its place in the queue, or 0 when it does not queue
     * @param since since when it holds or waits, in milliseconds since the epoch
     */
    public Permit(PermitTerms terms, String id, String process, long ticket, long since) {
        this(terms, id, null, process, ticket, since);
    }

    /** A permit whose id is issued when it is asked for. */
    Permit(PermitTerms terms, IntFunction<String> ids, String process, long ticket, long since) {
        this(terms, null, ids, process, ticket, since);
    }

    private Permit(PermitTerms terms, String id, IntFunction<String> ids, String process, long ticket, long since) {
        this.terms = terms;
        this.id = id;
        this.ids = ids;
        this.process = process;
        this.ticket = ticket;
        this.since = since;
    }

    /** A permit of which only the id is left. */
    static Permit unknown(BulkheadId bulkhead, String id) {
        return new Permit(new PermitTerms(bulkhead, Weights.of(id), 0, Duration.ZERO, false, "", "", ""), id, "", 0, 0);
    }

    /** Whether more is known than the id. */
    boolean isKnown() {
        return terms.limit() > 0;
    }

    /** The same permit, in no set. */
    Permit copy() {
        return new Permit(terms, id(), process, ticket, since);
    }

    /** The same permit in the hands of another process, in no set. */
    Permit heldBy(String other) {
        return new Permit(terms, id(), other, ticket, since);
    }

    /** The same permit after its release, while it stays taken, in no set. */
    Permit released() {
        String releasedId = PermitStore.releasedId(id());
        return isKnown() ? new Permit(terms, releasedId, HolderMark.RELEASED, ticket, since)
                : unknown(terms.bulkhead(), releasedId);
    }

    @Override
    public String id() {
        String known = id;
        return known == null ? issueId() : known;
    }

    /** Whether the id was issued, so that others may know it. */
    boolean hasId() {
        return id != null;
    }

    private synchronized String issueId() {
        if (id == null) {
            id = ids.apply(terms.weight());
        }
        return id;
    }

    /** How much of the limit it takes. */
    @Override
    int weight() {
        return terms.weight();
    }

    /** The requested terms. */
    public PermitTerms terms() {
        return terms;
    }

    /** The requesting process. */
    public String process() {
        return process;
    }

    /** The fencing token of a holder; of a waiter its place in the queue, or 0 when it does not queue. */
    @Override
    public long ticket() {
        return ticket;
    }

    /** Since when it holds or waits, in milliseconds since the epoch. */
    public long since() {
        return since;
    }

    /** Whether a process has it. */
    Holder.State state() {
        return HolderMark.state(process);
    }

    Holder describeHolder() {
        return new Holder(id(), terms.bulkhead().name(), key(), ticket, weight(), terms.application(), terms.instance(),
                terms.method(), Instant.ofEpochMilli(since), Instant.ofEpochMilli(score()), state());
    }

    Waiter describeWaiter(long placeEnd) {
        return new Waiter(id(), terms.bulkhead().name(), key(), ticket, weight(), terms.application(), terms.instance(),
                terms.method(), Instant.ofEpochMilli(since), Instant.ofEpochMilli(placeEnd));
    }

    private Optional<String> key() {
        return terms.bulkhead().key();
    }
}
