package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
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
import io.quarkiverse.redisbulkhead.runtime.store.Backoff;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.HandOver;
import io.quarkiverse.redisbulkhead.runtime.store.InProcessPermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.InProcessPermitStore.Taken;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.PermitTerms;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;

/**
 * Acquires one permit of one bulkhead: the one state machine of acquiring.
 *
 * <pre>
 * NEW        -> REQUESTING
 *            -> REJECTED     the application stops, or the caller has ended the request
 * REQUESTING -> GRANTED      by the reply, or by a hand-over that overtook it
 *            -> WAITING      the store has it among its waiters
 *            -> RETRYING     the store can be retried, or went away during the wait
 *            -> REJECTED     by the reply
 * WAITING    -> REQUESTING   a permit may be free, the store lost the place, or the wait is over and this is the last attempt
 *            -> GRANTED      by a hand-over
 *            -> REJECTED     given up, or a poll failed
 * RETRYING   -> REQUESTING   after a pause
 *            -> GRANTED      by a hand-over
 *            -> REJECTED     given up
 * </pre>
 *
 * While REQUESTING, one request is in flight, with the current permit id. Only its reply or a hand-over ends that state, so a
 * reply needs no check of its id: it is the expected one, or it is late. Messages and replies to polls can be about an earlier
 * id.
 * <p>
 * GRANTED and REJECTED are final. In an outage, a REJECTED request may still let its caller continue: with the policy
 * {@code allow}, or with {@code local} by a second request to the store of this process. {@link #end()} releases the permit, or
 * gives the request up. Fires the events of its {@link CallListener}. Thread-safe.
 */
final class PermitRequest extends PendingAdmission implements WaiterRegistry.Waiter {

    private static final Logger LOG = Logger.getLogger(PermitRequest.class);

    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);
    private static final Runnable NOTHING = () -> {
    };

    private enum State {
        NEW,
        /** A request is in flight. */
        REQUESTING,
        /** A request failed, and is repeated after a pause. */
        RETRYING,
        /** The store has this among its waiters. */
        WAITING,
        GRANTED,
        REJECTED
    }

    private final Dependencies dependencies;
    private final SemaphoreDefinition bulkhead;
    private final SemaphoreSpec spec;
    private final Duration lease;
    private final PermitTerms terms;
    private final WaitsOn waitsOn;
    // Null for requests that are not executions.
    private final InFlightCounter executions;
    // For the result: a local continuation may have no time left to wait.
    private final boolean wantedToWait;
    // The permits of the calls around this one, which end after it.
    private final List<HeldPermit> heldByCallers;

    // Set before the first request is sent.
    private long waitEndNanos;
    private boolean mayWait;
    // Why this makes one attempt although the caller wants to wait.
    private Optional<String> limitReached = Optional.empty();

    // All fields below are guarded by the lock of this object. While it is held, nothing is called that may call this request
    // back, except for the CallListener, which must not.
    private State state = State.NEW;
    private CallListener call;
    private String permitId;
    private LeaseClock clock;
    private Timers.Planned waitTimer;
    // Set while REQUESTING, for the reply.
    private Supplier<RuntimeException> giveUpReason;
    // Null as long as the store has always answered.
    private Backoff backoff;
    private Throwable lastFailure;
    // The store has, or had, this among its waiters.
    private boolean storeHadPlace;
    private boolean countedAsWaiter;
    private boolean freeWhileRequesting;
    // Whether a copy of an earlier request with this permit id may still reach the store.
    private boolean copyMayFollow;
    // A hand-over and the release came while the request was on its way to the store.
    private boolean sentAfterRelease;
    // Order in the queue, or 0. A waiter that the store forgot queues again with it.
    private long ticket;
    private int limit;
    private Duration nearestLeaseEnd = Duration.ZERO;

    // The store has nothing to decide any more, and a granted permit is renewed.
    private boolean outcomeFinal;
    private HeldPermit permit;
    private PermitRequest localContinuation;
    private boolean waitingFired;
    // Null until end() is called.
    private CompletionStage<Void> ended;
    // Null unless the end waits for the answer to the release.
    private Promise<Void> endConfirmed;

    private PermitRequest(Dependencies dependencies, SemaphoreDefinition bulkhead, PermitTerms terms, WaitsOn waitsOn,
            InFlightCounter executions, CallListener call, boolean wantedToWait, List<HeldPermit> heldByCallers) {
        this.dependencies = dependencies;
        this.bulkhead = bulkhead;
        this.spec = bulkhead.spec();
        this.lease = bulkhead.terms().lease();
        this.terms = terms;
        this.waitsOn = waitsOn;
        this.executions = executions;
        this.call = call;
        this.wantedToWait = wantedToWait;
        this.heldByCallers = heldByCallers;
    }

    // ---- Beginning

    /**
     * Requests a permit.
     *
     * @param terms of its permit
     * @param waitsOn what the call occupies while it waits
     * @param executions has counted the execution, and ends it with the admission; null for none
     * @param call receives the events
     * @param heldByCallers the permits of the calls around this one
     */
    static Admission begin(Dependencies dependencies, SemaphoreDefinition bulkhead, PermitTerms terms, WaitsOn waitsOn,
            InFlightCounter executions, CallListener call, List<HeldPermit> heldByCallers) {
        call.requested();
        if (dependencies.store() instanceof InProcessPermitStore here) {
            ImmediatePermit given = takeIfFree(dependencies, here, bulkhead, terms, executions);
            if (given != null) {
                given.fireAcquired(call);
                return given;
            }
        }
        PermitRequest request = new PermitRequest(dependencies, bulkhead, terms, waitsOn, executions, call,
                !bulkhead.spec().maxWait().isZero(), heldByCallers);
        request.start();
        return request;
    }

    // Null when no permit is free. The request then takes the usual way.
    private static ImmediatePermit takeIfFree(Dependencies dependencies, InProcessPermitStore here,
            SemaphoreDefinition bulkhead, PermitTerms terms, InFlightCounter executions) {
        // Counted until the permit is kept, so that a shutdown does not miss it.
        dependencies.requests().begin();
        try {
            if (dependencies.requests().isStopping()) {
                return null;
            }
            long requestedAt = dependencies.timers().nanoTime();
            Taken taken = here.takeIfFree(terms, dependencies.reconciler().ids());
            if (taken == null) {
                return null;
            }
            ImmediatePermit given = new ImmediatePermit(dependencies.permits(), bulkhead, taken, terms.method(), requestedAt,
                    executions);
            given.keep();
            return given;
        } finally {
            dependencies.requests().end();
        }
    }

    private void start() {
        // Counted until the outcome is final, so that a shutdown does not miss it.
        dependencies.requests().begin();
        waitEndNanos = dependencies.timers().nanoTime() + spec.maxWait().toNanos();
        RuntimeException rejection;
        synchronized (this) {
            permitId = dependencies.reconciler().newId(spec.weight());
            rejection = dependencies.requests().isStopping() ? stoppingException()
                    : ended != null ? cancelledException() : null;
            state = rejection == null ? State.REQUESTING : State.REJECTED;
        }
        if (rejection != null) {
            finishRejected(rejection, false);
            return;
        }
        if (!spec.maxWait().isZero()) {
            limitReached = dependencies.limits().reached(spec, waitsOn);
            mayWait = limitReached.isEmpty();
        }
        if (mayWait) {
            // Before the store knows of it, as a message may arrive before the reply.
            dependencies.waiters().enter(this);
        }
        send();
    }

    // ---- Requesting

    private void send() {
        AcquireRequest request;
        synchronized (this) {
            if (state != State.REQUESTING) {
                // A hand-over was faster.
                return;
            }
            long now = dependencies.timers().nanoTime();
            clock = clock == null ? LeaseClock.requested(now) : clock.requestedAgain(now);
            request = new AcquireRequest(terms, permitId, place(), ticket);
        }
        CompletionStage<AcquireReply> reply = dependencies.store().acquire(request);
        synchronized (this) {
            sentAfterRelease |= state == State.GRANTED && ((LeasedPermit) permit).isReleased();
        }
        reply.whenComplete((answer, failure) -> {
            if (failure == null) {
                answered(answer);
            } else if (isWorthRetrying(failure)) {
                retryLater(failure);
            } else {
                requestFailed(failure);
            }
        });
        if (dependencies.requests().isStopping()) {
            // The registry has stopped those waiters only that it had by then.
            stop().run();
        }
    }

    private void answered(AcquireReply reply) {
        if (reply instanceof Granted grant) {
            granted(grant);
        } else if (reply instanceof Waiting place) {
            dependencies.reconciler().reconcileIfDue(bulkhead.id());
            placed(place);
        } else if (reply instanceof Full full) {
            dependencies.reconciler().reconcileIfDue(bulkhead.id());
            rejectRequest(fullException(spec.weight() > full.limit() ? Optional.empty() : limitReached, full.limit(),
                    full.nearestLeaseEnd()), full.copyMayFollow(), false);
        } else {
            rejectRequest(new BulkheadUnavailableException(spec.name(),
                    "the request was cancelled before it reached the store", null), false, false);
        }
    }

    private void granted(Granted reply) {
        LeasedPermit given = null;
        boolean leaseEnded = false;
        synchronized (this) {
            if (state == State.REQUESTING) {
                long end = clock.endOfGrant(lease);
                leaseEnded = !isStillRunning(end, bulkhead.terms().marginNanos());
                if (!leaseEnded) {
                    given = newPermit(reply.ticket(), copyMayFollow || reply.copyMayFollow(), dependencies.timers().nanoTime(),
                            end,
                            bulkhead.terms().marginNanos());
                }
            }
        }
        if (leaseEnded) {
            requestFailed(new StoreException("the reply arrived after the lease of " + lease + " had ended", true, null));
        } else if (given != null) {
            finishGranted(given);
        } else {
            repliedLate(reply.copyMayFollow());
        }
    }

    private boolean isStillRunning(long leaseEnd, long marginNanos) {
        return leaseEnd - marginNanos - dependencies.timers().nanoTime() > 0;
    }

    // Within the lock.
    private LeasedPermit newPermit(long token, boolean copies, long sinceNanos, long endInStoreNanos, long marginNanos) {
        state = State.GRANTED;
        LeasedPermit given = new LeasedPermit(dependencies.permits(), bulkhead, permitId, terms.method(), token, copies,
                sinceNanos,
                endInStoreNanos, marginNanos);
        permit = given;
        return given;
    }

    private void rejectRequest(RuntimeException reason, boolean copies, boolean placeMayRemain) {
        boolean isLate;
        boolean mayBeInStore;
        synchronized (this) {
            isLate = state != State.REQUESTING;
            state = isLate ? state : State.REJECTED;
            mayBeInStore = copies || copyMayFollow || placeMayRemain;
        }
        if (isLate) {
            repliedLate(copies);
        } else {
            finishRejected(reason, mayBeInStore);
        }
    }

    private void requestFailed(Throwable failure) {
        rejectRequest(StoreFailures.rejection(spec.name(), failure), isOutcomeUnknown(failure), hadPlace());
    }

    private synchronized boolean hadPlace() {
        return storeHadPlace;
    }

    private static boolean isOutcomeUnknown(Throwable failure) {
        return !(Failures.cause(failure) instanceof StoreException known) || known.outcomeUnknown();
    }

    // A hand-over has granted the permit, so the reply is of no use. But the request, if it came behind the release, or a copy of it,
    // must not bring the permit back.
    private void repliedLate(boolean copies) {
        LeasedPermit given;
        boolean behind;
        synchronized (this) {
            given = (LeasedPermit) permit;
            behind = sentAfterRelease;
        }
        if (behind || copies && !given.refuseCopies()) {
            dependencies.returns().inBackground(bulkhead.id(), given.id(), lease);
        }
    }

    // ---- Retrying

    private boolean isWorthRetrying(Throwable failure) {
        return StoreFailures.isRetryable(failure) || StoreFailures.isAway(failure) && keepsWaitingInOutage();
    }

    // A caller that waits keeps waiting, unless its bulkhead has another policy. One whose first request was not answered does
    // not wait yet, and is rejected.
    private synchronized boolean keepsWaitingInOutage() {
        return storeHadPlace && spec.onOutage() == OnOutage.REJECT;
    }

    private void retryLater(Throwable failure) {
        Runnable next;
        synchronized (this) {
            next = state == State.REQUESTING ? enterRetrying(failure) : () -> repliedLate(isOutcomeUnknown(failure));
        }
        next.run();
    }

    // Within the lock; returns what to do outside of it.
    private Runnable enterRetrying(Throwable failure) {
        lastFailure = failure;
        backoff = backoff == null ? dependencies.waiters().newBackoff() : backoff;
        Duration pause = backoff.next();
        copyMayFollow |= isOutcomeUnknown(failure);
        if (!mayWait || rejectOrCountAsWaiter() != null) {
            // Not that too many callers wait: nothing shows that the bulkhead is full, and the failure is what can be repaired.
            return rejectAndReturnLater(giveUpReason == null ? timeOverException() : giveUpReason.get());
        }
        state = State.RETRYING;
        fireWaiting();
        return () -> {
            completeAttempted();
            startWaitTimer();
            dependencies.timers().after(pause, this::retry);
        };
    }

    private void retry() {
        synchronized (this) {
            if (state != State.RETRYING) {
                return;
            }
            state = State.REQUESTING;
        }
        send();
    }

    // ---- Waiting

    private void placed(Waiting reply) {
        Runnable next;
        synchronized (this) {
            next = state == State.REQUESTING ? enterWaiting(reply) : () -> repliedLate(reply.copyMayFollow());
        }
        next.run();
    }

    // Within the lock; returns what to do outside of it.
    private Runnable enterWaiting(Waiting reply) {
        copyMayFollow |= reply.copyMayFollow();
        limit = reply.limit();
        nearestLeaseEnd = reply.nearestLeaseEnd();
        clock = clock.answered(reply.storeMillis());
        storeHadPlace = true;
        ticket = reply.ticket();
        storeReplied();
        RuntimeException rejection = waitsForItself(limit) ? fullException(Optional.empty(), limit, nearestLeaseEnd)
                : rejectOrCountAsWaiter();
        if (rejection != null) {
            return returnPlaceAndReject(rejection);
        }
        fireWaiting();
        if (freeWhileRequesting) {
            // The message is about a permit that became free after this reply.
            freeWhileRequesting = false;
            return () -> {
                completeAttempted();
                send();
            };
        }
        state = State.WAITING;
        return () -> {
            completeAttempted();
            startWaitTimer();
            dependencies.waiters().waiting(this, reply.nearestLeaseEnd());
        };
    }

    // Within the lock.
    private void storeReplied() {
        lastFailure = null;
        if (backoff != null) {
            backoff.reset();
        }
    }

    // Within the lock. Null: it may wait, and counts among the waiting calls from now on.
    private RuntimeException rejectOrCountAsWaiter() {
        if (giveUpReason != null) {
            return giveUpReason.get();
        }
        if (mayWait && waitEndNanos - dependencies.timers().nanoTime() <= 0) {
            return timeOverException();
        }
        if (countedAsWaiter) {
            return null;
        }
        Optional<String> reached = dependencies.limits().enter(spec, waitsOn);
        countedAsWaiter = reached.isEmpty();
        return countedAsWaiter ? null : fullException(reached, limit, nearestLeaseEnd);
    }

    // Within the lock.
    private void fireWaiting() {
        if (!waitingFired) {
            waitingFired = true;
            call.waiting();
        }
    }

    // Within the lock, before the outcome.
    private void fireWaited() {
        if (waitingFired) {
            call.waited();
        }
    }

    private synchronized void startWaitTimer() {
        if (waitTimer == null && isOpen()) {
            waitTimer = dependencies.timers().after(
                    Duration.ofNanos(Math.max(0, waitEndNanos - dependencies.timers().nanoTime())), this::timeIsOver);
        }
    }

    // Within the lock; neither granted nor rejected.
    private boolean isOpen() {
        return state == State.REQUESTING || state == State.RETRYING || state == State.WAITING;
    }

    @Override
    public BulkheadId bulkheadId() {
        return bulkhead.id();
    }

    @Override
    public SemaphoreSpec spec() {
        return spec;
    }

    @Override
    public synchronized String permitId() {
        return permitId;
    }

    @Override
    public synchronized boolean isWaiting() {
        return state == State.WAITING;
    }

    /** Never beyond the end of the wait. */
    @Override
    public Duration place() {
        if (!mayWait) {
            return Duration.ZERO;
        }
        Duration left = Duration.ofNanos(waitEndNanos - dependencies.timers().nanoTime());
        if (left.compareTo(PermitStore.LONGEST_PLACE) > 0) {
            return PermitStore.LONGEST_PLACE;
        }
        // In the unit of the stores, so that simultaneous requests are alike and go together.
        return Duration.ofMillis(Math.max(1, left.toMillis()));
    }

    @Override
    public boolean permitMayBeFree() {
        synchronized (this) {
            if (state != State.WAITING) {
                freeWhileRequesting |= state == State.REQUESTING;
                return false;
            }
            state = State.REQUESTING;
        }
        send();
        return true;
    }

    @Override
    public void handedOver(String id, HandOver handOver) {
        if (!spec.minHold().isZero()) {
            // The first lease may end before the minimum hold. Another request gives the full one before the execution starts, and a
            // dead waiter does not keep the permit for that long.
            if (id.equals(permitId())) {
                permitMayBeFree();
            }
            return;
        }
        LeasedPermit given = null;
        synchronized (this) {
            if (!isOpen() || !id.equals(permitId)) {
                return;
            }
            long now = dependencies.timers().nanoTime();
            long leaseEnd = clock.endOf(handOver, lease, now);
            long margin = bulkhead.terms().handOverMarginNanos();
            if (isStillRunning(leaseEnd, margin)) {
                given = newPermit(handOver.ticket(), copyMayFollow, now, leaseEnd, margin);
            } else if (state != State.WAITING) {
                // The request in flight, or the next one, shows what the store has now.
                return;
            }
        }
        if (given != null) {
            finishGranted(given);
        } else {
            LOG.debugf("The hand-over of permit %s of bulkhead '%s' arrived after its lease", id, bulkhead.id());
            dependencies.returns().inBackground(bulkhead.id(), id, lease);
            placeLost(id);
        }
    }

    @Override
    public synchronized void polled(String id, long sentAt, long storeMillis, Duration nearest) {
        if (state == State.WAITING && id.equals(permitId)) {
            clock = LeaseClock.polled(sentAt, storeMillis);
            nearestLeaseEnd = nearest;
            storeReplied();
        }
    }

    /** Queues again, with a new permit id and the old ticket. */
    @Override
    public void placeLost(String id) {
        boolean copies;
        synchronized (this) {
            // Otherwise the request in flight, or the next one, queues again.
            if (state != State.WAITING || !id.equals(permitId)) {
                return;
            }
            state = State.REQUESTING;
            // In the same step, so that a message about the old permit has no effect from now on.
            permitId = dependencies.reconciler().newId(spec.weight());
            copies = copyMayFollow;
            copyMayFollow = false;
        }
        if (copies) {
            dependencies.returns().inBackground(bulkhead.id(), id, lease);
        }
        dependencies.reconciler().forget(id);
        dependencies.waiters().leave(this, id);
        dependencies.waiters().enter(this);
        send();
    }

    @Override
    public void pollFailed(String id, Throwable failure) {
        synchronized (this) {
            // Otherwise the request in flight, or the next one, fails as well if it must.
            if (state != State.WAITING || !id.equals(permitId)) {
                return;
            }
            if (StoreFailures.isAway(failure) && keepsWaitingInOutage()) {
                lastFailure = failure;
                return;
            }
            state = State.REJECTED;
        }
        finishRejected(StoreFailures.rejection(spec.name(), failure), true);
    }

    // ---- Giving up

    // Requests a last time: messages about a free permit, or a hand-over, may have been lost.
    private void timeIsOver() {
        Runnable next;
        synchronized (this) {
            if (state == State.WAITING) {
                state = State.REQUESTING;
                giveUpReason = this::timeOverException;
                next = this::send;
            } else {
                next = giveUp(this::timeOverException);
            }
        }
        next.run();
    }

    @Override
    public Runnable stop() {
        return giveUp(this::stoppingException);
    }

    // A request in flight may still be granted; its reply decides.
    private synchronized Runnable giveUp(Supplier<RuntimeException> reason) {
        if (state == State.WAITING) {
            return returnPlaceAndReject(reason.get());
        }
        if (state == State.RETRYING) {
            return rejectAndReturnLater(reason.get());
        }
        giveUpReason = state == State.REQUESTING ? reason : giveUpReason;
        return NOTHING;
    }

    // Within the lock; returns what to do outside of it. A permit that was handed over meanwhile goes on to the next waiter, so the
    // caller is rejected when its place is gone.
    private Runnable returnPlaceAndReject(RuntimeException reason) {
        state = State.REJECTED;
        String id = permitId;
        boolean copies = copyMayFollow;
        return () -> {
            stopWaiting();
            dependencies.returns().returnPermit(bulkhead.id(), id, lease, Duration.ZERO, copies, found -> {
                finishRejected(reason, false);
                return found;
            });
        };
    }

    // Within the lock; returns what to do outside of it. The store does not answer now, so the caller does not wait for it.
    private Runnable rejectAndReturnLater(RuntimeException reason) {
        state = State.REJECTED;
        boolean mayBeInStore = storeHadPlace || copyMayFollow;
        return () -> finishRejected(reason, mayBeInStore);
    }

    // ---- Why a request is rejected

    // Within the lock.
    private RuntimeException timeOverException() {
        return lastFailure == null ? fullException(limitReached, limit, nearestLeaseEnd)
                : StoreFailures.rejection(spec.name(), lastFailure);
    }

    private RuntimeException stoppingException() {
        return new BulkheadUnavailableException(spec.name(), "the application is stopping", null);
    }

    private static RuntimeException cancelledException() {
        return new CancellationException("The execution ended before a permit was free");
    }

    private BulkheadFullException fullException(Optional<String> reached, int limitInForce, Duration leaseEnd) {
        if (waitsForItself(limitInForce)) {
            return new NestedCallRejectedException(spec.name(), bulkhead.key(), spec.weight(), heldAround(), limitInForce,
                    leaseEnd);
        }
        if (reached.isPresent()) {
            return new QueueFullException(reached.get(), spec.name(), bulkhead.key(), limitInForce, leaseEnd);
        }
        return spec.weight() == 1 ? new BulkheadFullException(spec.name(), bulkhead.key(), limitInForce, leaseEnd)
                : new HeavyCallRejectedException(spec.name(), bulkhead.key(), spec.weight(), limitInForce, leaseEnd);
    }

    // Whether the calls around this one, which end after it, leave too little of the limit for it.
    private boolean waitsForItself(int limitInForce) {
        int held = heldAround();
        return held > 0 && spec.weight() <= limitInForce && (long) held + spec.weight() > limitInForce;
    }

    private int heldAround() {
        int held = 0;
        for (HeldPermit around : heldByCallers) {
            held += around.weightOf(bulkhead.id(), dependencies.store());
        }
        return held;
    }

    // ---- The outcome

    private void finishGranted(LeasedPermit given) {
        stopWaiting();
        given.keep();
        uncountWaiter();
        boolean unwanted;
        synchronized (this) {
            outcomeFinal = true;
            unwanted = ended != null;
            fireWaited();
            if (unwanted) {
                call.rejected(CallResult.CANCELLED);
            } else {
                given.fireAcquired(call);
            }
        }
        if (unwanted) {
            release(given);
        }
        dependencies.requests().end();
        completeGranted(List.of(given));
    }

    private void finishRejected(RuntimeException reason, boolean mayBeInStore) {
        stopWaiting();
        if (mayBeInStore) {
            dependencies.returns().inBackground(bulkhead.id(), permitId(), lease);
        }
        dependencies.reconciler().forget(permitId());
        uncountWaiter();
        RuntimeException rejection = bulkhead.translated(reason);
        if (reason instanceof NestedCallRejectedException) {
            dependencies.listener().nestedCallRejected(terms.method(), rejection);
        }
        HeldPermit allowed;
        PermitRequest continuation;
        synchronized (this) {
            outcomeFinal = true;
            continueOrFireRejected(reason, rejection);
            allowed = permit;
            continuation = localContinuation;
        }
        completeEnd();
        dependencies.requests().end();
        if (continuation != null) {
            follow(continuation);
        } else if (allowed != null) {
            completeGranted(List.of(allowed));
        } else {
            completeRejected(rejection);
        }
    }

    // Within the lock. In an outage, the policy of the bulkhead may give the call another permit.
    private void continueOrFireRejected(RuntimeException reason, RuntimeException rejection) {
        OnOutage policy = ended == null && StoreFailures.isOutage(reason) ? spec.onOutage() : OnOutage.REJECT;
        if (policy == OnOutage.ALLOW) {
            permit = new UncountedPermit(bulkhead.id(), call, dependencies.timers());
            fireWaited();
            call.acquired(CallResult.BYPASSED, 0);
        } else if (policy == OnOutage.LOCAL && dependencies.local() != null) {
            localContinuation = newLocalContinuation();
        } else {
            fireWaited();
            call.rejected(ended != null ? CallResult.CANCELLED
                    : rejection instanceof SkippedException ? CallResult.SKIPPED : CallResult.of(reason, wantedToWait));
        }
    }

    // Within the lock. The rest of the wait is for a permit of this process; the events go on.
    private PermitRequest newLocalContinuation() {
        Duration left = Duration.ofNanos(waitEndNanos - dependencies.timers().nanoTime());
        SemaphoreDefinition local = bulkhead.local(left.isNegative() ? Duration.ZERO : left);
        PermitRequest next = new PermitRequest(dependencies.local(), local,
                dependencies.local().terms(local, terms.method()), waitsOn, null, call, wantedToWait, heldByCallers);
        next.waitingFired = waitingFired;
        return next;
    }

    private void follow(PermitRequest next) {
        next.start();
        next.granted().whenComplete((permits, failure) -> {
            if (failure == null) {
                completeGranted(permits);
            } else {
                completeRejected(Failures.cause(failure));
            }
        });
        next.attempted().thenRun(this::completeAttempted);
    }

    private void stopWaiting() {
        if (mayWait) {
            dependencies.waiters().leave(this, permitId());
            synchronized (this) {
                if (waitTimer != null) {
                    waitTimer.cancel();
                }
            }
        }
    }

    private void uncountWaiter() {
        boolean wasCounted;
        synchronized (this) {
            wasCounted = countedAsWaiter;
            countedAsWaiter = false;
        }
        if (wasCounted) {
            dependencies.limits().leave(spec, waitsOn);
        }
    }

    // ---- The end

    @Override
    public CompletionStage<Void> end() {
        PermitRequest continuation;
        HeldPermit given;
        boolean isFinal;
        synchronized (this) {
            if (ended != null) {
                return ended;
            }
            endConfirmed = spec.awaitRelease() ? new Promise<>() : null;
            ended = endConfirmed == null ? DONE : endConfirmed;
            continuation = localContinuation;
            given = permit;
            isFinal = outcomeFinal;
        }
        if (continuation != null) {
            continuation.end().thenRun(this::completeEnd);
        } else if (!isFinal) {
            // Without effect on a permit that was just granted: finishGranted releases it.
            giveUp(PermitRequest::cancelledException).run();
        } else if (given == null) {
            completeEnd();
        } else {
            release(given);
        }
        // Later requests of this process come behind the release from now on.
        if (executions != null) {
            executions.end();
        }
        return ended;
    }

    private void release(HeldPermit given) {
        CompletionStage<Boolean> answer = given.release();
        if (endConfirmed != null) {
            answer.thenRun(this::completeEnd);
        }
    }

    private void completeEnd() {
        if (endConfirmed != null) {
            endConfirmed.complete(null);
        }
    }

    /**
     * What the requests to one store work with.
     *
     * @param store keeps the permits
     * @param timers the clock
     * @param identity who acquires
     * @param waiters wakes those that wait
     * @param limits bounds how many wait
     * @param returns returns permits and places to the store
     * @param reconciler issues ids, and knows them while they are in use
     * @param requests counts requests until their outcome is final, and knows when the application stops
     * @param listener receives events
     * @param permits what granted permits work with
     * @param local the same for a store of this process, for the outage policy {@code local}; null without one
     */
    record Dependencies(PermitStore store, Timers timers, HolderIdentity identity, WaiterRegistry waiters, WaiterLimits limits,
            PermitReturns returns, PermitReconciler reconciler, InFlightCounter requests, SemaphoreListener listener,
            LeasedPermit.Dependencies permits, Dependencies local) {

        PermitTerms terms(SemaphoreDefinition bulkhead, String method) {
            SemaphoreSpec spec = bulkhead.spec();
            return new PermitTerms(bulkhead.id(), spec.weight(), spec.permits(), bulkhead.terms().lease(), spec.fair(),
                    identity.application(), identity.instance(), method);
        }
    }
}
