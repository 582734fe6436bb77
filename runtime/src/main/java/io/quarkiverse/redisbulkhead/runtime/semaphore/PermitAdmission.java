package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Full;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Waiting;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.HandOver;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;

/**
 * The admission to one bulkhead: one permit, and the wait for it.
 * <p>
 * It asks the store, and either has the answer at once or is then among the store's waiters. From there it comes to a
 * permit by a hand-over, or, where the bulkhead is not fair, by asking again when it is told that a permit is free. When
 * its time is over it asks a last time, and leaves the waiters. Where the store is contended, or goes
 * away while this waits, it asks again after a pause.
 */
final class PermitAdmission extends CountedAdmission {

    private static final Logger LOG = Logger.getLogger(PermitAdmission.class);

    private static final Runnable NOTHING = () -> {
    };

    private enum State {
        /** A request is on its way. */
        ASKING,
        /** A request met contention, and is made again after a pause. */
        PAUSING,
        /** The store has this among its waiters. */
        WAITING,
        /** There is a permit. */
        GRANTED,
        /** There is none and there will be none. */
        REJECTED
    }

    private final SemaphoreEngine engine;
    private final Bulkhead bulkhead;
    private final SemaphoreSpec spec;
    private final String method;
    private final WaitsOn waitsOn;
    // Why this makes one attempt though it was to wait.
    private final Optional<String> boundReached;
    private final Timers timers;
    private final Duration lease;
    private final WaitLimit wait;
    private final AdmissionPromise promise = new AdmissionPromise();
    private final Settlement settlement;

    // All of these are guarded by this. Nothing is called while the lock is held.
    private State state = State.ASKING;
    private String permitId;
    private LeaseReckoning reckoning;
    // Null as long as the store has always answered.
    private Backoff backoff;
    private boolean hasWaited;
    private boolean counted;
    // In the queue, or 0: a place that is lost is taken again with it.
    private long ticket;
    private int limit;
    private Duration nearestLeaseEnd = Duration.ZERO;
    private boolean copyMayFollow;
    private boolean toldWhileAsking;
    private Supplier<RuntimeException> giveUpReason;

    PermitAdmission(SemaphoreEngine engine, Bulkhead bulkhead, String method, WaitsOn waitsOn) {
        this.engine = engine;
        this.bulkhead = bulkhead;
        this.spec = bulkhead.spec();
        this.method = method;
        this.waitsOn = waitsOn;
        this.timers = engine.timers();
        this.lease = bulkhead.terms().lease();
        this.settlement = new Settlement(spec.awaitRelease());
        this.boundReached = spec.maxWait().isZero() ? Optional.empty() : engine.waitingCalls().reached(spec, waitsOn);
        this.wait = WaitLimit.of(timers, boundReached.isEmpty() ? spec.maxWait() : Duration.ZERO);
        this.permitId = engine.newPermitId(spec);
    }

    /** Asks for the permit. */
    PermitAdmission begin() {
        engine.underWay().begin();
        if (engine.isStopping()) {
            reject(stopping());
            return this;
        }
        if (wait.mayWait()) {
            engine.room().enter(this);
        }
        ask();
        return this;
    }

    Bulkhead bulkhead() {
        return bulkhead;
    }

    SemaphoreSpec spec() {
        return spec;
    }

    synchronized String permitId() {
        return permitId;
    }

    synchronized boolean isWaiting() {
        return state == State.WAITING;
    }

    /** See {@link WaitLimit#place()}. */
    Duration place() {
        return wait.place();
    }

    private void ask() {
        AcquireRequest request;
        synchronized (this) {
            long now = timers.nanoTime();
            reckoning = reckoning == null ? LeaseReckoning.asking(now) : reckoning.askingAgain(now);
            request = new AcquireRequest(bulkhead.id(), permitId, spec.permits(), lease, spec.fair(),
                    wait.place(), ticket, engine.identity().application(), engine.identity().instance(), method);
        }
        engine.store().acquire(request).whenComplete((reply, failure) -> {
            if (failure != null && mayPass(failure)) {
                askLater(request.permitId(), failure);
            } else if (failure != null) {
                failed(request.permitId(), failure);
            } else {
                answered(request.permitId(), reply);
            }
        });
        if (engine.isStopping()) {
            // Those who were in the room by then have been told already.
            stop().run();
        }
    }

    // A caller that waits keeps waiting when the store goes away, unless its bulkhead has another way.
    private boolean mayPass(Throwable failure) {
        return StoreFailures.isContention(failure) || StoreFailures.isAway(failure) && keepsWaiting();
    }

    private synchronized boolean keepsWaiting() {
        return hasWaited && spec.onOutage() == OnOutage.REJECT;
    }

    private void askLater(String id, Throwable failure) {
        Runnable next;
        synchronized (this) {
            if (state != State.ASKING || !id.equals(permitId)) {
                return;
            }
            Duration pause = backoff().failed(failure);
            copyMayFollow |= mayBeCarriedOut(failure);
            if (giveUpReason != null || !wait.mayWait() || wait.isOver() || countWaiting().isPresent()) {
                RuntimeException rejection = giveUpReason == null ? timeOver() : giveUpReason.get();
                state = State.REJECTED;
                next = () -> rejectInBackground(rejection);
            } else {
                state = State.PAUSING;
                next = () -> {
                    promise.becomesClear();
                    wait.start(this::timeIsOver);
                    timers.after(pause, this::askAgain);
                };
            }
        }
        next.run();
    }

    private void askAgain() {
        synchronized (this) {
            if (state != State.PAUSING) {
                // The wait was over before the pause.
                return;
            }
            state = State.ASKING;
        }
        ask();
    }

    // Within the lock.
    private Backoff backoff() {
        if (backoff == null) {
            backoff = engine.newBackoff();
        }
        return backoff;
    }

    // The way out is as crowded, or as broken, as the way in.
    private void rejectInBackground(RuntimeException rejection) {
        String id;
        boolean mayBeInStore;
        synchronized (this) {
            id = permitId;
            mayBeInStore = hasWaited;
        }
        if (mayBeInStore) {
            engine.returns().inBackground(bulkhead.id(), id, lease);
        }
        reject(rejection);
    }

    private void answered(String id, AcquireReply reply) {
        if (reply instanceof Granted permit) {
            if (isOver(id)) {
                failed(id, new StoreException("the answer came when the lease of " + lease + " had ended", true, null));
            } else {
                granted(id, permit);
            }
        } else if (reply instanceof Waiting place) {
            engine.reconciler().reconcileIfDue(bulkhead.id());
            waiting(id, place);
        } else if (reply instanceof Full full) {
            engine.reconciler().reconcileIfDue(bulkhead.id());
            rejected(id, full.copyMayFollow(),
                    full(spec.weight() > full.limit() ? Optional.empty() : boundReached, full.limit(),
                            full.nearestLeaseEnd()));
        } else {
            rejected(id, false, new BulkheadUnavailableException(spec.name(), "the request was given up before it arrived",
                    null));
        }
    }

    // An answer that took longer than the lease lasts here.
    private synchronized boolean isOver(String id) {
        return state == State.ASKING && id.equals(permitId)
                && !lasts(reckoning.endOfGrant(lease), bulkhead.terms().marginNanos());
    }

    private boolean lasts(long leaseEnd, long marginNanos) {
        return leaseEnd - marginNanos - timers.nanoTime() > 0;
    }

    private void granted(String id, Granted reply) {
        LeasedPermit given;
        synchronized (this) {
            if (state != State.ASKING) {
                given = null;
            } else {
                state = State.GRANTED;
                given = new LeasedPermit(engine, bulkhead, id, method, reply.ticket(), copyMayFollow || reply.copyMayFollow(),
                        reckoning.askedAt(), reckoning.endOfGrant(lease), bulkhead.terms().marginNanos());
            }
        }
        if (given == null) {
            late(id, reply.copyMayFollow());
        } else {
            take(given);
        }
    }

    // A notice was faster than the answer, and told the same. Only a copy of the request is news.
    private void late(String id, boolean copyFollows) {
        if (copyFollows) {
            settlement.whenSettled(given -> {
                if (given == null || !given.refuseCopies()) {
                    engine.returns().inBackground(bulkhead.id(), id, lease, given == null ? Duration.ZERO : spec.minHold());
                }
            });
        }
    }

    private void settle(LeasedPermit given) {
        countOffWaiting();
        if (given == null) {
            engine.reconciler().forget(permitId());
        }
        settlement.settle(given);
        // Last, so that a shutdown does not take for running what has ended.
        engine.underWay().end();
    }

    private void take(LeasedPermit given) {
        stopWaiting();
        engine.keeper().keep(given);
        settle(given);
        promise.grant(List.of(given));
    }

    private void waiting(String id, Waiting reply) {
        Runnable next;
        synchronized (this) {
            next = state == State.ASKING ? placeGiven(reply) : () -> late(id, reply.copyMayFollow());
        }
        next.run();
    }

    // Within the lock; tells what is to be done outside of it.
    private Runnable placeGiven(Waiting reply) {
        copyMayFollow |= reply.copyMayFollow();
        limit = reply.limit();
        nearestLeaseEnd = reply.nearestLeaseEnd();
        reckoning = reckoning.answered(reply.storeMillis());
        hasWaited = true;
        ticket = reply.ticket();
        if (backoff != null) {
            backoff.succeeded();
        }
        if (giveUpReason != null || wait.isOver()) {
            RuntimeException rejection = giveUpReason == null ? timeOver() : giveUpReason.get();
            state = State.REJECTED;
            return () -> leaveAndReject(rejection);
        }
        Optional<String> bound = countWaiting();
        if (bound.isPresent()) {
            RuntimeException rejection = full(bound, limit, nearestLeaseEnd);
            state = State.REJECTED;
            return () -> leaveAndReject(rejection);
        }
        if (toldWhileAsking) {
            // Of a permit that became free after this answer was given.
            toldWhileAsking = false;
            return () -> {
                promise.becomesClear();
                ask();
            };
        }
        state = State.WAITING;
        return () -> {
            promise.becomesClear();
            wait.start(this::timeIsOver);
            engine.room().waiting(this, reply.nearestLeaseEnd());
        };
    }

    private void rejected(String id, boolean copies, RuntimeException rejection) {
        synchronized (this) {
            if (state != State.ASKING) {
                return;
            }
            state = State.REJECTED;
        }
        if (copies) {
            engine.returns().inBackground(bulkhead.id(), id, lease);
        }
        reject(rejection);
    }

    /**
     * The store gave no answer to the request, or to the question what has become of it.
     *
     * @param id the permit that was asked for
     * @param failure why
     */
    void failed(String id, Throwable failure) {
        boolean mayBeInStore;
        boolean isLate;
        synchronized (this) {
            if (state == State.WAITING && id.equals(permitId) && StoreFailures.isAway(failure) && keepsWaiting()) {
                backoff().failed(failure);
                return;
            }
            isLate = !isOpen() || !id.equals(permitId);
            mayBeInStore = hasWaited || mayBeCarriedOut(failure);
            state = isLate ? state : State.REJECTED;
        }
        if (isLate) {
            late(id, mayBeCarriedOut(failure));
            return;
        }
        if (mayBeInStore) {
            engine.returns().inBackground(bulkhead.id(), id, lease);
        }
        reject(StoreFailures.rejection(spec.name(), failure));
    }

    // Within the lock; neither granted nor rejected.
    private boolean isOpen() {
        return state == State.ASKING || state == State.PAUSING || state == State.WAITING;
    }

    private static boolean mayBeCarriedOut(Throwable failure) {
        return !(Failures.cause(failure) instanceof StoreException known) || known.outcomeUnknown();
    }

    /**
     * The store has given the permit to this waiter.
     *
     * @param id the permit
     * @param handOver what was given
     */
    void handedOver(String id, HandOver handOver) {
        if (!spec.minHold().isZero()) {
            // The first lease may end before the minimum hold. Asking again gives the full one before the execution starts, and a
            // waiter that has died does not keep the permit for so long.
            if (id.equals(permitId())) {
                permitMayBeFree();
            }
            return;
        }
        LeasedPermit given;
        synchronized (this) {
            if (!isOpen() || !id.equals(permitId)) {
                return;
            }
            long leaseEnd = reckoning.endOf(handOver, lease, timers.nanoTime());
            long margin = bulkhead.terms().handOverMarginNanos();
            if (lasts(leaseEnd, margin)) {
                state = State.GRANTED;
                given = new LeasedPermit(engine, bulkhead, id, method, handOver.ticket(), copyMayFollow, timers.nanoTime(),
                        leaseEnd, margin);
            } else if (state == State.WAITING) {
                given = null;
            } else {
                // The answer that is on its way, or will be after the pause, tells more.
                return;
            }
        }
        if (given != null) {
            take(given);
        } else {
            LOG.debugf("Permit %s of bulkhead '%s' was handed over, but told so late that its lease is over", id,
                    bulkhead.id());
            engine.returns().inBackground(bulkhead.id(), id, lease);
            gone(id);
        }
    }

    /** The store was asked what has become of this, and the clock of its answer is known. */
    synchronized void polled(String id, long sentAt, long storeMillis, Duration nearest) {
        if (state == State.WAITING && id.equals(permitId)) {
            reckoning = LeaseReckoning.polled(sentAt, storeMillis);
            nearestLeaseEnd = nearest;
            if (backoff != null) {
                backoff.succeeded();
            }
        }
    }

    /**
     * A permit may be free.
     *
     * @return whether this asks for it
     */
    boolean permitMayBeFree() {
        synchronized (this) {
            if (state != State.WAITING) {
                toldWhileAsking |= state == State.ASKING;
                return false;
            }
            state = State.ASKING;
        }
        ask();
        return true;
    }

    /**
     * The store does not know this waiter any more: it asks for another permit, and keeps its order by its old ticket.
     *
     * @param id the permit that was waited for
     */
    void gone(String id) {
        boolean copies;
        synchronized (this) {
            // With a request on its way, its answer tells.
            if (state != State.WAITING || !id.equals(permitId)) {
                return;
            }
            state = State.ASKING;
            // In the same step, so that a notice of the old permit finds nobody from now on.
            permitId = engine.newPermitId(spec);
            copies = copyMayFollow;
            copyMayFollow = false;
        }
        if (copies) {
            engine.returns().inBackground(bulkhead.id(), id, lease);
        }
        engine.reconciler().forget(id);
        engine.room().leave(this, id);
        engine.room().enter(this);
        ask();
    }

    // With a last look, as it may be that nobody told of a permit that is free, or handed over.
    private void timeIsOver() {
        Runnable next;
        synchronized (this) {
            if (state == State.WAITING) {
                state = State.ASKING;
                giveUpReason = this::timeOver;
                next = this::ask;
            } else {
                next = giveUp(this::timeOver);
            }
        }
        next.run();
    }

    // Within the lock.
    private RuntimeException timeOver() {
        Optional<Throwable> trouble = backoff == null ? Optional.empty() : backoff.lastFailure();
        return trouble.map(failure -> StoreFailures.rejection(spec.name(), failure))
                .orElseGet(() -> full(boundReached, limit, nearestLeaseEnd));
    }

    private BulkheadFullException full(Optional<String> bound, int limitInForce, Duration leaseEnd) {
        return bound
                .<BulkheadFullException> map(
                        reason -> new QueueFullException(reason, spec.name(), bulkhead.key(), limitInForce, leaseEnd))
                .orElseGet(() -> spec.weight() == 1
                        ? new BulkheadFullException(spec.name(), bulkhead.key(), limitInForce, leaseEnd)
                        : new HeavyCallRejectedException(spec.name(), bulkhead.key(), spec.weight(), limitInForce, leaseEnd));
    }

    // Within the lock. From the first time on this counts among the waiting calls; else it tells which bound forbids that.
    private Optional<String> countWaiting() {
        if (counted) {
            return Optional.empty();
        }
        Optional<String> bound = engine.waitingCalls().enter(spec, waitsOn);
        counted = bound.isEmpty();
        return bound;
    }

    private void countOffWaiting() {
        boolean wasCounted;
        synchronized (this) {
            wasCounted = counted;
            counted = false;
        }
        if (wasCounted) {
            engine.waitingCalls().leave(spec, waitsOn);
        }
    }

    /**
     * The application is stopping: nobody waits any more. Only a request that is on its way may still bring a permit.
     *
     * @return what then remains to be done: the place is given back, and the caller told
     */
    Runnable stop() {
        return giveUp(this::stopping);
    }

    private Runnable giveUp(Supplier<RuntimeException> reason) {
        RuntimeException rejection;
        boolean pausing;
        synchronized (this) {
            if (state == State.ASKING) {
                giveUpReason = reason;
            }
            pausing = state == State.PAUSING;
            if (!pausing && state != State.WAITING) {
                return NOTHING;
            }
            rejection = reason.get();
            state = State.REJECTED;
        }
        return pausing ? () -> rejectInBackground(rejection) : () -> leaveAndReject(rejection);
    }

    private RuntimeException stopping() {
        return new BulkheadUnavailableException(spec.name(), "the application is stopping", null);
    }

    // The caller is rejected when its place is gone. A permit that was handed over meanwhile goes on to the next waiter.
    private void leaveAndReject(RuntimeException rejection) {
        stopWaiting();
        String id;
        boolean copies;
        synchronized (this) {
            id = permitId;
            copies = copyMayFollow;
        }
        engine.returns().giveBack(bulkhead.id(), id, lease, Duration.ZERO, copies, found -> {
            reject(rejection);
            return found;
        });
    }

    private void reject(RuntimeException rejection) {
        stopWaiting();
        settle(null);
        promise.reject(rejection);
    }

    private void stopWaiting() {
        if (wait.mayWait()) {
            engine.room().leave(this, permitId());
            wait.stop();
        }
    }

    @Override
    public List<HeldPermit> heldNow() {
        return promise.heldNow();
    }

    @Override
    public CompletionStage<List<HeldPermit>> granted() {
        return promise.granted();
    }

    @Override
    public CompletionStage<Void> asked() {
        return promise.asked();
    }

    @Override
    public CompletionStage<Void> end() {
        CompletionStage<Void> ended = settlement
                .end(() -> giveUp(() -> new CancellationException("The execution ended before a permit was free")).run());
        countOff();
        return ended;
    }
}
