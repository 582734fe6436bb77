package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException.Reason;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException.SkippedException;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.StoreFailures.StoppingException;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits.WaitsOn;

/**
 * A call that found no idle permit, until it has one or is rejected. It is in a line of its bulkhead until its outcome is
 * decided, which happens once, within the lock of the bulkhead; what follows from the outcome happens without that lock. In an
 * outage, a call that is rejected may still continue, without the store: with the policy {@code allow} or {@code local}. Fires
 * the events of its {@link CallListener}. Thread-safe.
 */
final class PendingCall extends Admission.Pending {

    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    /** How long a call that does not want to wait does so while other instances answer a recall. */
    static final Duration RECALL_WAIT = Duration.ofMillis(50);

    final String method;
    private final WaitsOn waitsOn;
    // Null for calls that are not executions.
    private final Runnable whenEnded;
    private final List<CallListener> call;
    private final List<HeldPermit> heldByCallers;
    final long begunNanos;

    private final Bulkhead bulkhead;
    // Changes once, for the policy local, while the call is in no line.
    private volatile SemaphoreDefinition definition;
    // Of a permit of the share, which may serve it as well after that; null before.
    volatile SemaphoreDefinition ofTheShare;

    // Guarded by the bulkhead. The group is null when the outcome is decided.
    CallLine.Group group;
    // In line for a place; else its need is stated as one that does not wait.
    boolean waits;
    // Why it does not wait although the caller wants to.
    private Optional<String> limitReached = Optional.empty();
    // Waits for the answer to a recall only.
    boolean briefly;

    // Guarded by this. While this lock is held, nothing is called that may call this back, except for the CallListener, which
    // must not.
    private boolean outcomeFinal;
    // Whether it waits because no permit is free, and not only because the store has not answered.
    private boolean seen;
    // Whether it is counted among the calls that wait.
    private boolean counted;
    private boolean waitingFired;
    private Timers.Planned timer;
    private SharePermit permit;
    // Null until then. Completes when the releases are answered, if they are awaited.
    private volatile CompletableFuture<Void> ended;

    PendingCall(Bulkhead bulkhead, SemaphoreDefinition definition, String method, WaitsOn waitsOn, Runnable whenEnded,
            List<CallListener> call, List<HeldPermit> heldByCallers) {
        this.method = method;
        this.waitsOn = waitsOn;
        this.whenEnded = whenEnded;
        this.call = call;
        this.heldByCallers = heldByCallers;
        this.begunNanos = bulkhead.nanoTime();
        this.definition = definition;
        this.bulkhead = bulkhead;
    }

    int weight() {
        return definition.spec().weight();
    }

    SemaphoreDefinition definition() {
        return definition;
    }

    /** Whether it continues with the policy local. */
    boolean isLocal() {
        return ofTheShare != null;
    }

    /** The limit that holds for it. */
    int limit() {
        return isLocal() ? definition.spec().permits() : bulkhead.share.limit();
    }

    boolean isFair() {
        return definition.spec().fair();
    }

    /** When it gives up. */
    long untilNanos() {
        return begunNanos + definition.spec().maxWait().toNanos();
    }

    private boolean wantsToWait() {
        return !definition.spec().maxWait().isZero();
    }

    /** Whether it waits if no permit is free. To be asked when it enters a bulkhead. */
    boolean mayWait() {
        limitReached = wantsToWait() ? bulkhead.engine.limits.reached(definition.spec(), waitsOn) : Optional.empty();
        return wantsToWait() && limitReached.isEmpty() && untilNanos() - bulkhead.nanoTime() > 0;
    }

    /** Whether it keeps waiting while the store is away: it was seen to wait. */
    synchronized boolean outlastsOutage() {
        return seen && definition.spec().onOutage() == OnOutage.REJECT;
    }

    // ---- Waiting

    /** No permit is free, and it waits in line. */
    void placed(int limit) {
        synchronized (this) {
            seen = true;
        }
        waitsFor(limit);
    }

    /** It waits in line, although the store has not answered yet. */
    void waitsFor(int limit) {
        if (waitsForItself(limit)) {
            bulkhead.giveUp(this, () -> full(limit, bulkhead.nearestLeaseEnd()));
            return;
        }
        Optional<String> reached;
        synchronized (this) {
            if (outcomeFinal || counted) {
                return;
            }
            reached = bulkhead.engine.limits.enter(definition.spec(), waitsOn, false);
            counted = reached.isEmpty();
            if (counted && !waitingFired) {
                waitingFired = true;
                Listeners.fire(call, CallListener::waiting);
            }
        }
        if (reached.isPresent()) {
            bulkhead.giveUp(this, () -> queueFull(reached.get(), limit, bulkhead.nearestLeaseEnd()));
            return;
        }
        completeAttempted();
        giveUpAt(untilNanos(), this::timeOver);
    }

    /** It does not want to wait, but other instances may return permits that they do not use. */
    void placedBriefly(int limit) {
        boolean rejected;
        synchronized (this) {
            if (outcomeFinal || counted) {
                return;
            }
            rejected = bulkhead.engine.limits.enter(definition.spec(), waitsOn, true).isPresent();
            counted = !rejected;
            // It waited for an answer of the store until now.
            cancelTimer();
        }
        if (rejected || waitsForItself(limit)) {
            bulkhead.giveUp(this, () -> full(limit, bulkhead.nearestLeaseEnd()));
        } else {
            giveUpAt(bulkhead.nanoTime() + RECALL_WAIT.toNanos(),
                    () -> full(limit(), bulkhead.nearestLeaseEnd()));
        }
    }

    /** It does not wait, but the store cannot answer yet. */
    void delayed(RuntimeException whenOver) {
        long patienceNanos = bulkhead.engine.commandTimeout.toNanos();
        long waitNanos = definition.spec().maxWait().toNanos();
        giveUpAt(begunNanos + (wantsToWait() ? Math.min(waitNanos, patienceNanos) : patienceNanos), () -> whenOver);
    }

    private void giveUpAt(long atNanos, Supplier<RuntimeException> reason) {
        synchronized (this) {
            if (!outcomeFinal && timer == null) {
                SemaphoreDefinition of = definition;
                timer = bulkhead.engine.timers.after(Duration.ofNanos(Math.max(0, atNanos - bulkhead.nanoTime())), () -> {
                    // It may continue with the policy local by now.
                    if (definition == of) {
                        bulkhead.giveUp(this, reason);
                    }
                });
            }
        }
    }

    // Within the lock.
    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    // ---- Why it is rejected

    private RuntimeException timeOver() {
        Throwable failure = isLocal() ? null : bulkhead.sync.lastFailure();
        return failure == null ? full(limit(), bulkhead.nearestLeaseEnd())
                : StoreFailures.rejection(definition.name(), failure);
    }

    RuntimeException stopping() {
        return new StoppingException(definition.name());
    }

    private RuntimeException cancelled() {
        return new CancellationException("The execution ended before a permit was free");
    }

    /** The bulkhead is full. */
    BulkheadFullException full(int limit, Duration leaseEnd) {
        if (waitsForItself(limit)) {
            return CallRejectedException.nested(weight(), heldAround(), definition.name(), definition.key(), limit, leaseEnd);
        }
        if (limitReached.isPresent() && weight() <= limit) {
            return queueFull(limitReached.get(), limit, leaseEnd);
        }
        return weight() == 1 ? new BulkheadFullException(definition.name(), definition.key(), limit, leaseEnd)
                : CallRejectedException.heavy(weight(), definition.name(), definition.key(), limit, leaseEnd);
    }

    private BulkheadFullException queueFull(String reached, int limit, Duration leaseEnd) {
        return CallRejectedException.queueFull(reached, definition.name(), definition.key(), limit, leaseEnd);
    }

    // Whether the calls around this one, which end after it, leave too little of the limit for it.
    private boolean waitsForItself(int limit) {
        int held = heldAround();
        return held > 0 && weight() <= limit && (long) held + weight() > limit;
    }

    private int heldAround() {
        int held = 0;
        for (HeldPermit around : heldByCallers) {
            held += around instanceof SharePermit permit && permit.bulkhead == bulkhead
                    && permit.isLocal == isLocal() && permit.isHeld() ? permit.weight()
                            : 0;
        }
        return held;
    }

    // ---- The outcome

    /** It has a permit. */
    void granted(SharePermit given) {
        boolean unwanted;
        synchronized (this) {
            permit = given;
            decided();
            unwanted = ended != null;
            if (unwanted) {
                Listeners.fire(call, listener -> listener.rejected(CallResult.CANCELLED));
            } else {
                given.fireAcquired(call);
            }
        }
        if (unwanted) {
            release(given);
        }
        completeGranted(List.of(given));
    }

    /** It gets no permit, for that reason. */
    void rejected(RuntimeException reason) {
        RuntimeException rejection = definition.translated(reason);
        if (reason instanceof CallRejectedException known && known.reason() == Reason.NESTED) {
            bulkhead.engine.listeners.fire(listener -> listener.nestedCallRejected(method, rejection));
        }
        boolean continues;
        synchronized (this) {
            continues = ended == null && !isLocal() && definition.spec().onOutage() != OnOutage.REJECT
                    && StoreFailures.isOutage(reason);
            if (continues) {
                // The events go on.
                stopsWaiting();
            } else {
                decided();
                fireRejected(reason, rejection);
            }
        }
        if (continues) {
            continueLocally(reason);
        } else {
            confirmEnd();
            completeRejected(rejection);
        }
    }

    // Within the lock.
    private void fireRejected(RuntimeException reason, RuntimeException rejection) {
        CallResult result = ended != null ? CallResult.CANCELLED
                : rejection instanceof SkippedException ? CallResult.SKIPPED : CallResult.of(reason, wantsToWait());
        if (result.isFull()) {
            bulkhead.recent.foundFull(bulkhead.nanoTime());
        }
        Listeners.fire(call, listener -> listener.rejected(result));
    }

    // Within the lock.
    private void decided() {
        outcomeFinal = true;
        stopsWaiting();
    }

    // Within the lock.
    private void stopsWaiting() {
        cancelTimer();
        if (counted) {
            counted = false;
            bulkhead.engine.limits.leave(definition.spec(), waitsOn, briefly);
        }
    }

    // The rest of the wait is for a permit of this process. With the policy allow, there is one for each call.
    private void continueLocally(RuntimeException reason) {
        SemaphoreDefinition shared = definition;
        briefly = false;
        definition = shared.local();
        ofTheShare = shared;
        if (!bulkhead.enter(this, shared)) {
            rejected(reason);
        } else if (ended != null) {
            bulkhead.giveUp(this, this::cancelled);
        }
    }

    // ---- The end

    @Override
    public CompletionStage<Void> end() {
        boolean isFinal;
        synchronized (this) {
            if (ended != null) {
                return ended;
            }
            ended = definition.spec().awaitRelease() ? new Promise<>() : DONE;
            isFinal = outcomeFinal;
        }
        if (!isFinal) {
            // Without effect on a permit that was just granted: what gives it releases it.
            bulkhead.giveUp(this, this::cancelled);
        } else if (permit != null) {
            release(permit);
        } else {
            confirmEnd();
        }
        if (whenEnded != null) {
            whenEnded.run();
        }
        return ended;
    }

    private void release(SharePermit given) {
        given.giveBack().thenRun(this::confirmEnd);
    }

    private void confirmEnd() {
        CompletableFuture<Void> end = ended;
        if (end != null) {
            end.complete(null);
        }
    }
}
