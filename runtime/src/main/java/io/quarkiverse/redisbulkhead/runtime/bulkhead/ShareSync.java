package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.PermitLost.Reason;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Bulkhead.TokenBlock;
import io.quarkiverse.redisbulkhead.runtime.store.Backoff;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage.Recalled;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
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
    // What is left of an offer when it ends here, for a clock that runs at another rate.
    private static final long OFFER_NANOS = Duration.ofMillis(ShareStore.OFFER_MILLIS - 200).toNanos();
    // An execution that ends within this time confirms the offer that it used by its return, which saves a statement.
    private static final long CONFIRMATION_NANOS = Duration.ofMillis(10).toNanos();
    private static final long FULL_NANOS = Duration.ofMillis(ShareStore.FULL_MILLIS).toNanos();
    private static final long MOST_TOKENS = 1 << 20;
    // Tokens advance with the clock of the store, in microseconds, and this instance has heard of it a moment ago.
    private static final long FARTHEST_TOKEN = TimeUnit.HOURS.toMicros(1);
    private static final long FEW_TOKENS = 64;
    private static final long FEW_TOKENS_WHILE_KEPT = 1024;
    // For how long a block lasts at least, unless permits stay here: each grant brings a new one.
    private static final long TOKENS_LAST_NANOS = Duration.ofSeconds(1).toNanos();

    /** A statement in flight. */
    private record Sent(Statement statement, long atNanos, List<CompletableFuture<Void>> awaiting) {
    }

    private final Bulkhead bulkhead;
    private final Engine around;

    // What was stated last, and before: offers are based on one of them.
    private long number;
    private long sentNanos;
    private long numberBefore;
    private long sentBeforeNanos;
    // Whether the next one is built soon.
    private boolean planned;
    // Null when none is in flight, or its answer does not count any more.
    private Sent inFlight;
    // The position.
    private long epoch;
    private long granted;
    private long returned;
    private long revoked;
    // When the lease ends, and when the part of the share that was only offered does.
    private long leaseEndNanos;
    private int offered;
    private long offerEndNanos;
    private long confirmNanos;
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
    // Whether calls that do not wait are rejected here for a moment, because no permit was free a moment ago.
    private boolean full;
    private long fullUntilNanos;
    // The declared limit for which the limit in force is known; 0 for none.
    private int answeredLimit;
    // Whether the limit is that of an operator, and not the one that this instance declared.
    private boolean resized;
    private boolean askAgain;
    private long askAgainNanos;
    private boolean graceEnds;
    private boolean windowOpen;
    private long windowEndNanos;
    private long highestToken;
    private long tokensWanted;
    private long tokensLastNanos = TOKENS_LAST_NANOS;
    private long tokensAskedNanos;
    private long tokensDrawn;
    private boolean tokensShort;
    private List<CompletableFuture<Void>> awaiting = new ArrayList<>();
    final Transfers transfers;
    private boolean closed;

    ShareSync(Bulkhead bulkhead) {
        this.bulkhead = bulkhead;
        this.around = bulkhead.engine;
        this.transfers = new Transfers(bulkhead);
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
            if (closed || inFlight != null || !isDue(now)) {
                return;
            }
            next = state(now, then);
            inFlight = next;
            if (!bulkhead.locals.isEmpty()) {
                bulkhead.serve(now, then);
            }
        }
        Bulkhead.run(then);
        CompletionStage<Position> answer;
        try {
            answer = around.store.sync(next.statement());
        } catch (RuntimeException e) {
            answer = CompletableFuture.failedStage(e);
        }
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
                    failed(cause, effects);
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
        boolean stuck = bulkhead.idle() > 0 && (!bulkhead.keeps || !bulkhead.line.isEmpty());
        return unanswered && isConcerned() || stale || tokensShort || offered > 0 && confirmNanos - now <= 0
                || bulkhead.returning > 0 || stuck
                || !awaiting.isEmpty() || !transfers.isEmpty()
                || bulkhead.share > bulkhead.limit && bulkhead.share > bulkhead.inUse;
    }

    private boolean hasUnstatedCalls(long now) {
        return bulkhead.immediate.hasUnstated()
                || bulkhead.line.hasUnstated() && !bulkhead.holdsAllPermits() && !isStatedAfterTurn(now);
    }

    // Calls that come and go during a turn are stated when it ends: some of this instance wait in the store, so it gets permits.
    private boolean isStatedAfterTurn(long now) {
        return needsInStore && bulkhead.isInTurn(now);
    }

    private boolean isConcerned() {
        return epoch != 0 || !bulkhead.line.isEmpty() || !bulkhead.immediate.isEmpty();
    }

    private Sent state(long now, List<Runnable> then) {
        numberBefore = number;
        sentBeforeNanos = sentNanos;
        // From 1, so that no message is about 0.
        number = around.newNumber();
        sentNanos = now;
        returnWhatIsNotNeeded();
        List<Hold> holds = transfers.holds(now, this::giveBack, then);
        List<Attach> attaches = transfers.attaches();
        // A store that has no memory for new calls may have some for what it knows; they are stated again if it has.
        boolean onlyRenews = unanswered && epoch != 0 && wasRefused(lastFailure);
        List<Need> needs = onlyRenews ? List.of() : bulkhead.line.needs(number);
        List<Need> immediate = onlyRenews ? List.of() : bulkhead.immediate.needsWithoutPlaces();
        Statement statement = new Statement(bulkhead.id, number, epoch, granted, returned, revoked,
                TimeUnit.NANOSECONDS.toMillis(bulkhead.leaseNanos), bulkhead.declared, bulkhead.keeps,
                bulkhead.mayKeep(), needs, immediate, highestToken,
                tokensToAskFor(now, !needs.isEmpty() || !immediate.isEmpty()),
                "", -1, holds, attaches);
        stale = false;
        full = false;
        needsInStore = !needs.isEmpty();
        leftInTurn = false;
        tokensShort = false;
        List<CompletableFuture<Void>> waiting = awaiting;
        awaiting = new ArrayList<>();
        return new Sent(statement, now, waiting);
    }

    // Permits count as returned from now on, and are never used again, whatever becomes of the statement.
    private void returnWhatIsNotNeeded() {
        int back = bulkhead.returning;
        bulkhead.returning = 0;
        int idle = bulkhead.share - bulkhead.inUse - back;
        if (!unanswered && idle > 0) {
            // A part of what a heavy call needs must not stay here either: two such calls would wait for each other, and one that
            // does not wait would be rejected although the rest is free.
            boolean isNeeded = !bulkhead.line.isEmpty() || !bulkhead.immediate.isEmpty();
            boolean all = !bulkhead.keeps || isNeeded && bulkhead.tokens.free() > 0;
            back += all ? idle : Math.max(0, Math.min(idle, bulkhead.share - bulkhead.limit));
        }
        giveBack(back);
    }

    // What is returned counts as what was offered first: if the store takes the offer back, it has not seen the return.
    private void giveBack(int permits) {
        returned += permits;
        bulkhead.share -= permits;
        offered = Math.max(0, offered - permits);
        shareMayBeUsed();
    }

    // Enough for each execution that may run; and more where tokens are drawn often. Kept permits serve calls as long as the
    // lease runs, whether the store answers or not, so the tokens must last as long.
    private int tokensToAskFor(long now, boolean mayBeGranted) {
        long last = bulkhead.keeps ? Math.max(TOKENS_LAST_NANOS, bulkhead.leaseNanos) : TOKENS_LAST_NANOS;
        if (last < tokensLastNanos) {
            tokensWanted = (long) (tokensWanted * ((double) last / tokensLastNanos));
        }
        tokensLastNanos = last;
        long target = enoughTokens();
        long free = bulkhead.tokens.free();
        if (!tokensShort && !mayBeGranted && free >= target / 2) {
            return 0;
        }
        if (free < target / 2 || tokensShort) {
            // Blocks also become small because a message brings a new one.
            if (now - tokensAskedNanos < last && tokensDrawn >= tokensWanted / 2) {
                long few = bulkhead.keeps ? FEW_TOKENS_WHILE_KEPT : FEW_TOKENS;
                tokensWanted = Math.min(MOST_TOKENS, Math.max(few, 2 * tokensWanted));
            } else {
                tokensWanted = tokensWanted / 2;
            }
            tokensDrawn = 0;
            tokensAskedNanos = now;
            target = Math.max(tokensWanted, target);
        }
        return (int) Math.max(target, 1);
    }

    private long enoughTokens() {
        return Math.min(MOST_TOKENS, Math.max(tokensWanted, bulkhead.share / bulkhead.lightest));
    }

    // ---- Answers

    private void answered(Sent sent, Position position, List<Runnable> then) {
        inFlight = null;
        long now = bulkhead.nanoTime();
        bulkhead.endLeaseIfOver(now, then);
        long leaseEnd = sent.atNanos() + TimeUnit.MILLISECONDS.toNanos(position.leaseMillis()) - bulkhead.marginNanos;
        if (epoch != sent.statement().epoch() || position.granted() > 0 && position.leaseMillis() > 0 && leaseEnd - now <= 0) {
            // The lease has ended here, before or with this answer.
            leaseOver(now, then);
            return;
        }
        unanswered = false;
        lastFailure = null;
        backoff = null;
        int shareBefore = bulkhead.share;
        boolean isNewEpoch = position.epoch() != epoch;
        boolean grants = takeCounters(sent.statement(), position, now, then);
        leaseEndNanos = leaseEnd;
        shareMayBeUsed();
        answeredLimit = sent.statement().limit();
        resized = position.limit() != answeredLimit;
        // A call may have declared a lower one meanwhile.
        bulkhead.limit = resized ? position.limit() : Math.min(position.limit(), bulkhead.declared);
        bulkhead.othersWait = position.othersWait();
        bulkhead.served = Math.max(bulkhead.served, position.served());
        bulkhead.keeps = position.mayKeep() && position.number() > recalledNumber && bulkhead.mayKeep();
        if (bulkhead.keeps) {
            // They have not left yet.
            bulkhead.returning = 0;
        }
        turn(grants, now);
        long untilChange = position.askAgainMillis() > 0 ? position.askAgainMillis() : position.graceMillis();
        askAgain = untilChange > 0;
        askAgainNanos = now + TimeUnit.MILLISECONDS.toNanos(untilChange);
        graceEnds = position.graceMillis() > 0;
        full = position.full();
        fullUntilNanos = askAgain ? Bulkhead.earlier(now + FULL_NANOS, askAgainNanos, now) : now + FULL_NANOS;
        takeTokens(grants || isNewEpoch, position.firstToken(), position.tokens());
        highestToken = Math.max(highestToken, position.ticket());
        if (!position.otherLimits().isEmpty()) {
            int own = sent.statement().limit();
            then.add(() -> around.listeners.fire(listener -> listener.limitsDiffer(bulkhead.id, own, position.otherLimits())));
        }
        List<PendingCall> placed = placed(sent, position);
        transfers.settle(sent.statement(), position.attached(), then);
        bulkhead.rejectHeavierThanLimit(then);
        serveWith(grants ? bulkhead.share - shareBefore : 0, now, then);
        tokensShort = bulkhead.tokens.free() <= 0 && bulkhead.idle() > 0
                && !(bulkhead.line.isEmpty() && bulkhead.immediate.isEmpty());
        settleCalls(sent.statement(), position, placed, then);
        plan(now);
    }

    // Whether permits were granted that this instance did not have.
    private boolean takeCounters(Statement statement, Position position, long now, List<Runnable> then) {
        if (position.epoch() == epoch) {
            long more = Math.max(0, position.granted() - granted);
            granted += more;
            bulkhead.share += (int) more;
            // What was offered after the store had processed this statement is not confirmed.
            offered = (int) Math.min(offered, granted - position.granted());
            long less = Math.max(0, position.revoked() - revoked);
            revoked += less;
            loseShare((int) Math.min(less, bulkhead.share), Reason.REVOKED, then);
            return more > 0;
        }
        // The store did not know the position. What was offered in the old epoch meanwhile is void; what was returned meanwhile
        // is part of what was claimed.
        long returnedMeanwhile = returned - statement.returned();
        epoch = position.epoch();
        granted = position.granted();
        returned = returnedMeanwhile;
        revoked = position.revoked();
        offered = 0;
        transfers.newEpoch();
        int admitted = (int) Math.max(0, position.admitted() - returnedMeanwhile);
        loseBeyond(admitted, Reason.GONE, then);
        bulkhead.returning = Math.min(bulkhead.returning, Math.max(0, admitted - bulkhead.inUse));
        bulkhead.share = (int) Math.max(0, granted - returned - revoked);
        return position.granted() > position.admitted();
    }

    // Idle permits first, then those of the youngest executions. Lost permits are never used again.
    private void loseShare(int permits, Reason reason, List<Runnable> then) {
        if (permits > 0) {
            bulkhead.share -= permits;
            bulkhead.returning = Math.max(0, Math.min(bulkhead.returning, bulkhead.share - bulkhead.inUse));
            loseBeyond(bulkhead.share, reason, then);
        }
    }

    private void loseBeyond(int mostInUse, Reason reason, List<Runnable> then) {
        bulkhead.loseBeyond(mostInUse, reason, then);
        transfers.endHoldsBeyond(mostInUse);
    }

    private void shareMayBeUsed() {
        bulkhead.validUntilNanos = offered == 0 ? leaseEndNanos
                : offered == bulkhead.share ? offerEndNanos
                        : Bulkhead.earlier(leaseEndNanos, offerEndNanos, bulkhead.nanoTime());
    }

    // An instance may pass permits on among its calls for a moment, before it gives them up.
    private void turn(boolean grants, long now) {
        if (!bulkhead.othersWait) {
            endTurn();
        } else if (grants) {
            bulkhead.startTurn(now);
        }
    }

    private void endTurn() {
        bulkhead.inTurn = false;
        stale |= leftInTurn;
    }

    // A permit that was granted, or was not known, may have had other holders since the last block was drawn. Its own block may
    // have been lost with an answer.
    private void takeTokens(boolean grants, long firstToken, int tokens) {
        if (grants) {
            bulkhead.tokens = TokenBlock.NONE;
        }
        // Without a grant, what is left of this block must not be replaced by less.
        if (tokens > bulkhead.tokens.free() && firstToken > highestToken) {
            bulkhead.tokens = new TokenBlock(firstToken, tokens);
            highestToken = firstToken + tokens - 1;
        }
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
        Duration leaseEnd = nearestLeaseEnd();
        for (PendingCall call : bulkhead.immediate.stated()) {
            if (position.graceMillis() > 0) {
                then.add(() -> call.delayed(new BulkheadUnavailableException(bulkhead.id.name(),
                        "Redis has just started or failed over, and waits for its instances to state which permits they hold",
                        new StoreException("in the grace period", null))));
                continue;
            }
            bulkhead.remove(call);
            if (position.recalled() > 0 && call.weight() <= limit && !tokensShort) {
                call.waits = true;
                call.briefly = true;
                bulkhead.line.add(call);
                then.add(() -> call.placedBriefly(limit));
            } else {
                then.add(() -> call.rejected(call.full(limit, leaseEnd)));
            }
        }
        if (full) {
            // Those that came meanwhile would need another statement, during which more would come.
            long now = bulkhead.nanoTime();
            bulkhead.immediate.all().stream().filter(call -> isFull(call.definition().spec(), now)).forEach(call -> {
                bulkhead.remove(call);
                then.add(() -> call.rejected(call.full(limit, leaseEnd)));
            });
        }
    }

    // ---- Failures

    private void failed(Throwable failure, List<Runnable> then) {
        inFlight = null;
        unanswered = true;
        lastFailure = failure;
        long now = bulkhead.nanoTime();
        backoff = backoff == null ? new Backoff(FIRST_PAUSE, LONGEST_PAUSE, around.random) : backoff;
        long pause = backoff.next().toNanos();
        if (bulkhead.share > 0) {
            long left = Math.max(0, bulkhead.validUntilNanos - now) / TRIES_WHILE_IT_LASTS;
            pause = Math.min(pause, Math.max(SHORTEST_PAUSE.toNanos(), Math.min(bulkhead.leaseNanos / TRIES_PER_LEASE, left)));
            int inUse = bulkhead.inUse;
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

    // Null after a reconnection, which says nothing about the statement.
    private static boolean wasRefused(Throwable failure) {
        return failure != null && !StoreFailures.isRetryable(failure) && !StoreFailures.isAway(failure);
    }

    private void rejectCalls(Throwable failure, List<Runnable> then) {
        boolean mayPass = StoreFailures.isRetryable(failure);
        // Also those that the statement did not contain: they would learn the same from the next one.
        for (PendingCall call : bulkhead.calls()) {
            if (mayPass && call.waits) {
                int limit = bulkhead.limit;
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
        int confirmed = bulkhead.share - offered;
        if (offered > 0 && confirmed > 0 && leaseEndNanos - now > 0) {
            // Not returned: the store may have taken the offer back, or made it part of the share.
            int over = offered;
            bulkhead.returning = Math.max(0, Math.min(bulkhead.returning, confirmed - bulkhead.inUse));
            bulkhead.loseBeyond(confirmed, Reason.LEASE_ENDED, then);
            giveBack(over);
            offered = 0;
            shareMayBeUsed();
        } else {
            bulkhead.loseBeyond(0, Reason.LEASE_ENDED, then);
            // Its answer would be about executions that are lost.
            inFlight = null;
            epoch = 0;
            granted = 0;
            returned = 0;
            revoked = 0;
            offered = 0;
            bulkhead.share = 0;
            bulkhead.returning = 0;
            bulkhead.keeps = false;
            transfers.leaseOver(then);
        }
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
                stale |= !takeOffer(offer, now, then);
            } else {
                stale = true;
                if (message instanceof Recalled recall) {
                    bulkhead.keeps = false;
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
        long more = offer.granted() - granted;
        if (!isRecent || epoch == 0 || offer.epoch() != epoch || more <= 0 || basis + OFFER_NANOS - now <= 0
                || offer.revoked() != revoked || around.isStopping() || transfers.isAttaching() || isForged(offer, more)) {
            return false;
        }
        granted = offer.granted();
        bulkhead.share += (int) more;
        offerEndNanos = offered == 0 ? basis + OFFER_NANOS
                : Bulkhead.earlier(offerEndNanos, basis + OFFER_NANOS, now);
        confirmNanos = offered == 0 ? now + CONFIRMATION_NANOS : confirmNanos;
        offered += (int) more;
        shareMayBeUsed();
        bulkhead.served = Math.max(bulkhead.served, offer.served());
        bulkhead.othersWait = offer.othersWait();
        takeTokens(true, offer.firstToken(), offer.tokens());
        turn(true, now);
        serveWith((int) more, now, then);
        return true;
    }

    // Any client that may publish can send any number. What an instance takes over it states, and the store adopts tickets.
    private boolean isForged(Granted offer, long more) {
        return more > bulkhead.limit || offer.firstToken() - highestToken > FARTHEST_TOKEN;
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
            full = false;
            retryNanos = bulkhead.nanoTime();
            // What the server before has answered or offered does not count any more.
            unanswered |= inFlight != null;
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
            stale |= bulkhead.keeps;
        }
        flush();
    }

    /** Nothing idle stays here, and none of it serves a call any more, even if the store does not answer. */
    void returnIdle() {
        synchronized (bulkhead) {
            bulkhead.keeps = false;
            bulkhead.returning += Math.max(0, bulkhead.idle());
        }
        flush();
    }

    /** The store has become unavailable, or available again: tries without a pause. */
    void reconsider() {
        synchronized (bulkhead) {
            stale |= isConcerned();
            full = false;
            retryNanos = bulkhead.nanoTime();
        }
        flush();
    }

    // ---- Time

    /** Within the lock: what is due; returns when to look again. */
    long tick(long now) {
        if (inFlight == null) {
            stale |= bulkhead.share > 0 && sentNanos + renewalInterval() - now <= 0;
            stale |= (needsInStore || !bulkhead.line.isEmpty()) && sentNanos + WAITING_INTERVAL_NANOS - now <= 0;
            if (askAgain && askAgainNanos - now <= 0) {
                askAgain = false;
                stale |= !bulkhead.line.isEmpty() || !bulkhead.immediate.isEmpty();
            }
        }
        if (bulkhead.inTurn && !bulkhead.isInTurn(now)) {
            endTurn();
        }
        closeWindow(now);
        transfers.forget(now);
        return next(now);
    }

    private long renewalInterval() {
        return bulkhead.leaseNanos / RENEWALS_PER_LEASE;
    }

    // What was idle for a whole window goes back.
    private void closeWindow(long now) {
        if (!bulkhead.keeps || bulkhead.share == 0) {
            windowOpen = false;
            return;
        }
        if (!windowOpen || windowEndNanos - now <= 0) {
            if (windowOpen && !unanswered && inFlight == null) {
                bulkhead.returning += Math.max(0, Math.min(bulkhead.fewestIdle, bulkhead.idle()));
            }
            windowOpen = true;
            // On a grid, so that many bulkheads return their permits in one go, which costs Redis less.
            long grid = Math.max(1, bulkhead.keepIdleNanos / 100);
            windowEndNanos = now + bulkhead.keepIdleNanos;
            windowEndNanos += Math.floorMod(-windowEndNanos, grid);
            bulkhead.fewestIdle = Math.max(0, bulkhead.idle());
        }
    }

    private void plan(long now) {
        closeWindow(now);
        bulkhead.plan(next(now));
    }

    private long next(long now) {
        long next = now + WAITING_INTERVAL_NANOS;
        if (bulkhead.share > 0) {
            next = Bulkhead.earlier(next, bulkhead.validUntilNanos, now);
            if (inFlight == null && !unanswered) {
                next = Bulkhead.earlier(next, sentNanos + renewalInterval(), now);
            }
        }
        if (windowOpen) {
            next = Bulkhead.earlier(next, windowEndNanos, now);
        }
        if (bulkhead.inTurn) {
            next = Bulkhead.earlier(next, bulkhead.turnEndsNanos, now);
        }
        if (offered > 0 && inFlight == null && !unanswered) {
            next = Bulkhead.earlier(next, confirmNanos, now);
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
     * no other was free a moment ago. Where releases are awaited, a call finds each permit that was released before.
     */
    boolean isFull(SemaphoreSpec call, long now) {
        boolean nothingIsFree = full && fullUntilNanos - now > 0
                && bulkhead.share == bulkhead.inUse && !call.awaitRelease();
        return knowsLimit() && (nothingIsFree || call.weight() > bulkhead.limit - bulkhead.inUse);
    }

    // A call that declared a lower limit may have come between two calls that declare the same.
    boolean knowsLimit() {
        return answeredLimit == bulkhead.declared && (resized || bulkhead.limit == answeredLimit);
    }

    boolean isResized() {
        return resized;
    }

    Duration nearestLeaseEnd() {
        long now = bulkhead.nanoTime();
        return askAgain && askAgainNanos - now > 0 && !graceEnds ? Duration.ofNanos(askAgainNanos - now)
                : Duration.ofNanos(bulkhead.share == 0 ? bulkhead.leaseNanos
                        : Math.max(0, Math.min(leaseEndNanos + bulkhead.marginNanos - now, bulkhead.leaseNanos)));
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

    /** Whether more tokens should be asked for. */
    boolean tokenDrawn() {
        tokensDrawn++;
        if (bulkhead.tokens.free() >= enoughTokens() / 2 && bulkhead.tokens.free() > 0) {
            return false;
        }
        boolean first = !tokensShort;
        tokensShort = true;
        return first;
    }

    /** Nothing is to be stated or answered. */
    boolean isIdle() {
        return inFlight == null && !planned && transfers.isEmpty() && awaiting.isEmpty() && !needsInStore;
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
            if (inFlight != null && inFlight.statement().returned() == returned && bulkhead.returning == 0
                    && (bulkhead.keeps || bulkhead.idle() <= 0) && transfers.haveLeft()) {
                inFlight.awaiting().add(answer);
                return StoreFailures.translate(bulkhead.id.name(), answer);
            }
        }
        return confirmed();
    }

    /** Without the lock: completes when the store knows that all is returned, or gave no answer. Never fails. */
    CompletionStage<Void> settled() {
        return confirmed().handle((done, failure) -> failure == null).thenCompose(answered -> {
            boolean again;
            synchronized (bulkhead) {
                again = answered && bulkhead.share > 0;
            }
            return again ? settled() : CompletableFuture.completedFuture(null);
        });
    }

    void close(List<Runnable> then) {
        closed = true;
        List<CompletableFuture<Void>> promises = List.copyOf(awaiting);
        awaiting.clear();
        then.add(() -> promises.forEach(promise -> promise.completeExceptionally(stopping())));
    }

    private static StoreException stopping() {
        return new StoreException("the application is stopping", null);
    }
}
