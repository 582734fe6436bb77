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
 * A permit with a lease in a store. It knows the end of its lease by its own clock, and that is never later than the
 * end by the clock of the store, because it counts from before the store was asked.
 */
final class LeasedPermit implements HeldPermit {

    // Stores count in milliseconds, so a lease that ends less than one before max-hold ends with it.
    private static final long ONE_MILLI = Duration.ofMillis(1).toNanos();

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
     * @param leaseEndNanos when its lease ends, or earlier
     */
    LeasedPermit(SemaphoreEngine engine, Bulkhead bulkhead, String id, String method, long ticket, boolean copyMayFollow,
            long sinceNanos, long leaseEndNanos) {
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
        this.leaseEndNanos = leaseEndNanos;
        this.interruption = spec.onLost() == OnLost.INTERRUPT ? new CompletableFuture<>() : null;
        this.lease = leaseOf(spec);
        this.holdEndNanos = sinceNanos + spec.maxHold().orElse(lease).toNanos();
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

    /** The lease of a permit of that bulkhead: {@code expire}, but not longer than {@code max-hold}. */
    static Duration leaseOf(SemaphoreSpec spec) {
        return spec.maxHold().filter(most -> most.compareTo(spec.expire()) < 0).orElse(spec.expire());
    }

    Duration lease() {
        return lease;
    }

    /** How long the lease shall be from some moment, so that it does not reach beyond {@code max-hold}. */
    Duration nextLease(long fromNanos) {
        if (spec.maxHold().isEmpty()) {
            return lease;
        }
        Duration left = Duration.ofNanos(holdEndNanos - fromNanos);
        return left.compareTo(lease) < 0 ? left : lease;
    }

    long leaseEndNanos() {
        return leaseEndNanos;
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

    /** The store has lengthened the lease. */
    void renewedUntil(long endNanos) {
        leaseEndNanos = Math.max(leaseEndNanos, endNanos);
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
