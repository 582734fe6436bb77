package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.redisbulkhead.PermitGoneException;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.PermitLost.Reason;
import io.quarkiverse.redisbulkhead.runtime.semaphore.PermitReturns.Found;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * A permit with a lease in a store. It knows the end of its lease by its own clock, and that is a little earlier than the
 * end by the clock of the store: it counts from before the store was asked, and stays away from the end by a margin.
 */
final class LeasedPermit extends RenewalPlace implements HeldPermit {

    // Stores count in milliseconds, so a lease that ends less than one before max-hold ends with it.
    private static final long ONE_MILLI = Duration.ofMillis(1).toNanos();

    private static final int RENEWALS_PER_LEASE = 3;

    private static final CompletableFuture<Boolean> NO = CompletableFuture.completedFuture(false);

    private enum State {
        HELD,
        RELEASED,
        LOST,
        DETACHED
    }

    private final SemaphoreEngine engine;
    private final Bulkhead bulkhead;
    private final String id;
    private final String method;
    // Null until the first try to detach it.
    private DetachedPermit detachment;
    private final long fencingToken;
    private final long holdEndNanos;
    private final long firstEndInStoreNanos;
    private final CompletableFuture<PermitLost> interruption;
    private volatile State state = State.HELD;
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
     * @param endInStoreNanos when its first lease ends in the store, or earlier
     * @param marginNanos by how much that lease ends here before it ends in the store
     */
    LeasedPermit(SemaphoreEngine engine, Bulkhead bulkhead, String id, String method, long ticket, boolean copyMayFollow,
            long sinceNanos, long endInStoreNanos, long marginNanos) {
        this.engine = engine;
        this.bulkhead = bulkhead;
        this.id = id;
        this.method = method;
        this.fencingToken = engine.fenced() ? ticket : 0;
        this.copyMayFollow = copyMayFollow;
        this.interruption = bulkhead.terms().interrupts() ? new CompletableFuture<>() : null;
        this.holdEndNanos = sinceNanos + bulkhead.terms().holdNanos();
        this.firstEndInStoreNanos = endInStoreNanos;
        this.leaseEndNanos = endInStoreNanos - marginNanos;
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
        return state == State.HELD && leaseEndNanos - engine.timers().nanoTime() > 0;
    }

    @Override
    public Optional<CompletionStage<PermitLost>> interruption() {
        return Optional.ofNullable(interruption);
    }

    @Override
    public CompletionStage<Boolean> refresh() {
        if (!isHeld()) {
            return NO;
        }
        return StoreFailures.translate(bulkhead.name(), engine.keeper().renewNow(this));
    }

    @Override
    public CompletionStage<Boolean> release() {
        State before = changeTo(State.RELEASED);
        if (before == State.RELEASED || before == State.DETACHED) {
            return NO;
        }
        CompletionStage<Boolean> answer = engine.returns().giveBack(bulkhead.id(), id, bulkhead.terms().lease(),
                bulkhead.spec().minHold(), copyMayFollow, found -> givenBack(before, found));
        // After the return has begun, so that a shutdown sees the permit at any moment in one of the two.
        engine.keeper().forget(this);
        return answer;
    }

    private boolean givenBack(State before, Found found) {
        engine.reconciler().released(bulkhead.id(), id, bulkhead.terms().lease(), bulkhead.spec().minHold());
        if (found == Found.NOT_HELD && before == State.HELD) {
            engine.keeper().report(loss(Reason.GONE));
        }
        return found != Found.NOT_HELD && before == State.HELD;
    }

    @Override
    public CompletionStage<String> detach() {
        if (!engine.fenced()) {
            return CompletableFuture.failedStage(givenWithoutRedis(bulkhead.name()));
        }
        if (!isHeld()) {
            return CompletableFuture.failedStage(new PermitGoneException(bulkhead.name(), "The permit " + id + " of bulkhead '"
                    + bulkhead.name() + "' cannot be detached, because it was released, detached or lost"));
        }
        return engine.handOver().detach(this, bulkhead, copyMayFollow);
    }

    static IllegalStateException givenWithoutRedis(String bulkhead) {
        return new IllegalStateException("The permit of bulkhead '" + bulkhead + "' cannot be detached, because it was given "
                + "without Redis: the bulkhead is switched off, or Redis was away and on-outage is not 'reject'. Check "
                + "Permit.fencingToken(), which is 0 then");
    }

    /** The same for all tries to detach it, so that a late copy of one does not make the token of another useless. */
    synchronized DetachedPermit detachment(SecureRandom random) {
        if (detachment == null) {
            detachment = DetachedPermit.of(id, random);
        }
        return detachment;
    }

    /** The store has detached the permit; {@code false} when it was released or lost meanwhile. */
    boolean detached() {
        synchronized (this) {
            if (state != State.HELD) {
                return false;
            }
            state = State.DETACHED;
        }
        engine.keeper().forget(this);
        return true;
    }

    /** The store does not know the permit. */
    void loseGone() {
        engine.keeper().forget(this);
        lose(Reason.GONE);
    }

    @Override
    public boolean awaitsRelease() {
        return bulkhead.spec().awaitRelease();
    }

    private synchronized State changeTo(State next) {
        State before = state;
        state = before == State.DETACHED ? before : next;
        return before;
    }

    /**
     * A copy of the request for this permit may still be on its way: its release will also refuse that.
     *
     * @return {@code false} when the permit is released already
     */
    boolean refuseCopies() {
        copyMayFollow = true;
        return state != State.RELEASED;
    }

    Duration lease() {
        return bulkhead.terms().lease();
    }

    /** After how long it is to be renewed. */
    long renewalInterval() {
        return shareUntilRenewal(bulkhead.terms().leaseNanos());
    }

    /** How much of some time is to pass until it is renewed. */
    static long shareUntilRenewal(long nanos) {
        return nanos / RENEWALS_PER_LEASE;
    }

    /** How long the lease shall be in the store from some moment, so that it does not reach beyond {@code max-hold} here. */
    Duration nextLease(long fromNanos) {
        if (!bulkhead.terms().holdIsBounded()) {
            return lease();
        }
        Duration left = Duration.ofNanos(holdEndNanos - fromNanos).plus(bulkhead.terms().margin());
        return left.compareTo(lease()) < 0 ? left : lease();
    }

    /** When its lease ends here. */
    long leaseEndNanos() {
        return leaseEndNanos;
    }

    /** When its first lease ends in the store, or earlier. */
    long firstEndInStoreNanos() {
        return firstEndInStoreNanos;
    }

    /** The application stops: gives the permit back though its execution still runs, and tells that. */
    void giveBackRunning() {
        lose(Reason.STOPPED);
        release();
    }

    // Whether the lease reaches to the end of max-hold.
    private boolean isAtHoldEnd() {
        return bulkhead.terms().holdIsBounded() && holdEndNanos - leaseEndNanos < ONE_MILLI;
    }

    /** The store has lengthened the lease, which ends there then, or later. */
    void renewedUntil(long endInStoreNanos) {
        leaseEndNanos = Math.max(leaseEndNanos, endInStoreNanos - bulkhead.terms().marginNanos());
    }

    /** Notes that the permit is lost, unless it was released. */
    void lose(Reason reason) {
        synchronized (this) {
            if (state != State.HELD) {
                return;
            }
            state = State.LOST;
        }
        PermitLost loss = loss(reason);
        if (interruption != null) {
            interruption.complete(loss);
        }
        engine.keeper().report(loss);
    }

    /** Why the permit is lost when its lease has ended. */
    Reason reasonOfLeaseEnd() {
        return isAtHoldEnd() ? Reason.MAX_HOLD : Reason.LEASE_ENDED;
    }

    private PermitLost loss(Reason reason) {
        return new PermitLost(bulkhead.name(), bulkhead.key(), id, fencingToken, method, reason);
    }
}
