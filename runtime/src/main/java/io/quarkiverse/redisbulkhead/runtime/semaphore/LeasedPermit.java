package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

import io.quarkiverse.redisbulkhead.OnLost;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.PermitLost.Reason;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.semaphore.PermitReturns.Found;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * A permit with a lease in a store. It knows the end of its lease by its own clock, and that is a little earlier than the
 * end by the clock of the store: it counts from before the store was asked, and stays away from the end by a margin.
 */
final class LeasedPermit implements HeldPermit {

    // Stores count in milliseconds, so a lease that ends less than one before max-hold ends with it.
    private static final long ONE_MILLI = Duration.ofMillis(1).toNanos();

    // A lease ends here before it ends in the store by this part of it, at most by so much: that long it may take to notice the end and to tell of
    // it, while others already ask for the permit; and clocks do not go at quite the same rate.
    private static final int MARGINS_PER_LEASE = 20;
    private static final Duration LONGEST_MARGIN = Duration.ofSeconds(1);

    private enum State {
        HELD,
        RELEASED,
        LOST
    }

    private final Bulkhead bulkhead;
    private final SemaphoreSpec spec;
    private final String id;
    private final String method;
    private final long fencingToken;
    private final PermitKeeper keeper;
    private final PermitReturns returns;
    private final UnderWay underWay;
    private final Timers timers;
    private final Duration lease;
    private final Duration margin;
    private final long holdEndNanos;
    private final AtomicReference<State> state = new AtomicReference<>(State.HELD);
    private final CompletableFuture<PermitLost> interruption;
    private volatile long leaseEndNanos;
    private volatile boolean copyMayFollow;

    /**
     * A permit that was granted.
     *
     * @param engine what it works with
     * @param bulkhead its bulkhead
     * @param id its id
     * @param method what it is for
     * @param ticket its ticket
     * @param copyMayFollow whether a copy of the request may still be on its way to the store
     * @param sinceNanos from when on it counts as held
     * @param endInStoreNanos when its lease ends in the store, or earlier
     */
    LeasedPermit(SemaphoreEngine engine, Bulkhead bulkhead, String id, String method, long ticket, boolean copyMayFollow,
            long sinceNanos, long endInStoreNanos) {
        this.bulkhead = bulkhead;
        this.spec = bulkhead.spec();
        this.id = id;
        this.method = method;
        this.fencingToken = engine.fenced() ? ticket : 0;
        this.copyMayFollow = copyMayFollow;
        this.keeper = engine.keeper();
        this.returns = engine.returns();
        this.underWay = engine.underWay();
        this.timers = engine.timers();
        this.interruption = spec.onLost() == OnLost.INTERRUPT ? new CompletableFuture<>() : null;
        this.lease = leaseOf(spec);
        this.margin = marginOf(longestHere(spec));
        this.holdEndNanos = sinceNanos + spec.maxHold().orElse(lease).toNanos();
        this.leaseEndNanos = endInStoreNanos - margin.toNanos();
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public String bulkhead() {
        return bulkhead.name();
    }

    @Override
    public Optional<String> key() {
        return bulkhead.key();
    }

    BulkheadId bulkheadId() {
        return bulkhead.id();
    }

    @Override
    public long fencingToken() {
        return fencingToken;
    }

    @Override
    public boolean isHeld() {
        return state.get() == State.HELD && leaseEndNanos - timers.nanoTime() > 0;
    }

    @Override
    public Optional<CompletionStage<PermitLost>> interruption() {
        return Optional.ofNullable(interruption);
    }

    @Override
    public CompletionStage<Boolean> refresh() {
        if (!isHeld()) {
            return CompletableFuture.completedStage(false);
        }
        return StoreFailures.translate(spec.name(), keeper.renewNow(this));
    }

    @Override
    public CompletionStage<Boolean> release() {
        State before = state.getAndSet(State.RELEASED);
        if (before == State.RELEASED) {
            return CompletableFuture.completedStage(false);
        }
        // Before the keeper forgets it, so that a shutdown sees it at any moment in one of the two.
        underWay.begin();
        keeper.forget(this);
        return returns.giveBack(bulkhead.id(), id, lease, copyMayFollow).thenApply(found -> {
            if (found == Found.NOT_HELD && before == State.HELD) {
                keeper.report(loss(Reason.GONE));
            }
            return found != Found.NOT_HELD && before == State.HELD;
        }).whenComplete((released, none) -> underWay.end());
    }

    /**
     * A copy of the request for this permit may still be on its way: its release will also refuse that.
     *
     * @return {@code false} when the permit is released already
     */
    boolean refuseCopies() {
        copyMayFollow = true;
        return state.get() != State.RELEASED;
    }

    /**
     * The lease of a permit of that bulkhead in the store: {@code expire}, but not longer than it takes to end here with
     * {@code max-hold}.
     */
    static Duration leaseOf(SemaphoreSpec spec) {
        Duration longest = longestHere(spec).plus(marginOf(longestHere(spec)));
        return longest.compareTo(spec.expire()) < 0 ? longest : spec.expire();
    }

    private static Duration longestHere(SemaphoreSpec spec) {
        return spec.maxHold().filter(most -> most.compareTo(spec.expire()) < 0).orElse(spec.expire());
    }

    private static Duration marginOf(Duration lease) {
        Duration part = lease.dividedBy(MARGINS_PER_LEASE);
        return part.compareTo(LONGEST_MARGIN) < 0 ? part : LONGEST_MARGIN;
    }

    Duration lease() {
        return lease;
    }

    /** How long the lease shall be in the store from some moment, so that it does not reach beyond {@code max-hold} here. */
    Duration nextLease(long fromNanos) {
        if (spec.maxHold().isEmpty()) {
            return lease;
        }
        Duration left = Duration.ofNanos(holdEndNanos - fromNanos).plus(margin);
        return left.compareTo(lease) < 0 ? left : lease;
    }

    /** When its lease ends here. */
    long leaseEndNanos() {
        return leaseEndNanos;
    }

    /** When its lease ends in the store, or earlier. */
    long endInStoreNanos() {
        return leaseEndNanos + margin.toNanos();
    }

    /** The application stops: gives the permit back though its execution still runs, and tells that. */
    void giveBackRunning() {
        lose(Reason.STOPPED);
        release();
    }

    // Whether the lease reaches to the end of max-hold.
    private boolean isAtHoldEnd() {
        return spec.maxHold().isPresent() && holdEndNanos - leaseEndNanos < ONE_MILLI;
    }

    /** The store has lengthened the lease, which ends there then, or later. */
    void renewedUntil(long endInStoreNanos) {
        leaseEndNanos = Math.max(leaseEndNanos, endInStoreNanos - margin.toNanos());
    }

    /** Notes that the permit is lost, unless it was released. */
    void lose(Reason reason) {
        if (state.compareAndSet(State.HELD, State.LOST)) {
            PermitLost loss = loss(reason);
            if (interruption != null) {
                interruption.complete(loss);
            }
            keeper.report(loss);
        }
    }

    /** Why the permit is lost when its lease has ended. */
    Reason reasonOfLeaseEnd() {
        return isAtHoldEnd() ? Reason.MAX_HOLD : Reason.LEASE_ENDED;
    }

    private PermitLost loss(Reason reason) {
        return new PermitLost(spec.name(), bulkhead.key(), id, fencingToken, method, reason);
    }
}
