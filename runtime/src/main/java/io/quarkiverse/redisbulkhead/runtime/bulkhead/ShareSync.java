package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.PermitLost.Reason;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.Backoff;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage.Recalled;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Attach;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Hold;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Need;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;

/**
 * Keeps the share of a bulkhead in step with the store. States the position of this instance: when a call waits, when permits
 * go back, when the lease is to be renewed, and when the store asks. One statement is in flight at a time; what happens
 * meanwhile goes with the next one. A statement without an answer is followed by another one with the same counters.
 * <p>
 * All state is guarded by the lock of the bulkhead.
 */
final class ShareSync {

    private static final Logger LOG = Logger.getLogger(ShareSync.class);

    private static final int RENEWALS_PER_LEASE = 3;
    private static final int TRIES_PER_LEASE = 12;
    private static final int TRIES_WHILE_IT_LASTS = 4;
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(10);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    // The heartbeat of the calls that wait; the store tolerates three missed ones.
    private static final long WAITING_INTERVAL_NANOS = Duration.ofSeconds(1).toNanos();

    /** A statement in flight. */
    private record Sent(Statement statement, long atNanos, List<CompletableFuture<Void>> awaiting) {
    }

    private final Bulkhead bulkhead;
    private final Engine around;
    private final Share share;
    private final Tokens tokens;

    // What was stated last, and before: offers are based on one of them.
    private long number;
    private long sentNanos;
    // By when all that the store may believe this instance to have has ended.
    private long believedUntilNanos;
    private long numberBefore;
    private long sentBeforeNanos;
    // Whether the next one is built soon.
    private boolean planned;
    // Null when none is in flight, or its answer does not count any more.
    private Sent inFlight;
    // Whether the last statement got no answer.
    private boolean unanswered;
    private Throwable lastFailure;
    private Backoff backoff;
    private long retryNanos;
    // Whether something is to be stated that no other field shows.
    private boolean stale;
    // Whether the last statement had needs; and how many permits that were just granted have not served a call yet.
    private boolean needsInStore;
    private int grantedNow;
    // Whether the store still has needs of calls that left during a turn.
    private boolean leftInTurn;
    private long recalledNumber;
    // Until then, calls that do not wait are rejected here, because no permit was free a moment ago.
    private long fullUntilNanos;
    // The declared limit for which the limit in force is known; 0 for none.
    private int answeredLimit;
    // Whether the limit is that of an operator, and not the one that this instance declared.
    private boolean resized;
    private boolean askAgain;
    private long askAgainNanos;
    private boolean graceEnds;
    private List<CompletableFuture<Void>> awaiting = new ArrayList<>();
    final Transfers transfers;
    private boolean closed;

    ShareSync(Bulkhead bulkhead) {
        this.bulkhead = bulkhead;
        this.around = bulkhead.engine;
        this.share = bulkhead.share;
        this.tokens = bulkhead.tokens;
        this.transfers = new Transfers(bulkhead);
        this.believedUntilNanos = bulkhead.nanoTime();
        this.fullUntilNanos = believedUntilNanos;
    }

    // ---- Stating

    /** States the position if there is something to state, when the store can send it. To be called without the lock. */
    void flush() {
        synchronized (bulkhead) {
            if (!isToBeStated(bulkhead.nanoTime())) {
                return;
            }
            planned = true;
        }
        around.store.whenReady(this::stateNow);
    }

    /** Within the lock: whether {@link #flush} has something to do. */
    boolean isToBeStated(long now) {
        return !planned && !closed && inFlight == null && isDue(now);
    }

    private void stateNow() {
        Sent next;
        List<Runnable> then = new ArrayList<>(0);
        synchronized (bulkhead) {
            planned = false;
            long now = bulkhead.nanoTime();
            if (closed || inFlight != null) {
                return;
            }
            next = isDue(now) ? state(now, then) : null;
            inFlight = next;
            if (next == null) {
                placeCalls(then);
            } else if (!bulkhead.locals.isEmpty()) {
                bulkhead.serve(now, then);
            }
        }
        Bulkhead.run(then);
        if (next == null) {
            return;
        }
        CompletionStage<Position> answer;
        try {
            answer = around.store.sync(next.statement());
        } catch (RuntimeException e) {
            answer = CompletableFuture.failedStage(e);
        }
        // Answers and failures of the server come later.
        boolean wasSent = !answer.toCompletableFuture().isDone();
        answer.whenComplete((position, failure) -> {
            List<Runnable> effects = new ArrayList<>();
            Throwable cause = failure == null && position.number() != next.statement().number()
                    ? new StoreException(Kind.TRANSIENT, "The store answered another statement")
                    : failure == null ? null : Failures.cause(failure);
            synchronized (bulkhead) {
                if (inFlight == next || closed) {
                    next.awaiting().forEach(promise -> effects.add(() -> complete(promise, cause)));
                } else {
                    // What the answer says does not count any more.
                    awaiting.addAll(next.awaiting());
                }
                if (inFlight != next) {
                    stale = true;
                } else if (cause == null) {
                    answered(next, position, effects);
                } else {
                    failed(next, cause, wasSent, effects);
                }
            }
            Bulkhead.runInTurn(effects);
            bulkhead.flush();
        });
    }

    private static void complete(CompletableFuture<Void> promise, Throwable failure) {
        if (failure == null) {
            promise.complete(null);
        } else {
            promise.completeExceptionally(failure);
        }
    }

    private boolean isDue(long now) {
        return hasUnstatedCalls(now) || (!unanswered || retryNanos - now <= 0) && hasToState(now);
    }

    private boolean hasToState(long now) {
        boolean stuck = share.idle() > 0 && (!share.keeps() || !bulkhead.line.isEmpty());
        return unanswered && isConcerned() || stale || leftInTurn && !bulkhead.turn.lasts(now) || tokens.areShort()
                || share.hasUnconfirmed() && share.confirmNanos() - now <= 0
                || share.isReturning() || stuck
                || !awaiting.isEmpty() || !transfers.isEmpty()
                || share.size() > share.limit() && share.size() > share.inUse();
    }

    private boolean hasUnstatedCalls(long now) {
        return bulkhead.immediate.hasUnstated()
                || bulkhead.line.hasUnstated() && !bulkhead.holdsAllPermits() && !isStatedAfterTurn(now);
    }

    // Calls that come and go during a turn are stated when it ends: some of this instance wait in the store, so it gets permits.
    private boolean isStatedAfterTurn(long now) {
        return needsInStore && bulkhead.turn.lasts(now);
    }

    // Whether the store may have permits of this instance that it does not have, or has returned.
    private boolean mayBeBelieved() {
        return unanswered && believedUntilNanos - bulkhead.nanoTime() > 0;
    }

    private boolean isConcerned() {
        return mayBeBelieved() || !bulkhead.line.isEmpty() || !bulkhead.immediate.isEmpty();
    }

    private Sent state(long now, List<Runnable> then) {
        numberBefore = number;
        sentBeforeNanos = sentNanos;
        // From 1, so that no message is about 0.
        number = around.newNumber();
        sentNanos = now;
        if (!unanswered) {
            returnWhatIsNotNeeded();
        }
        share.giveBackReturning();
        List<Hold> holds = transfers.holds(now, then);
        List<Attach> attaches = transfers.attaches();
        // A store that has no memory for new calls may have some for what it knows; they are stated again if it has.
        boolean onlyRenews = unanswered && share.epoch() != 0 && wasRefused(lastFailure);
        List<Need> needs = onlyRenews ? List.of() : bulkhead.line.needs(number);
        List<Need> immediate = onlyRenews ? List.of() : bulkhead.immediate.needsWithoutPlaces();
        int moreTokens = tokens.toAskFor(!needs.isEmpty() || !immediate.isEmpty(), bulkhead.leaseNanos, now);
        Statement statement = new Statement(bulkhead.id, number, share.epoch(), share.granted(), share.returned(),
                share.revoked(), TimeUnit.NANOSECONDS.toMillis(bulkhead.leaseNanos), bulkhead.declared, share.keeps(),
                bulkhead.mayKeep(), needs, immediate, tokens.highest(), moreTokens, "", -1, holds, attaches);
        stale = false;
        fullUntilNanos = now;
        needsInStore = !needs.isEmpty();
        leftInTurn = false;
        List<CompletableFuture<Void>> waiting = awaiting;
        awaiting = new ArrayList<>();
        return new Sent(statement, now, waiting);
    }

    // A part of what a heavy call needs must not stay here either: two such calls would wait for each other, and one that does
    // not wait would be rejected although the rest is free.
    private void returnWhatIsNotNeeded() {
        boolean isNeeded = !bulkhead.line.isEmpty() || !bulkhead.immediate.isEmpty();
        boolean all = !share.keeps() || isNeeded && tokens.free() > 0;
        share.startReturning(all ? share.size() : share.size() - share.limit());
    }

    // ---- Answers

    private void answered(Sent sent, Position position, List<Runnable> then) {
        inFlight = null;
        long now = bulkhead.nanoTime();
        bulkhead.endLeaseIfOver(now, then);
        long leaseEnd = sent.atNanos() + TimeUnit.MILLISECONDS.toNanos(position.leaseMillis()) - bulkhead.marginNanos;
        if (share.epoch() != sent.statement().epoch()
                || position.granted() > 0 && position.leaseMillis() > 0 && leaseEnd - now <= 0) {
            // The lease has ended here, before or with this answer.
            leaseOver(now, then);
            return;
        }
        unanswered = false;
        lastFailure = null;
        backoff = null;
        int sizeBefore = share.size();
        boolean isNewEpoch = position.epoch() != share.epoch();
        boolean grants = position.granted() > (isNewEpoch ? position.admitted() : share.granted());
        int mostInUse = share.answered(position, leaseEnd);
        believedUntilNanos = leaseEnd + bulkhead.marginNanos;
        if (isNewEpoch) {
            transfers.newEpoch();
        }
        bulkhead.loseBeyond(mostInUse, isNewEpoch ? Reason.GONE : Reason.REVOKED, then);
        answeredLimit = sent.statement().limit();
        resized = position.limit() != answeredLimit;
        // A call may have declared a lower one meanwhile.
        share.limitTo(resized ? position.limit() : Math.min(position.limit(), bulkhead.declared));
        share.keep(position.mayKeep() && position.number() > recalledNumber && bulkhead.mayKeep());
        if (share.keeps() && awaiting.isEmpty()) {
            // They have not left yet, and no caller waits until they have.
            share.stopReturning();
        }
        bulkhead.turn.heard(position.othersWait(), position.served(), grants, now);
        long untilChange = position.askAgainMillis() > 0 ? position.askAgainMillis() : position.graceMillis();
        askAgain = untilChange > 0;
        askAgainNanos = now + TimeUnit.MILLISECONDS.toNanos(untilChange);
        graceEnds = position.graceMillis() > 0;
        long fullEnds = now + TimeUnit.MILLISECONDS.toNanos(position.fullMillis());
        fullUntilNanos = askAgain ? Bulkhead.earlier(fullEnds, askAgainNanos, now) : fullEnds;
        tokens.take(grants || isNewEpoch, position.firstToken(), position.tokens());
        tokens.sawTicket(position.ticket());
        if (position.otherLimit() > 0) {
            int own = sent.statement().limit();
            Set<Integer> others = Set.of(position.otherLimit());
            then.add(() -> around.listeners.fire(listener -> listener.limitsDiffer(bulkhead.id, own, others)));
        }
        List<PendingCall> placed = placed(sent, position);
        transfers.settle(sent.statement(), position.attached(), then);
        // What was revoked may be what has just joined.
        bulkhead.loseBeyond(share.size(), Reason.REVOKED, then);
        bulkhead.rejectHeavierThanLimit(then);
        serveWith(grants ? share.size() - sizeBefore : 0, now, then);
        tokens.needed(share.idle() > 0 && !(bulkhead.line.isEmpty() && bulkhead.immediate.isEmpty()));
        settleCalls(sent.statement(), position, placed, then);
        placeCalls(then);
        plan(now);
    }

    // Those that have got a place, and those behind them, which must wait as well.
    private List<PendingCall> placed(Sent sent, Position position) {
        List<Need> needs = sent.statement().needs();
        Need last = needs.isEmpty() ? null : needs.get(needs.size() - 1);
        if (last == null || last.ticket() != 0 || position.ticket() == 0) {
            return List.of();
        }
        List<PendingCall> calls = new ArrayList<>(bulkhead.line.placed(last.group(), position.ticket()));
        for (PendingCall call : bulkhead.line.withoutTickets()) {
            if (call.begunNanos - sent.atNanos() <= 0) {
                calls.add(call);
            }
        }
        return calls;
    }

    // Calls that came before this instance had all permits were to be stated, but are not any more: they learn here that they wait.
    private void placeCalls(List<Runnable> then) {
        if (!bulkhead.line.isEmpty() && bulkhead.holdsAllPermits()) {
            int limit = share.limit();
            bulkhead.line.withoutTickets().forEach(call -> then.add(() -> call.placed(limit)));
        }
    }

    // What the calls that were stated, and were not served, do now.
    private void settleCalls(Statement statement, Position position, List<PendingCall> placed, List<Runnable> then) {
        int limit = position.limit();
        for (PendingCall call : placed) {
            if (call.group != null) {
                then.add(call.briefly ? () -> call.placedBriefly(limit) : () -> call.placed(limit));
            }
        }
        if (statement.immediate().isEmpty()) {
            return;
        }
        long now = bulkhead.nanoTime();
        Duration leaseEnd = nearestLeaseEnd();
        for (PendingCall call : bulkhead.immediate.all()) {
            boolean wasStated = call.group.wasStated();
            if (wasStated && position.graceMillis() > 0) {
                then.add(() -> call.delayed(new BulkheadUnavailableException(bulkhead.id.name(),
                        "Redis has just started or failed over, and waits for its instances to state which permits they hold",
                        new StoreException("in the grace period", null))));
            } else if (wasStated && position.recalled() > 0 && call.weight() <= limit && !tokens.areShort()) {
                bulkhead.remove(call);
                call.waits = true;
                call.briefly = true;
                bulkhead.line.add(call);
                then.add(() -> call.placedBriefly(limit));
            } else if (wasStated || position.fullMillis() > 0 && isFull(call.definition().spec(), now)) {
                // Those that came meanwhile would need another statement, during which more would come.
                bulkhead.remove(call);
                then.add(() -> call.rejected(call.full(limit, leaseEnd)));
            }
        }
    }

    // ---- Failures

    private void failed(Sent sent, Throwable failure, boolean wasSent, List<Runnable> then) {
        if (wasSent && !StoreException.is(failure, Kind.CONTENDED)) {
            mayHaveArrived(sent);
        }
        inFlight = null;
        unanswered = true;
        lastFailure = failure;
        long now = bulkhead.nanoTime();
        backoff = backoff == null ? new Backoff(FIRST_PAUSE, LONGEST_PAUSE, around.random) : backoff;
        long pause = backoff.next().toNanos();
        if (share.size() > 0) {
            long left = Math.max(0, share.validUntilNanos() - now) / TRIES_WHILE_IT_LASTS;
            pause = Math.min(pause, Math.max(SHORTEST_PAUSE.toNanos(), Math.min(bulkhead.leaseNanos / TRIES_PER_LEASE, left)));
            int inUse = share.inUse();
            if (inUse > 0) {
                then.add(() -> around.listeners.fire(listener -> listener.renewalFailed(bulkhead.id, inUse, failure)));
            }
        }
        retryNanos = now + pause;
        rejectCalls(failure, then);
        LOG.debugf("The position in bulkhead '%s' was not stated: %s", bulkhead.id, failure.getMessage());
        if (!StoreFailures.isRetryable(failure)) {
            transfers.fail(failure, then);
        }
        plan(now);
    }

    // What a statement asked for may be in the store for a lease, although no answer says so.
    private void mayHaveArrived(Sent sent) {
        Statement statement = sent.statement();
        if (share.size() > 0 || !statement.needs().isEmpty() || !statement.immediate().isEmpty()
                || !statement.attaches().isEmpty()) {
            believedUntilNanos = sent.atNanos() + bulkhead.leaseNanos;
        }
        transfers.mayHaveArrived(statement);
    }

    // Null after a reconnection, which says nothing about the statement.
    private static boolean wasRefused(Throwable failure) {
        return failure != null && !StoreFailures.isRetryable(failure) && !StoreFailures.isAway(failure);
    }

    private void rejectCalls(Throwable failure, List<Runnable> then) {
        boolean mayPass = StoreFailures.isRetryable(failure);
        // Also those that the statement did not contain: they would learn the same from the next one.
        for (PendingCall call : bulkhead.calls()) {
            if (mayPass && call.waits) {
                int limit = share.limit();
                if (!call.briefly) {
                    then.add(() -> call.waitsFor(limit));
                }
            } else if (mayPass && !StoreException.is(failure, Kind.CONTENDED)) {
                // A connection that broke, or a failover, is no outage: Redis has the time of a command to answer.
                then.add(() -> call.delayed(StoreFailures.rejection(bulkhead.id.name(), failure)));
            } else if (!(StoreFailures.isAway(failure) && call.outlastsOutage())) {
                bulkhead.remove(call);
                then.add(() -> call.rejected(StoreFailures.rejection(bulkhead.id.name(), failure)));
            }
        }
    }

    /** The lease of the share, or of what was only offered, has ended here. */
    void leaseOver(long now, List<Runnable> then) {
        int left = share.endLease(now);
        if (left == 0) {
            // Its answer would be about executions that are lost.
            inFlight = null;
            transfers.leaseOver();
        }
        bulkhead.loseBeyond(left, Reason.LEASE_ENDED, then);
        stale = true;
        bulkhead.serve(now, then);
    }

    // ---- Messages

    /** A message of the store. To be called without the lock. */
    void received(ShareMessage message) {
        List<Runnable> then = new ArrayList<>();
        synchronized (bulkhead) {
            long now = bulkhead.nanoTime();
            bulkhead.endLeaseIfOver(now, then);
            if (message instanceof Granted offer) {
                // Not |=, which would read the field before.
                if (!takeOffer(offer, now, then)) {
                    stale = true;
                }
            } else {
                stale = true;
                if (message instanceof Recalled recall) {
                    share.keep(false);
                    recalledNumber = Math.max(recalledNumber, Math.min(recall.number(), number));
                }
            }
            plan(now);
        }
        Bulkhead.run(then);
        bulkhead.flush();
    }

    // Whether it was usable. If not, the store is to say what this instance has.
    private boolean takeOffer(Granted offer, long now, List<Runnable> then) {
        long basis = offer.number() == number ? sentNanos : sentBeforeNanos;
        boolean isRecent = offer.number() == number || offer.number() == numberBefore;
        // Any client that may publish can send any number. What an instance takes over it states, and the store adopts tickets.
        if (!isRecent || around.isStopping() || transfers.isAttaching() || tokens.isTooFar(offer.firstToken())) {
            return false;
        }
        int more = share.addOffer(offer, basis, now);
        if (more == 0) {
            return false;
        }
        tokens.take(true, offer.firstToken(), offer.tokens());
        bulkhead.turn.heard(offer.othersWait(), offer.served(), true, now);
        serveWith(more, now, then);
        return true;
    }

    // The store knows that the calls that a grant serves do not wait any more.
    private void serveWith(int fresh, long now, List<Runnable> then) {
        grantedNow = fresh;
        bulkhead.serve(now, then);
        grantedNow = 0;
    }

    /** The connection was lost and is back: what an older server believes must not stay taken for a lease. */
    void restate() {
        synchronized (bulkhead) {
            stale = true;
            retryNanos = bulkhead.nanoTime();
            fullUntilNanos = retryNanos;
            // What the server before has answered or offered does not count any more.
            if (inFlight != null) {
                unanswered = true;
                mayHaveArrived(inFlight);
            }
            inFlight = null;
            number = 0;
        }
        flush();
    }

    /**
     * Recalls may be missed: the answer to the next statement lets nothing idle stay here. Until then the share serves calls,
     * because messages also stop while the store is away.
     */
    void deaf() {
        synchronized (bulkhead) {
            stale |= share.keeps();
        }
        flush();
    }

    /** Nothing idle stays here, and none of it serves a call any more, even if the store does not answer. */
    void returnIdle() {
        synchronized (bulkhead) {
            share.keep(false);
            share.startReturning(share.idle());
        }
        flush();
    }

    /** The store has become unavailable, or available again: tries without a pause. */
    void reconsider() {
        synchronized (bulkhead) {
            stale |= isConcerned();
            retryNanos = bulkhead.nanoTime();
            fullUntilNanos = retryNanos;
        }
        flush();
    }

    // ---- Time

    /** Within the lock: what is due; returns when to look again. */
    long tick(long now, List<Runnable> then) {
        if (inFlight == null) {
            stale |= share.size() > 0 && sentNanos + renewalInterval() - now <= 0;
            stale |= (needsInStore || !bulkhead.line.isEmpty()) && sentNanos + WAITING_INTERVAL_NANOS - now <= 0;
            if (askAgain && askAgainNanos - now <= 0) {
                askAgain = false;
                stale |= !bulkhead.line.isEmpty() || !bulkhead.immediate.isEmpty();
            }
        }
        share.closeWindow(now, bulkhead.keepIdleNanos, !unanswered && inFlight == null);
        transfers.tick(now, then);
        return next(now);
    }

    private long renewalInterval() {
        return bulkhead.leaseNanos / RENEWALS_PER_LEASE;
    }

    private void plan(long now) {
        share.closeWindow(now, bulkhead.keepIdleNanos, !unanswered && inFlight == null);
        bulkhead.plan(next(now));
    }

    private long next(long now) {
        long next = now + WAITING_INTERVAL_NANOS;
        if (share.size() > 0) {
            next = Bulkhead.earlier(next, share.validUntilNanos(), now);
            if (inFlight == null && !unanswered) {
                next = Bulkhead.earlier(next, sentNanos + renewalInterval(), now);
            }
        }
        if (share.isWindowOpen()) {
            next = Bulkhead.earlier(next, share.windowEndNanos(), now);
        }
        if (bulkhead.turn.lasts(now)) {
            next = Bulkhead.earlier(next, bulkhead.turn.endNanos(), now);
        }
        if (share.hasUnconfirmed() && inFlight == null && !unanswered) {
            next = Bulkhead.earlier(next, share.confirmNanos(), now);
        }
        if (inFlight == null && unanswered && hasToState(now)) {
            next = Bulkhead.earlier(next, retryNanos, now);
        } else if (inFlight == null && !bulkhead.line.isEmpty()) {
            next = Bulkhead.earlier(next, sentNanos + WAITING_INTERVAL_NANOS, now);
        }
        if (inFlight == null && askAgain && !unanswered) {
            next = Bulkhead.earlier(next, askAgainNanos, now);
        }
        return next - now <= 0 ? now + 1 : next;
    }

    // ---- What the bulkhead asks; within its lock unless it says otherwise

    /** Calls that were stated do not wait any more. With the next statement, if no other instance can wait behind them. */
    void needsChanged(int weight) {
        if (weight <= grantedNow) {
            grantedNow -= weight;
        } else if (isStatedAfterTurn(bulkhead.nanoTime())) {
            leftInTurn = true;
        } else {
            stale |= !bulkhead.holdsAllPermits();
        }
    }

    void positionChanged() {
        stale = true;
    }

    /**
     * Whether no permit is free for a call: the executions of this instance leave too little, or it uses all that it has, and
     * no other was free a moment ago. Where releases are awaited, a call finds each permit that was released before. Not while
     * the store is away: then what the share cannot serve follows the policy for outages.
     */
    boolean isFull(SemaphoreSpec call, long now) {
        boolean nothingIsFree = fullUntilNanos - now > 0 && share.size() == share.inUse() && !call.awaitRelease();
        return knowsLimit() && !isAway() && (nothingIsFree || call.weight() > share.limit() - share.inUse());
    }

    // A call that declared a lower limit may have come between two calls that declare the same.
    boolean knowsLimit() {
        return answeredLimit == bulkhead.declared && (resized || share.limit() == answeredLimit);
    }

    boolean isResized() {
        return resized;
    }

    Duration nearestLeaseEnd() {
        long now = bulkhead.nanoTime();
        return askAgain && askAgainNanos - now > 0 && !graceEnds ? Duration.ofNanos(askAgainNanos - now)
                : Duration.ofNanos(share.size() == 0 ? bulkhead.leaseNanos
                        : Math.max(0, Math.min(share.leaseEndNanos() + bulkhead.marginNanos - now, bulkhead.leaseNanos)));
    }

    /** Whether the last statement failed for a reason that does not pass in a moment. */
    boolean isAway() {
        return unanswered && lastFailure != null && !StoreFailures.isRetryable(lastFailure);
    }

    Throwable lastFailure() {
        synchronized (bulkhead) {
            return lastFailure;
        }
    }

    /** Nothing is to be stated or answered. */
    boolean isIdle() {
        return inFlight == null && !planned && transfers.isEmpty() && awaiting.isEmpty() && !needsInStore && !mayBeBelieved();
    }

    /** Without the lock: states the position, and completes with the answer; fails as the store does. */
    CompletionStage<Void> confirmed() {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        synchronized (bulkhead) {
            if (closed) {
                answer.completeExceptionally(stopping());
            } else {
                awaiting.add(answer);
            }
            if (unanswered) {
                retryNanos = bulkhead.nanoTime();
            }
        }
        flush();
        return StoreFailures.translate(bulkhead.id.name(), answer);
    }

    /** Without the lock: completes when the store knows what was returned so far; fails as the store does. */
    CompletionStage<Void> returned() {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        synchronized (bulkhead) {
            if (inFlight != null && inFlight.statement().returned() == share.returned() && !share.isReturning()
                    && (share.keeps() || share.idle() <= 0) && transfers.haveLeft()) {
                inFlight.awaiting().add(answer);
                return StoreFailures.translate(bulkhead.id.name(), answer);
            }
        }
        return confirmed();
    }

    /** Without the lock: completes when the store knows that all is returned, or gave no answer until then. Never fails. */
    CompletionStage<Void> settled(long untilNanos) {
        return confirmed().handle((done, failure) -> failure == null).thenCompose(answered -> {
            Duration pause;
            synchronized (bulkhead) {
                // A permit may have joined the share meanwhile, or come back. Or the store is just coming back.
                boolean isLeft = answered ? share.size() > 0 || !transfers.isEmpty() : mayBeBelieved();
                if (closed || !isLeft || !answered && untilNanos - bulkhead.nanoTime() <= 0) {
                    return CompletableFuture.completedFuture(null);
                }
                pause = answered ? Duration.ZERO : FIRST_PAUSE;
            }
            CompletableFuture<Void> paused = new CompletableFuture<>();
            around.timers.after(pause, () -> paused.complete(null));
            return paused.thenCompose(over -> bulkhead.releaseAll(untilNanos));
        });
    }

    /** Within the lock: nothing is stated any more. */
    void end() {
        closed = true;
    }

    void close(List<Runnable> then) {
        end();
        List<CompletableFuture<Void>> promises = List.copyOf(awaiting);
        awaiting.clear();
        then.add(() -> promises.forEach(promise -> promise.completeExceptionally(stopping())));
        transfers.fail(stopping(), then);
    }

    private static StoreException stopping() {
        return new StoreException("the application is stopping", null);
    }
}
