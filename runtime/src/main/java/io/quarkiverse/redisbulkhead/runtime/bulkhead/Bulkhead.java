package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.PermitGoneException;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.PermitLost.Reason;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine.RecentExecutions;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit.PermitInUse;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.SharePermit.Detachment;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.SharePermit.State;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.StoreFailures.StoppingException;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * The calls of this instance in one bulkhead: those that use a permit of its share, and those that wait for one. Takes and
 * returns permits in memory; what the share cannot serve is up to {@link ShareSync}, which has the same lock.
 * <p>
 * No code of callers runs while the lock is held: what is to be done without it is collected in a list.
 */
final class Bulkhead {

    private static final long FORGET_NANOS = Duration.ofSeconds(1).toNanos();
    // Null while this thread gives no permits.
    private static final ThreadLocal<Deque<Runnable>> IN_TURN = new ThreadLocal<>();

    final BulkheadId id;
    final Engine engine;
    final RecentExecutions recent;
    final boolean isShared;
    final ShareSync sync;
    private final Runnable whenDue = this::tick;
    private final long warnAfterNanos;

    // The following fields, and those of ShareSync, are guarded by the lock of this object.

    // As the last call declared it.
    int declared;
    long keepIdleNanos;
    long leaseNanos;
    long marginNanos;

    final Share share = new Share();
    final Tokens tokens = new Tokens(share);
    final Turn turn = new Turn();

    // In use, the oldest coming first.
    private SharePermit first;
    private SharePermit last;
    final CallLine line = new CallLine();
    // Calls that do not wait, until the store has answered.
    final CallLine immediate = new CallLine();
    // Calls that the store cannot serve, and that wait for the share or for a permit of the policy local.
    final CallLine locals = new CallLine();
    private long localInUse;

    // The next tick; null while nothing is to be looked at.
    private Timers.Planned tick;
    private long tickNanos;
    private boolean closed;
    private boolean forgotten;
    private boolean empty;
    private long emptySinceNanos;

    /**
     * @param first the definition of the first call
     */
    Bulkhead(BulkheadId id, SemaphoreDefinition first, Engine engine) {
        this.id = id;
        this.engine = engine;
        this.recent = engine.recent(id.name());
        this.isShared = engine.store.isShared();
        this.sync = new ShareSync(this);
        this.warnAfterNanos = engine.warnAfterNanos(id);
        adopt(first);
    }

    long nanoTime() {
        return engine.timers.nanoTime();
    }

    // ---- Beginning

    /**
     * Takes a permit that is idle.
     *
     * @return the permit; null when the call must {@link #enter}
     */
    SharePermit take(SemaphoreDefinition definition, String method, Runnable whenEnded) {
        SemaphoreSpec spec = definition.spec();
        long now = nanoTime();
        synchronized (this) {
            if (!line.isEmpty() || turn.isOthers() || engine.isStopping() || forgotten || share.idle() < spec.weight()
                    || spec.permits() != declared
                    || definition.terms().leaseNanos() > leaseNanos || tokens.free() <= 0
                    || share.isOver(now)) {
                return null;
            }
            return start(definition, method, whenEnded, now, false);
        }
    }

    // Within the lock.
    private SharePermit start(SemaphoreDefinition definition, String method, Runnable whenEnded, long now, boolean isLocal) {
        SharePermit permit = new SharePermit(this, definition, method, now, whenEnded, isLocal);
        recent.acquired();
        if (isLocal) {
            localInUse += permit.weight();
        } else {
            share.use(permit.weight());
        }
        use(permit);
        return permit;
    }

    // Within the lock; the weight is counted already.
    void use(SharePermit permit) {
        permit.reserveToken();
        permit.inUse = true;
        permit.before = last;
        if (last == null) {
            first = permit;
        } else {
            last.after = permit;
        }
        last = permit;
        empty = false;
        if (tick == null || permit.definition.terms().holdIsBounded()) {
            plan(permit.definition.terms().holdIsBounded() ? permit.holdEndNanos() : nanoTime() + FORGET_NANOS);
        }
    }

    /** Within the lock: looks at everything that has a time by then. */
    void plan(long atNanos) {
        if (!closed && (tick == null || tickNanos - atNanos > 0)) {
            cancelTick();
            tickNanos = atNanos;
            tick = engine.timers.after(Duration.ofNanos(Math.max(0, atNanos - nanoTime())), whenDue);
        }
    }

    // Within the lock.
    private void cancelTick() {
        if (tick != null) {
            tick.cancel();
            tick = null;
        }
    }

    /**
     * Puts a call in line, or states its need with the next statement.
     *
     * @param definition what it would have of the share
     * @return {@code false} when this bulkhead is forgotten, and another one has taken its place
     */
    boolean enter(PendingCall call, SemaphoreDefinition definition) {
        List<Runnable> then = new ArrayList<>();
        boolean due;
        synchronized (this) {
            if (forgotten) {
                return false;
            }
            empty = false;
            adopt(definition);
            if (engine.isStopping()) {
                then.add(() -> call.rejected(call.stopping()));
            } else {
                long now = nanoTime();
                endLeaseIfOver(now, then);
                call.waits = call.mayWait();
                (call.isLocal() ? locals : call.waits ? line : immediate).add(call);
                serve(now, then);
                if (call.group != null) {
                    settleHere(call, now, then);
                }
            }
            long now = nanoTime();
            plan(now + FORGET_NANOS);
            // Many calls wait for permits of this instance, and need no second look at what is to be stated.
            due = sync.isToBeStated(now);
        }
        run(then);
        if (due) {
            flush();
        }
        return true;
    }

    // Within the lock.
    private void adopt(SemaphoreDefinition definition) {
        declared = definition.spec().permits();
        turn.fair = definition.spec().fair();
        keepIdleNanos = isShared ? definition.spec().keepIdle().toNanos() : FORGET_NANOS;
        tokens.sawWeight(definition.spec().weight());
        if (definition.terms().leaseNanos() > leaseNanos) {
            leaseNanos = definition.terms().leaseNanos();
            marginNanos = definition.terms().marginNanos();
            if (share.size() > 0) {
                // Renewed in time for the shorter lease that it has until then.
                sync.positionChanged();
            }
        }
        if (!sync.isResized()) {
            share.limitTo(Math.min(share.limit(), declared));
        }
    }

    // Within the lock. Without a request to the store where its answer is known: all permits are here, or none can be free.
    private void settleHere(PendingCall call, long now, List<Runnable> then) {
        if (call.waits && (call.isLocal() || holdsAllPermits())) {
            int inForce = call.limit();
            then.add(() -> call.placed(inForce));
        } else if (!call.waits && (call.isLocal() || sync.isFull(call.definition().spec(), now))) {
            remove(call);
            int inForce = call.limit();
            Duration leaseEnd = nearestLeaseEnd();
            then.add(() -> call.rejected(call.full(inForce, leaseEnd)));
        }
    }

    /**
     * Within the lock: no other instance can have a permit, and none has asked for one lately, so that calls wait without a
     * statement. Not while the store is away: then what the share cannot serve follows the policy for outages.
     */
    boolean holdsAllPermits() {
        return share.keeps() && sync.knowsLimit() && share.size() >= share.limit() && !sync.isAway();
    }

    /** By when a permit becomes free, as far as this instance knows. */
    synchronized Duration nearestLeaseEnd() {
        return sync.nearestLeaseEnd();
    }

    // ---- Serving those that wait

    /** Within the lock: gives idle permits to the calls that wait, in their order. */
    void serve(long now, List<Runnable> then) {
        // The timer that ends the lease may be late.
        if (!share.isOver(now)) {
            // What the store has granted was meant for the calls that it knows.
            boolean lineIsUnknown = !line.isEmpty() && !line.head().group.wasStated();
            if (lineIsUnknown) {
                serveImmediate(true, now, then);
            }
            serveLine(now, then);
            if (line.isEmpty()) {
                serveImmediate(false, now, then);
            }
        }
        PendingCall local = locals.head();
        while (local != null && serveLocally(local, now, then)) {
            local = locals.head();
        }
    }

    private void serveLine(long now, List<Runnable> then) {
        PendingCall head = line.head();
        while (head != null && share.idle() >= head.weight() && tokens.free() > 0 && turn.mayServe(head.group.ticket())) {
            grant(head, head.definition(), now, then, false);
            head = line.head();
        }
    }

    // In a fair bulkhead, what a call that gave up has left goes back to those of other instances.
    private void serveImmediate(boolean onlyStated, long now, List<Runnable> then) {
        if (!immediate.isEmpty() && share.idle() > 0 && !turn.isOthers()) {
            for (PendingCall call : immediate.all()) {
                if ((call.group.wasStated() || !onlyStated) && share.idle() >= call.weight() && tokens.free() > 0) {
                    grant(call, call.definition(), now, then, false);
                }
            }
        }
    }

    // While the store is away, idle permits of the share serve the call as well. What the share has counts for the local limit.
    private boolean serveLocally(PendingCall call, long now, List<Runnable> then) {
        SemaphoreDefinition ofTheShare = call.ofTheShare;
        if (line.isEmpty() && share.idle() >= ofTheShare.spec().weight() && tokens.free() > 0 && !share.isOver(now)) {
            grant(call, ofTheShare, now, then, false);
        } else if (ofTheShare.spec().onOutage() == OnOutage.ALLOW
                || share.size() + localInUse + call.weight() <= call.limit()) {
            grant(call, call.definition(), now, then, true);
        } else {
            return false;
        }
        return true;
    }

    private void grant(PendingCall call, SemaphoreDefinition definition, long now, List<Runnable> then, boolean isLocal) {
        if (call.group.removeAndWasStated(call)) {
            sync.needsChanged(call.weight());
        }
        SharePermit permit = start(definition, call.method, null, now, isLocal);
        then.add(() -> call.granted(permit));
    }

    /** A call gives up. No effect when its outcome is decided. */
    void giveUp(PendingCall call, Supplier<RuntimeException> reason) {
        synchronized (this) {
            if (call.group == null) {
                return;
            }
            remove(call);
        }
        call.rejected(reason.get());
        flush();
    }

    /** Within the lock. The store does not remember calls that do not wait, so nothing is to be stated about them. */
    void remove(PendingCall call) {
        if (call.group.removeAndWasStated(call) && call.waits) {
            sync.needsChanged(Integer.MAX_VALUE);
        }
        if (call.isLocal()) {
            // The call behind it may be lighter.
            plan(nanoTime());
        }
    }

    // ---- The end of an execution

    /** {@code false} when the permit was released or lost before. */
    boolean release(SharePermit permit) {
        List<Runnable> then = List.of();
        boolean travels = false;
        boolean held;
        synchronized (this) {
            if (permit.state == State.RELEASED || permit.state == State.DETACHED) {
                permit.releasedLate = permit.state == State.DETACHED;
                return false;
            }
            long now = nanoTime();
            if (permit.state == State.HELD && !permit.isLocal && permit.isOver(now)) {
                then = new ArrayList<>();
                endLeaseIfOver(now, then);
                if (!permit.inUse) {
                    loseDetached(permit, Reason.LEASE_ENDED, then);
                }
            }
            held = permit.state == State.HELD;
            permit.state = State.RELEASED;
            recent.ended(now - permit.sinceNanos);
            if (permit.inUse) {
                then = line.isEmpty() && immediate.isEmpty() && locals.isEmpty() ? then : new ArrayList<>(then);
                unlink(permit);
                travels = freed(permit, now, then);
            } else {
                travels = !held;
            }
        }
        runInTurn(then);
        if (travels) {
            flush();
        }
        return held;
    }

    // Within the lock. Whether something is to be stated.
    private boolean freed(SharePermit permit, long now, List<Runnable> then) {
        long holdUntil = permit.sinceNanos + permit.definition.spec().minHold().toNanos();
        if (!permit.definition.spec().minHold().isZero() && holdUntil - now > 0) {
            if (permit.isLocal) {
                engine.timers.after(Duration.ofNanos(holdUntil - now), () -> freedLocally(permit));
            } else {
                sync.transfers.hold(permit, "", holdUntil);
            }
            return true;
        }
        if (permit.isLocal) {
            localInUse -= permit.weight();
            serve(now, then);
            return false;
        }
        return freed(permit.weight(), permit.awaitsRelease(), now, then);
    }

    private void freedLocally(SharePermit permit) {
        List<Runnable> then = new ArrayList<>();
        synchronized (this) {
            freed(permit, nanoTime(), then);
        }
        runInTurn(then);
    }

    /** Within the lock: an execution does not use its permits any more. Whether something is to be stated. */
    boolean freed(int weight, boolean goesBack, long now, List<Runnable> then) {
        share.stopUsing(weight);
        if (!goesBack && share.size() <= share.limit() && (share.keeps() || turn.lasts(now))) {
            if (!line.isEmpty() || !locals.isEmpty()) {
                serve(now, then);
            }
            return (!line.isEmpty() || !share.keeps()) && sync.isToBeStated(now);
        } else {
            // Those that may serve a call stay: they are not what has just ended.
            share.startReturning(weight);
        }
        return true;
    }

    // Within the lock.
    private void unlink(SharePermit permit) {
        if (permit.before == null) {
            first = permit.after;
        } else {
            permit.before.after = permit.after;
        }
        if (permit.after == null) {
            last = permit.before;
        } else {
            permit.after.before = permit.before;
        }
        permit.before = null;
        permit.after = null;
        permit.inUse = false;
        if (permit.state != State.HELD && permit.tokens != null) {
            permit.tokens.giveBack();
            permit.tokens = null;
        }
    }

    /** Completes when the store knows what this instance has returned so far, or gave no answer. Never fails. */
    CompletionStage<Void> confirmed() {
        return sync.returned().handle((done, failure) -> null);
    }

    // ---- Losses

    /** Within the lock. */
    void endLeaseIfOver(long now, List<Runnable> then) {
        if (share.size() > 0 && share.isOver(now)) {
            sync.leaseOver(now, then);
        }
    }

    /** Within the lock: the youngest executions lose their permits until the others use no more than that. */
    void loseBeyond(int mostInUse, Reason reason, List<Runnable> then) {
        sync.transfers.endHoldsBeyond(mostInUse);
        SharePermit permit = last;
        while (share.inUse() > mostInUse && permit != null) {
            SharePermit older = permit.before;
            if (!permit.isLocal) {
                share.stopUsing(permit.weight());
                lose(permit, reason, then);
            }
            permit = older;
        }
    }

    /** A permit that has left the share to be detached. */
    void loseDetached(SharePermit permit, Reason reason, List<Runnable> then) {
        if (permit.state == State.HELD) {
            lose(permit, reason, then);
        }
    }

    // Within the lock. Its weight stays in use.
    private void lose(SharePermit permit, Reason reason, List<Runnable> then) {
        PermitLost loss = new PermitLost(id.name(), id.key(), permit.id(), permit.fencingToken(), permit.method, reason);
        permit.state = State.LOST;
        if (permit.inUse) {
            unlink(permit);
        }
        if (permit.isUncounted()) {
            return;
        }
        then.add(() -> {
            if (permit.interruption != null) {
                permit.interruption.complete(loss);
            }
            engine.listeners.fire(listener -> listener.lost(loss));
        });
    }

    /** Ends the permit with that id, whose execution goes on without it. {@code false} when it is not in use here. */
    boolean end(String permitId, Reason reason) {
        List<Runnable> then = new ArrayList<>();
        synchronized (this) {
            SharePermit permit = first;
            while (permit != null && !permitId.equals(permit.id)) {
                permit = permit.after;
            }
            if (permit == null) {
                return false;
            }
            end(permit, reason, nanoTime(), then);
        }
        run(then);
        flush();
        return true;
    }

    // Within the lock.
    private void end(SharePermit permit, Reason reason, long now, List<Runnable> then) {
        lose(permit, reason, then);
        if (permit.isLocal) {
            localInUse -= permit.weight();
            serve(now, then);
        } else {
            freed(permit.weight(), false, now, then);
        }
    }

    /** Within the lock. */
    void tokenDrawn() {
        if (tokens.drawn()) {
            // Not on the caller's stack, which may hold locks.
            engine.timers.after(Duration.ZERO, this::flush);
        }
    }

    // ---- Detaching and attaching

    CompletionStage<String> detach(SharePermit permit) {
        CompletableFuture<String> token = new CompletableFuture<>();
        synchronized (this) {
            if (!permit.isHeld() || permit.detaching) {
                // Only one caller gets the token.
                return CompletableFuture.failedStage(gone(permit, permit.isHeld() ? "is being detached already"
                        : "cannot be detached, because it was released, detached or lost"));
            }
            if (permit.detachment == null) {
                permit.detachment = new Detachment(DetachedPermit.of(permit.id(), new SecureRandom()));
            }
            permit.detaching = true;
            sync.transfers.detach(permit, token);
        }
        flush();
        return token;
    }

    /** Undoes a detachment whose token no caller received. */
    void takeBack(SharePermit permit) {
        synchronized (this) {
            if (permit.state != State.DETACHED) {
                return;
            }
            permit.state = permit.releasedLate ? State.RELEASED : State.HELD;
            sync.transfers.takeBack(permit);
        }
        flush();
    }

    /** Within the lock: the permit leaves the share with the statement that is being built. */
    void leave(SharePermit permit) {
        if (permit.inUse) {
            unlink(permit);
        }
        share.stopUsing(permit.weight());
    }

    /** Within the lock: a permit has joined the share, which counts it already. */
    void join(SharePermit permit) {
        share.use(permit.weight());
        use(permit);
    }

    PermitGoneException gone(SharePermit permit, String what) {
        return new PermitGoneException(id.name(), "The permit " + permit.id() + " of bulkhead '" + id.name() + "' " + what);
    }

    CompletionStage<HeldPermit> attach(SemaphoreDefinition definition, DetachedPermit detached, String method) {
        CompletableFuture<HeldPermit> permit = new CompletableFuture<>();
        synchronized (this) {
            if (forgotten) {
                return null;
            }
            empty = false;
            adopt(definition);
            if (engine.isStopping()) {
                return CompletableFuture.failedStage(new StoppingException(id.name()));
            }
            plan(nanoTime() + FORGET_NANOS);
            sync.transfers.attach(definition, detached, method, permit);
        }
        flush();
        return permit;
    }

    static PermitGoneException gone(SemaphoreDefinition bulkhead, DetachedPermit detached) {
        return new PermitGoneException(bulkhead.name(), "The detached permit " + detached.permitId()
                + " is no longer in bulkhead '" + bulkhead.id() + "': its lease has ended, it was already attached, or it was "
                + "revoked. Attach it once, within one lease (" + bulkhead.terms().lease() + "), and to the bulkhead, key or "
                + "lock from which it was detached");
    }

    /** Whether permits may stay here when their executions have ended. */
    boolean mayKeep() {
        return keepIdleNanos > 0 && engine.mayKeep();
    }

    /** Within the lock. */
    void rejectHeavierThanLimit(List<Runnable> then) {
        int inForce = share.limit();
        for (PendingCall call : line.heavierThan(inForce)) {
            remove(call);
            Duration leaseEnd = nearestLeaseEnd();
            then.add(() -> call.rejected(call.full(inForce, leaseEnd)));
        }
    }

    /** Within the lock: all that wait for the store. */
    List<PendingCall> calls() {
        List<PendingCall> calls = new ArrayList<>(line.all());
        calls.addAll(immediate.all());
        return calls;
    }

    // ---- Time

    private void tick() {
        List<Runnable> then = new ArrayList<>();
        boolean gone = false;
        synchronized (this) {
            if (closed) {
                return;
            }
            cancelTick();
            long now = nanoTime();
            endLeaseIfOver(now, then);
            long next = earlier(endHolds(now, then), sync.tick(now, then), now);
            serve(now, then);
            gone = isGone(now);
            if (!gone) {
                plan(earlier(next, now + FORGET_NANOS, now));
            }
        }
        run(then);
        if (gone) {
            engine.forget(this);
        } else {
            flush();
        }
    }

    static long earlier(long one, long other, long now) {
        return one - now < other - now ? one : other;
    }

    // Within the lock: reports executions that have held their permits for long, and ends those that did for too long.
    private long endHolds(long now, List<Runnable> then) {
        long next = now + Long.MAX_VALUE / 4;
        SharePermit permit = first;
        while (permit != null) {
            SharePermit following = permit.after;
            if (!permit.reported && now - permit.sinceNanos >= warnAfterNanos) {
                permit.reported = true;
                PermitInUse held = permit.inUse(now);
                then.add(() -> engine.listeners.fire(listener -> listener.heldLong(held)));
            }
            if (permit.definition.terms().holdIsBounded()) {
                if (permit.holdEndNanos() - now <= 0) {
                    end(permit, Reason.MAX_HOLD, now, then);
                } else {
                    next = earlier(next, permit.holdEndNanos(), now);
                }
            }
            permit = following;
        }
        return next;
    }

    // Within the lock.
    private boolean isEmpty() {
        return first == null && line.isEmpty() && immediate.isEmpty() && locals.isEmpty() && share.size() == 0
                && localInUse == 0
                && sync.isIdle();
    }

    // Within the lock. Not immediately, so that calls in a row do not each create a bulkhead.
    private boolean isGone(long now) {
        if (!isEmpty()) {
            empty = false;
        } else if (!empty) {
            empty = true;
            emptySinceNanos = now;
        } else if (now - emptySinceNanos >= FORGET_NANOS) {
            forgotten = true;
            // Another bulkhead speaks for this instance from now on.
            sync.end();
        }
        return forgotten;
    }

    // ---- The end of the application

    /** Rejects all that wait, and all that come. Executions that hold their permits continue. */
    void stop() {
        List<Runnable> then = new ArrayList<>();
        synchronized (this) {
            share.keep(false);
            sync.positionChanged();
            List<PendingCall> calls = calls();
            calls.addAll(locals.all());
            for (PendingCall call : calls) {
                remove(call);
                then.add(() -> call.rejected(call.stopping()));
            }
        }
        run(then);
        flush();
    }

    /**
     * Takes all permits from the executions that still run. Completes when the store knows, or gave no answer until then.
     * Never fails.
     */
    CompletionStage<Void> releaseAll(long untilNanos) {
        List<Runnable> then = new ArrayList<>();
        synchronized (this) {
            long now = nanoTime();
            while (last != null) {
                SharePermit permit = last;
                lose(permit, Reason.STOPPED, then);
                freed(permit, now, then);
            }
        }
        run(then);
        return sync.settled(untilNanos);
    }

    void close() {
        List<Runnable> then = new ArrayList<>();
        synchronized (this) {
            closed = true;
            cancelTick();
            sync.close(then);
        }
        run(then);
    }

    // ---- Looking

    /** The executions and waiting calls of this instance, no more than that of each. */
    synchronized Occupancy occupancy(int most) {
        HolderIdentity identity = engine.identity;
        // Without a shared store, as if the lease began now.
        long leaseEnd = earlier(share.validUntilNanos() + marginNanos, nanoTime() + leaseNanos, nanoTime());
        List<Holder> holders = new ArrayList<>();
        for (SharePermit permit = first; permit != null && holders.size() < most; permit = permit.after) {
            if (permit.isLocal) {
                continue;
            }
            long until = permit.definition.terms().holdIsBounded() ? earlier(permit.holdEndNanos(), leaseEnd, nanoTime())
                    : leaseEnd;
            holders.add(new Holder(permit.id(), id.name(), id.key(), permit.fencingToken(), permit.weight(),
                    identity.application(), identity.instance(), permit.method, engine.wallTime(permit.sinceNanos),
                    engine.wallTime(until), permit.leaked ? Holder.State.LEAKED : Holder.State.HELD));
        }
        List<Waiter> waiters = new ArrayList<>();
        List<PendingCall> waiting = line.all();
        for (PendingCall call : waiting.subList(0, Math.min(most, waiting.size()))) {
            waiters.add(new Waiter(engine.instance + "-w" + waiters.size(), id.name(), id.key(),
                    call.isFair() ? call.group.ticket() : 0, call.weight(), identity.application(), identity.instance(),
                    call.method, engine.wallTime(call.begunNanos), engine.wallTime(call.untilNanos())));
        }
        return Occupancy.ofInstance(share.inUse(), waiting.size(), holders, waiters);
    }

    synchronized boolean keepsPermits() {
        return share.keeps();
    }

    synchronized int waitingCalls() {
        return line.size();
    }

    synchronized int declared() {
        return declared;
    }

    synchronized boolean isInUse() {
        return first != null || !line.isEmpty();
    }

    // ---- Without the lock

    static void run(List<Runnable> then) {
        for (Runnable action : then) {
            action.run();
        }
    }

    /**
     * Runs actions that give permits to calls, after those of which this thread runs one: a call may end while it receives
     * its permit, which then serves the next one. On the stack of one another, a long line would overflow it.
     */
    static void runInTurn(List<Runnable> then) {
        if (then.isEmpty()) {
            return;
        }
        Deque<Runnable> behind = IN_TURN.get();
        if (behind != null) {
            behind.addAll(then);
            return;
        }
        Deque<Runnable> turns = new ArrayDeque<>(then);
        IN_TURN.set(turns);
        try {
            while (!turns.isEmpty()) {
                turns.poll().run();
            }
        } finally {
            IN_TURN.remove();
        }
    }

    /** States what has changed, if that helps now. */
    void flush() {
        sync.flush();
    }
}
