package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.HolderMark;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.Weights;

/**
 * A permit that is held, or that a waiter waits for. Its score is the end of its lease, the ticket or the turn of the waiter.
 * Only the score changes, and only within a {@link BulkheadStateMachine}.
 */
public final class Permit extends ScoredSet.Entry {

    private final AcquireRequest request;
    private final String process;
    private final long ticket;
    private final long since;
    private final int weight;

    /**
     * Creates a permit.
     *
     * @param request the request
     * @param process the requesting process
     * @param ticket the fencing token of a holder; of a waiter its place in the queue, or 0 when it does not queue
     * @param since since when it holds or waits, in milliseconds since the epoch
     */
    public Permit(AcquireRequest request, String process, long ticket, long since) {
        this.request = request;
        this.process = process;
        this.ticket = ticket;
        this.since = since;
        this.weight = Weights.of(request.permitId());
    }

    /** A permit of which only the id is left. */
    static Permit unknown(BulkheadId bulkhead, String id) {
        return new Permit(new AcquireRequest(bulkhead, id, 0, Duration.ZERO, false, Duration.ZERO, "", "", ""), "", 0, 0);
    }

    /** Whether more is known than the id. */
    boolean isKnown() {
        return request.limit() > 0;
    }

    /** The same permit, in no set. */
    Permit copy() {
        return new Permit(request, process, ticket, since);
    }

    /** The same permit in the hands of another process, in no set. */
    Permit heldBy(String other) {
        return new Permit(request, other, ticket, since);
    }

    /** The same permit after its release, while it stays taken, in no set. */
    Permit released() {
        String id = PermitStore.releasedId(id());
        return isKnown() ? new Permit(request.withId(id), HolderMark.RELEASED, ticket, since)
                : unknown(request.bulkhead(), id);
    }

    @Override
    public String id() {
        return request.permitId();
    }

    /** How much of the limit it takes. */
    @Override
    int weight() {
        return weight;
    }

    /** The request for this permit. */
    public AcquireRequest request() {
        return request;
    }

    /** The requesting process. */
    public String process() {
        return process;
    }

    /** The fencing token of a holder; of a waiter its place in the queue, or 0 when it does not queue. */
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
        return new Holder(id(), request.bulkhead().name(), key(), ticket, weight, request.application(), request.instance(),
                request.method(), Instant.ofEpochMilli(since), Instant.ofEpochMilli(score()), state());
    }

    Waiter describeWaiter(long placeEnd) {
        return new Waiter(id(), request.bulkhead().name(), key(), ticket, weight, request.application(), request.instance(),
                request.method(), Instant.ofEpochMilli(since), Instant.ofEpochMilli(placeEnd));
    }

    private Optional<String> key() {
        return request.bulkhead().key();
    }
}
