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
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;

/**
 * A call that found no idle permit, until it has one or is rejected. It is in a line of its bulkhead until its outcome is
 * decided, which happens once, within the lock of the bulkhead; what follows from the outcome happens without that lock. In an
 * outage, a call that is rejected may still continue: with the policy {@code allow}, or with {@code local} by a second call to
 * a bulkhead of this process. Fires the events of its {@link CallListener}. Thread-safe.
 */
final class PendingCall extends PendingAdmission {

    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    /** How long a call that does not want to wait does so while other instances answer a recall. */
    static final Duration RECALL_WAIT = Duration.ofMillis(50);

    /** Continues calls in an outage. */
    @FunctionalInterface
    interface LocalPolicy {

        /**
         * @param definition that of the call so far
         * @param maxWait how long it may still wait
         * @param shared the bulkhead whose share the calls here come on top of
         * @param waitingFired whether the event that the call waits was fired
         * @return a call that has begun
         */
        Admission begin(SemaphoreDefinition definition, Duration maxWait, Bulkhead shared, String method, WaitsOn waitsOn,
                CallListener call, List<HeldPermit> heldByCallers, boolean wantedToWait, boolean waitingFired);
    }

    private final Bulkhead bulkhead;
    private final SemaphoreDefinition definition;
    private final SemaphoreSpec spec;
    private final String method;
    private final WaitsOn waitsOn;
    // Null for calls that are not executions.
    private final InFlightCounter executions;
    private final CallListener call;
    private final List<HeldPermit> heldByCallers;
    // Null where there is no such policy.
    private final LocalPolicy local;
    // For the result: a local continuation may have no time left to wait.
    private final boolean wantedToWait;
    private final long begunNanos;
    // Why this does not wait although the caller wants to.
    private final Optional<String> limitReached;

    // Guarded by the bulkhead. The group is null when the outcome is decided.
    CallLine.Group group;
    PendingCall before;
    PendingCall after;
    // Of a permit of the share, which may serve a call that waits for the local limit; null for other calls.
    SemaphoreDefinition ofTheShare;
    // In line for a place; else its need is stated as one that does not wait.
    boolean waits;
    // Waits for the answer to a recall only.
    boolean briefly;

    // Guarded by this. While this lock is held, nothing is called that may call this back, except for the CallListener, which
    // must not.
    private boolean outcomeFinal;
    private boolean placed;
    // Whether it waits because no permit is free, and not only because the store has not answered.
    private boolean seen;
    private boolean counted;
    private boolean countedBriefly;
    private boolean waitingFired;
    private Timers.Planned timer;
    private HeldPermit permit;
    private Admission continuation;
    private CompletionStage<Void> ended;
    private Promise<Void> endConfirmed;

    PendingCall(Bulkhead bulkhead, SemaphoreDefinition definition, String method, WaitsOn waitsOn, InFlightCounter executions,
            CallListener call, List<HeldPermit> heldByCallers, LocalPolicy local, boolean wantedToWait, boolean waitingFired) {
        this.bulkhead = bulkhead;
        this.definition = definition;
        this.spec = definition.spec();
        this.method = method;
        this.waitsOn = waitsOn;
        this.executions = executions;
        this.call = call;
        this.heldByCallers = heldByCallers;
        this.local = local;
        this.wantedToWait = wantedToWait;
        this.waitingFired = waitingFired;
        this.begunNanos = bulkhead.nanoTime();
        this.limitReached = spec.maxWait().isZero() ? Optional.empty() : bulkhead.around.limits.reached(spec, waitsOn);
    }

    int weight() {
        return spec.weight();
    }

    SemaphoreDefinition definition() {
        return definition;
    }

    /** Its place in the queue of the store; 0 if it has none yet. */
    long ticket() {
        synchronized (bulkhead) {
            return group == null ? 0 : group.ticket();
        }
    }

    boolean isFair() {
        return spec.fair();
    }

    String method() {
        return method;
    }

    long begunNanos() {
        return begunNanos;
    }

    /** When it gives up. */
    long untilNanos() {
        return begunNanos + spec.maxWait().toNanos();
    }

    boolean mayWait() {
        return !spec.maxWait().isZero() && limitReached.isEmpty();
    }

    /** Whether it keeps waiting while the store is away: it was seen to wait. */
    synchronized boolean outlastsOutage() {
        return seen && spec.onOutage() == OnOutage.REJECT;
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
            bulkhead.giveUp(this, () -> full(limit, leaseLeft()));
            return;
        }
        Optional<String> reached;
        synchronized (this) {
            if (outcomeFinal || placed) {
                return;
            }
            reached = bulkhead.around.limits.enter(spec, waitsOn);
            counted = reached.isEmpty();
            placed = counted;
            if (placed && !waitingFired) {
                waitingFired = true;
                call.waiting();
            }
        }
        if (reached.isPresent()) {
            bulkhead.giveUp(this, () -> queueFull(reached.get(), limit, leaseLeft()));
            return;
        }
        completeAttempted();
        giveUpAt(untilNanos(), this::timeOver);
    }

    /** It does not want to wait, but other instances may return permits that they do not use. */
    void placedBriefly(int limit) {
        boolean rejected;
        synchronized (this) {
            if (outcomeFinal || countedBriefly) {
                return;
            }
            rejected = !bulkhead.around.limits.enterBriefly(waitsOn);
            countedBriefly = !rejected;
            if (timer != null) {
                // It waited for an answer of the store until now.
                timer.cancel();
                timer = null;
            }
        }
        if (rejected || waitsForItself(limit)) {
            bulkhead.giveUp(this, () -> full(limit, leaseLeft()));
        } else {
            giveUpAt(bulkhead.nanoTime() + RECALL_WAIT.toNanos(), () -> full(bulkhead.limitForCallers(), leaseLeft()));
        }
    }

    /** It does not want to wait, but the store cannot answer yet. */
    void delayed(RuntimeException whenOver) {
        giveUpAt(begunNanos + bulkhead.around.commandTimeout.toNanos(), () -> whenOver);
    }

    private void giveUpAt(long atNanos, Supplier<RuntimeException> reason) {
        synchronized (this) {
            if (outcomeFinal || timer != null) {
                return;
            }
            timer = bulkhead.around.timers.after(Duration.ofNanos(Math.max(0, atNanos - bulkhead.nanoTime())),
                    () -> bulkhead.giveUp(this, reason));
        }
    }

    // ---- Why it is rejected

    private RuntimeException timeOver() {
        Throwable failure = bulkhead.sync() == null ? null : bulkhead.sync().lastFailure();
        return failure == null ? full(bulkhead.limitForCallers(), leaseLeft()) : StoreFailures.rejection(spec.name(), failure);
    }

    private Duration leaseLeft() {
        return bulkhead.leaseLeft();
    }

    RuntimeException stopping() {
        return new StoppingException(spec.name());
    }

    private RuntimeException cancelled() {
        return new CancellationException("The execution ended before a permit was free");
    }

    /** The bulkhead is full. */
    BulkheadFullException full(int limit, Duration leaseEnd) {
        if (waitsForItself(limit)) {
            return new NestedCallRejectedException(spec.name(), definition.key(), spec.weight(), heldAround(), limit, leaseEnd);
        }
        if (limitReached.isPresent() && spec.weight() <= limit) {
            return queueFull(limitReached.get(), limit, leaseEnd);
        }
        return spec.weight() == 1 ? new BulkheadFullException(spec.name(), definition.key(), limit, leaseEnd)
                : new HeavyCallRejectedException(spec.name(), definition.key(), spec.weight(), limit, leaseEnd);
    }

    private QueueFullException queueFull(String reached, int limit, Duration leaseEnd) {
        return new QueueFullException(reached, spec.name(), definition.key(), limit, leaseEnd);
    }

    // Whether the calls around this one, which end after it, leave too little of the limit for it.
    private boolean waitsForItself(int limit) {
        int held = heldAround();
        return held > 0 && spec.weight() <= limit && (long) held + spec.weight() > limit;
    }

    private int heldAround() {
        int held = 0;
        for (HeldPermit around : heldByCallers) {
            held += around.weightOf(bulkhead.id, bulkhead.around);
        }
        return held;
    }

    // ---- The outcome

    /** It has a permit. */
    void granted(SharePermit given) {
        boolean unwanted;
        synchronized (this) {
            permit = given;
            finish();
            unwanted = ended != null;
            if (unwanted) {
                call.rejected(CallResult.CANCELLED);
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
        if (reason instanceof NestedCallRejectedException) {
            bulkhead.around.listener.nestedCallRejected(method, rejection);
        }
        HeldPermit allowed;
        boolean continues;
        boolean fired;
        synchronized (this) {
            OnOutage policy = ended == null && StoreFailures.isOutage(reason) ? spec.onOutage() : OnOutage.REJECT;
            fired = waitingFired;
            continues = policy == OnOutage.LOCAL && local != null;
            if (continues) {
                // The events go on.
                waitingFired = false;
            }
            finish();
            if (policy == OnOutage.ALLOW) {
                permit = new UncountedPermit(bulkhead.id, call, bulkhead.around.timers);
                call.acquired(CallResult.BYPASSED, 0);
            } else if (!continues) {
                call.rejected(ended != null ? CallResult.CANCELLED
                        : rejection instanceof SkippedException ? CallResult.SKIPPED : CallResult.of(reason, wantedToWait));
            }
            allowed = permit;
        }
        if (continues) {
            continueLocally(fired);
            return;
        }
        confirmEnd();
        if (allowed != null) {
            completeGranted(List.of(allowed));
        } else {
            completeRejected(rejection);
        }
    }

    // Within the lock.
    private void finish() {
        outcomeFinal = true;
        if (timer != null) {
            timer.cancel();
        }
        if (counted) {
            bulkhead.around.limits.leave(spec, waitsOn);
        }
        if (countedBriefly) {
            bulkhead.around.limits.leaveBriefly(waitsOn);
        }
        counted = false;
        countedBriefly = false;
        if (waitingFired) {
            call.waited();
        }
    }

    // The rest of the wait is for a permit of this process.
    private void continueLocally(boolean fired) {
        Duration left = Duration.ofNanos(Math.max(0, untilNanos() - bulkhead.nanoTime()));
        Admission next = local.begin(definition, left, bulkhead, method, waitsOn, call, heldByCallers, wantedToWait, fired);
        boolean unwanted;
        synchronized (this) {
            continuation = next;
            unwanted = ended != null;
        }
        if (unwanted) {
            next.end().thenRun(this::confirmEnd);
        }
        next.granted().whenComplete((permits, failure) -> {
            if (failure == null) {
                completeGranted(permits);
            } else {
                completeRejected(Failures.cause(failure));
            }
        });
        next.attempted().thenRun(this::completeAttempted);
    }

    // ---- The end

    @Override
    public CompletionStage<Void> end() {
        Admission continued;
        HeldPermit given;
        boolean isFinal;
        synchronized (this) {
            if (ended != null) {
                return ended;
            }
            endConfirmed = spec.awaitRelease() ? new Promise<>() : null;
            ended = endConfirmed == null ? DONE : endConfirmed;
            continued = continuation;
            given = permit;
            isFinal = outcomeFinal;
        }
        if (continued != null) {
            continued.end().thenRun(this::confirmEnd);
        } else if (!isFinal) {
            // Without effect on a permit that was just granted: what gives it releases it.
            bulkhead.giveUp(this, this::cancelled);
        } else if (given != null) {
            release(given);
        } else {
            confirmEnd();
        }
        if (executions != null) {
            executions.end();
        }
        return ended;
    }

    private void release(HeldPermit given) {
        (given instanceof SharePermit shared ? shared.giveBack() : given.release()).thenRun(this::confirmEnd);
    }

    private void confirmEnd() {
        if (endConfirmed != null) {
            endConfirmed.complete(null);
        }
    }
}
