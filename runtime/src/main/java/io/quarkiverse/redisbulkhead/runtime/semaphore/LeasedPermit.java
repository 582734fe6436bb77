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
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;

/** A permit with a lease in a store, from the grant until it is released, lost or detached. Thread-safe. */
class LeasedPermit extends LeaseRenewer.Lease implements HeldPermit {

    /** What few permits need: a field of its own would make all of them larger. Guarded by the permit. */
    private static final class Detachment {

        // The same for all attempts, so that a late copy of one does not invalidate the token of another.
        private final DetachedPermit permit;
        // Null unless the permit is detached.
        private Timers.Planned forgetting;
        private boolean releaseRequested;

        private Detachment(DetachedPermit permit) {
            this.permit = permit;
        }
    }

    private static final CompletableFuture<Boolean> YES = CompletableFuture.completedFuture(true);
    private static final CompletableFuture<Boolean> NO = CompletableFuture.completedFuture(false);

    /**
     * What the permits of one store work with.
     *
     * @param store keeps them
     * @param timers the clock
     * @param renewer renews them
     * @param returns releases them
     * @param reconciler knows their ids while they are held
     * @param requests counts detachments in flight
     * @param listener receives losses
     * @param fenced whether tickets are fencing tokens; not when another store issues them, too
     */
    record Dependencies(PermitStore store, Timers timers, LeaseRenewer renewer, PermitReturns returns,
            PermitReconciler reconciler,
            InFlightCounter requests, SemaphoreListener listener, boolean fenced) {
    }

    private enum State {
        HELD,
        RELEASED,
        LOST,
        DETACHED
    }

    private final Dependencies dependencies;
    private final String id;
    private final String method;
    private final long fencingToken;
    private final CompletableFuture<PermitLost> interruption;
    private volatile State state = State.HELD;
    private volatile boolean copyMayFollow;

    // Taken out within the lock, so that it fires once.
    private volatile CallListener call = CallListener.NONE;
    // These two fields are guarded by the lock of this object.
    private boolean detaching;
    // Null until the first attempt to detach.
    private Detachment detachment;

    /**
     * A permit that was granted.
     *
     * @param method what it is for, as operators see it
     * @param copyMayFollow whether a copy of the request may still be in flight
     * @param sinceNanos when it started
     * @param endInStoreNanos when its first lease ends in the store, or earlier
     * @param marginNanos how much earlier that lease ends here
     */
    LeasedPermit(Dependencies dependencies, SemaphoreDefinition bulkhead, String id, String method, long ticket,
            boolean copyMayFollow, long sinceNanos, long endInStoreNanos, long marginNanos) {
        super(bulkhead, sinceNanos, endInStoreNanos, marginNanos);
        this.dependencies = dependencies;
        this.id = id;
        this.method = method;
        this.fencingToken = dependencies.fenced() ? ticket : 0;
        this.copyMayFollow = copyMayFollow;
        this.interruption = bulkhead.terms().interrupts() ? new CompletableFuture<>() : null;
    }

    final Dependencies dependencies() {
        return dependencies;
    }

    @Override
    public String id() {
        return id;
    }

    /** Renews the lease from now on. */
    final void keep() {
        dependencies.renewer().keep(this);
    }

    /** Fires that the call has the permit, and later that it gave the permit up. */
    void fireAcquired(CallListener listener) {
        if (listener != CallListener.NONE) {
            synchronized (this) {
                call = listener;
            }
            listener.acquired(fencingToken == 0 ? CallResult.BYPASSED : CallResult.ACCEPTED, fencingToken);
        }
    }

    @Override
    public String bulkhead() {
        return definition().name();
    }

    @Override
    public Optional<String> key() {
        return definition().key();
    }

    @Override
    public long fencingToken() {
        return fencingToken;
    }

    @Override
    public boolean isHeld() {
        return state == State.HELD && endNanos() - dependencies.timers().nanoTime() > 0;
    }

    @Override
    public int weightOf(BulkheadId other, Object in) {
        return dependencies.store() == in && definition().id().equals(other) && isHeld() ? definition().spec().weight() : 0;
    }

    @Override
    public boolean awaitsRelease() {
        return definition().spec().awaitRelease();
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
        return StoreFailures.translate(bulkhead(), dependencies.renewer().renewNow(this).thenApply(done -> isHeld()));
    }

    @Override
    public CompletionStage<Boolean> release() {
        fireReleased();
        return returnPermit();
    }

    private void fireReleased() {
        if (call != CallListener.NONE) {
            CallListener listener;
            synchronized (this) {
                listener = call;
                call = CallListener.NONE;
            }
            listener.released(dependencies.timers().nanoTime() - sinceNanos());
        }
    }

    private CompletionStage<Boolean> returnPermit() {
        State before;
        synchronized (this) {
            before = state;
            state = before == State.DETACHED ? before : State.RELEASED;
            if (detachment != null) {
                detachment.releaseRequested = true;
            }
        }
        if (before == State.RELEASED || before == State.DETACHED) {
            return NO;
        }
        Duration minHold = definition().spec().minHold();
        if (dependencies.returns().isImmediate() && !copyMayFollow) {
            boolean held = returned(before, returnNow(minHold));
            dependencies.renewer().forget(this);
            return held ? YES : NO;
        }
        CompletionStage<Boolean> answer = dependencies.returns().returnPermit(bulkheadId(), id(), lease(), minHold,
                copyMayFollow,
                found -> {
                    dependencies.reconciler().released(bulkheadId(), id(), lease(), minHold);
                    return returned(before, found);
                });
        // After the return has begun, so that a shutdown always sees the permit in one of the two.
        dependencies.renewer().forget(this);
        return answer;
    }

    Found returnNow(Duration minHold) {
        return dependencies.returns().returnNow(bulkheadId(), id(), minHold);
    }

    private boolean returned(State before, Found found) {
        if (before == State.HELD && found == Found.NOT_HELD) {
            dependencies.listener().lost(loss(Reason.GONE));
        }
        return before == State.HELD && found != Found.NOT_HELD;
    }

    private Duration lease() {
        return definition().terms().lease();
    }

    /**
     * A copy of the request for this permit may still be in flight: the release also refuses it.
     *
     * @return {@code false} when the permit is released already
     */
    boolean refuseCopies() {
        copyMayFollow = true;
        return state != State.RELEASED;
    }

    boolean isReleased() {
        return state == State.RELEASED;
    }

    @Override
    public CompletionStage<String> detach() {
        if (!dependencies.fenced()) {
            return CompletableFuture.failedStage(UncountedPermit.grantedWithoutRedis(bulkhead()));
        }
        DetachedPermit detached;
        synchronized (this) {
            if (!isHeld() || detaching) {
                // Only one caller gets the token.
                return CompletableFuture.failedStage(gone(isHeld() ? "is being detached already"
                        : "cannot be detached, because it was released, detached or lost"));
            }
            detaching = true;
            if (detachment == null) {
                detachment = new Detachment(DetachedPermit.of(id(), new SecureRandom()));
            }
            detached = detachment.permit;
        }
        dependencies.requests().begin();
        return StoreFailures.translate(bulkhead(), dependencies.store().detach(bulkheadId(), id(),
                next(dependencies.timers().nanoTime()), detached.digest(),
                copyMayFollow ? PermitReturns.refusalTime(lease()) : Duration.ZERO))
                .thenApply(wasHeld -> {
                    if (!wasHeld) {
                        dependencies.renewer().forget(this);
                        lose(Reason.GONE);
                    } else if (detached()) {
                        return detached.token();
                    }
                    throw gone("was released or lost before it was detached");
                }).whenComplete((token, failure) -> {
                    synchronized (this) {
                        detaching = false;
                    }
                    dependencies.requests().end();
                });
    }

    // False when it was released or lost meanwhile.
    private boolean detached() {
        synchronized (this) {
            if (state != State.HELD) {
                return false;
            }
            state = State.DETACHED;
            // A failover may lose the detachment. Redis then keeps the permit for this process, and reconciliation must not
            // release it.
            detachment.forgetting = dependencies.timers().after(lease(), () -> dependencies.reconciler().forget(id()));
        }
        dependencies.renewer().forget(this);
        fireReleased();
        return true;
    }

    // In the store it stays detached, which makes no difference as no caller has the token.
    @Override
    public void takeBack() {
        boolean release;
        synchronized (this) {
            if (state != State.DETACHED) {
                return;
            }
            state = State.HELD;
            detachment.forgetting.cancel();
            release = detachment.releaseRequested;
        }
        dependencies.reconciler().register(id());
        if (release) {
            returnPermit();
        } else {
            dependencies.renewer().keep(this);
        }
    }

    private PermitGoneException gone(String what) {
        return new PermitGoneException(bulkhead(), "The permit " + id() + " of bulkhead '" + bulkhead() + "' " + what);
    }

    @Override
    void releaseRunning() {
        lose(Reason.STOPPED);
        returnPermit();
    }

    @Override
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
        dependencies.listener().lost(loss);
    }

    private PermitLost loss(Reason reason) {
        return new PermitLost(bulkhead(), key(), id(), fencingToken, method, reason);
    }
}
