package io.quarkiverse.redisbulkhead.runtime.store.steps;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Cancelled;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Full;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Waiting;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.HandOver;
import io.quarkiverse.redisbulkhead.runtime.store.InProcessPermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.PollReply;

/**
 * The operations of {@link PermitStore} on the state of one bulkhead. Several of them may be done in one step, one after the
 * other.
 */
public final class BulkheadSteps {

    /** How many permits are passed on at once when the limit has changed. */
    public static final int PASSED_ON_AT_ONCE = 100;

    private final BulkheadState state;

    /**
     * Steps of one bulkhead.
     *
     * @param state the bulkhead; it may be the same for several steps, one after the other
     */
    public BulkheadSteps(BulkheadState state) {
        this.state = state;
    }

    /** As {@link PermitStore#acquire}. */
    public AcquireReply acquire(AcquireRequest request) {
        String id = request.permitId();
        if (state.isCancelled(id)) {
            return new Cancelled();
        }
        settle();
        state.stateLimit(request.limit());
        if (state.isHeld(id)) {
            // The caller counts its lease from when it asked; the permit may have been handed over long before.
            state.lengthenLease(id, state.time().endOf(request.lease()));
            return new Granted(state.ticketOf(id), false);
        }
        int limit = limitOf(request);
        long ticket = oldTicket(request);
        if (ticket > 0 && state.mayBeLost()) {
            state.startGracePeriod(state.time().endOf(PermitStore.GRACE_PERIOD));
        }
        if (state.inUse() < limit && (state.queueIsEmpty() || ticket > 0 && state.isBeforeQueue(ticket))) {
            return new Granted(state.grant(request, state.time().endOf(request.lease())), false);
        }
        if (request.place().isZero()) {
            return new Full(limit, nearestLeaseEnd(), false);
        }
        state.keepPlace(request, ticket, state.time().endOf(request.place()));
        return new Waiting(limit, nearestLeaseEnd(), state.time().nextMillis(), state.ticketOfWaiter(id), false);
    }

    /** What the store cannot have given counts as the latest ticket that it can have given. */
    private long oldTicket(AcquireRequest request) {
        return request.fair() ? Math.min(request.ticket(), Math.max(state.lastTicket(), state.time().micros())) : 0;
    }

    /** As {@link InProcessPermitStore#takeIfFree}. */
    public long takeIfFree(AcquireRequest request) {
        settle();
        if (state.inUse() >= limitOf(request) || !state.queueIsEmpty()) {
            return InProcessPermitStore.NONE_FREE;
        }
        state.stateLimit(request.limit());
        return state.grant(request, state.time().endOf(request.lease()));
    }

    private int limitOf(AcquireRequest request) {
        return state.resizedTo().orElse(request.limit());
    }

    /** As {@link PermitStore#release}. */
    public boolean release(String id) {
        Left left = state.leave(id);
        settle();
        // A waiter who leaves may have been told of a free permit, and passes that on.
        wake(left == Left.PERMIT || left == Left.STANDBY ? 1 : 0);
        return left == Left.PERMIT;
    }

    /** As {@link PermitStore#cancel}. */
    public Void cancel(List<String> ids, Duration forgetAfter) {
        int freed = 0;
        boolean standbyLeft = false;
        for (String id : ids) {
            Left left = state.leave(id);
            freed += left == Left.PERMIT ? 1 : 0;
            standbyLeft |= left == Left.STANDBY;
            state.rememberCancelled(id, state.time().endOf(forgetAfter));
        }
        settle();
        wake(Math.max(freed, standbyLeft ? 1 : 0));
        return null;
    }

    /**
     * As {@link PermitStore#renew}. It is about the permits of one process, and leaves everything else as it is.
     */
    public Set<String> renew(Map<String, Duration> leases) {
        Set<String> lost = new HashSet<>();
        leases.forEach((id, lease) -> {
            if (state.isHeld(id)) {
                state.lengthenLease(id, state.time().endOf(lease));
            } else {
                lost.add(id);
            }
        });
        return lost;
    }

    /** As {@link PermitStore#poll}. */
    public PollReply poll(int limit, Collection<String> permitIds, Duration place) {
        permitIds.forEach(id -> state.lengthenPlace(id, state.time().endOf(place)));
        settle();
        Map<String, HandOver> handedOver = new HashMap<>();
        Set<String> gone = new HashSet<>();
        for (String id : permitIds) {
            if (state.isHeld(id)) {
                handedOver.put(id, new HandOver(state.ticketOf(id), state.leaseEndOf(id)));
            } else if (!state.isWaiting(id)) {
                gone.add(id);
            }
        }
        int free = state.queueIsEmpty() ? Math.max(0, state.resizedTo().orElse(limit) - state.inUse()) : 0;
        return new PollReply(handedOver, gone, free, nearestLeaseEnd(), state.time().nextMillis());
    }

    /** As {@link PermitStore#revoke}. */
    public boolean revoke(String id) {
        boolean wasHeld = state.isHeld(id);
        if (wasHeld) {
            state.revoke(id);
        }
        settle();
        wake(wasHeld ? 1 : 0);
        return wasHeld;
    }

    /** As {@link PermitStore#resize}. */
    public Void resize(int limit) {
        state.resize(OptionalInt.of(limit));
        settle();
        wake(PASSED_ON_AT_ONCE);
        return null;
    }

    /** As {@link PermitStore#resetSize}. */
    public boolean resetSize() {
        boolean wasResized = state.resizedTo().isPresent();
        state.resize(OptionalInt.empty());
        settle();
        wake(PASSED_ON_AT_ONCE);
        return wasResized;
    }

    /** Does what is due, whatever the caller wants: removes what has ended, and passes free permits on. */
    public Void goOn() {
        settle();
        wake(PASSED_ON_AT_ONCE);
        return null;
    }

    /** Removes what has ended, then gives free permits to the queue. The first of the queue is never overtaken. */
    private void settle() {
        state.removeEnded();
        Optional<QueuedWaiter> first = state.firstInQueue();
        while (first.isPresent() && state.inUse() < state.resizedTo().orElse(first.get().limit())) {
            state.handOver(first.get(), state.time().endOf(HandOver.firstLease(first.get().lease())));
            first = state.firstInQueue();
        }
    }

    /**
     * Tells as many on standby as there are permits free for them, each once, and no more than the given number. Going
     * through them once is enough: whoever was passed over has a limit that is already reached.
     */
    private void wake(int most) {
        if (most == 0 || !state.queueIsEmpty()) {
            return;
        }
        StandbyRound round = state.standbyRound();
        int told = 0;
        while (told < most && round.callNext(state.inUse() + told)) {
            told++;
        }
    }

    /** When to ask again if no notice comes: when a lease or the grace period ends. */
    private Duration nearestLeaseEnd() {
        long end = Math.min(state.nearestLeaseEnd().orElse(Long.MAX_VALUE), state.gracePeriodEnd().orElse(Long.MAX_VALUE));
        return end == Long.MAX_VALUE ? Duration.ZERO : Duration.ofMillis(Math.max(1, end - state.time().nextMillis()));
    }
}
