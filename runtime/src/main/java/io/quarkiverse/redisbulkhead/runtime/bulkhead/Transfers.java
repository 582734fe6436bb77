package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.redisbulkhead.PermitLost.Reason;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.SharePermit.State;
import io.quarkiverse.redisbulkhead.runtime.store.Position.Attached;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Attach;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Hold;

/**
 * The permits that leave the share of this instance, to stay in the store in the name of no instance: those that are detached,
 * and those whose execution has ended before their minimum hold. And the permits that join the share, because they are
 * attached. {@link ShareSync} states them until the store has answered. Guarded by the lock of the bulkhead.
 */
final class Transfers {

    /** How many of each a statement has at most; the others follow with the next one. */
    private static final int MOST_STATED = 32;
    private static final int LEASES_REMEMBERED = 2;

    /** A permit that leaves the share to stay in the store in the name of no instance. */
    private static final class Leaving {

        private final SharePermit permit;
        private final String digest;
        private final long endNanos;
        // Null for a permit that was released before its minimum hold was over.
        private CompletableFuture<String> token;
        // Whether it has left the share.
        private boolean counted;

        private Leaving(SharePermit permit, String digest, long endNanos, CompletableFuture<String> token) {
            this.permit = permit;
            this.digest = digest;
            this.endNanos = endNanos;
            this.token = token;
        }
    }

    /** A permit that joins the share. */
    private static final class Joining {

        private final Attach attach;
        private final SemaphoreDefinition definition;
        private final DetachedPermit detached;
        private final String method;
        private final long endNanos;
        // That of this instance which was detached and comes back; null for one that a caller attaches, until it has joined.
        private SharePermit permit;
        // Null as well if the caller was told that this failed, and may try again.
        private CompletableFuture<HeldPermit> promise;
        // Whether a statement that got no answer may have attached it.
        private boolean mayBeAttached;

        private Joining(SemaphoreDefinition definition, DetachedPermit detached, String method, long endNanos,
                SharePermit permit, CompletableFuture<HeldPermit> promise) {
            this.attach = new Attach(detached.permitId(), detached.digest());
            this.definition = definition;
            this.detached = detached;
            this.method = method;
            this.endNanos = endNanos;
            this.permit = permit;
            this.promise = promise;
        }

        private boolean isUnclaimed() {
            return promise == null && permit == null;
        }
    }

    private final Bulkhead bulkhead;
    private final List<Leaving> leaving = new ArrayList<>();
    private final List<Joining> joining = new ArrayList<>();
    // What this instance has attached in this epoch, and until when the store would report it again.
    private final Map<String, Long> attached = new LinkedHashMap<>();
    // What joined the share when its caller had been told that this failed. Released if the caller does not try again.
    private final Map<Attach, Joining> unclaimed = new HashMap<>();

    Transfers(Bulkhead bulkhead) {
        this.bulkhead = bulkhead;
    }

    boolean isEmpty() {
        return leaving.isEmpty() && joining.isEmpty();
    }

    /** Whether permits are to join. What is offered meanwhile would hide whether they have: see ADR 0059. */
    boolean isAttaching() {
        return !joining.isEmpty();
    }

    /** Whether all that leave have left the share. */
    boolean haveLeft() {
        return leaving.stream().allMatch(leave -> leave.counted);
    }

    // ---- Beginning

    void hold(SharePermit permit, String digest, long endNanos) {
        leaving.add(new Leaving(permit, digest, endNanos, null));
    }

    void detach(SharePermit permit, CompletableFuture<String> token) {
        Leaving again = leaving.stream().filter(each -> each.permit == permit).findFirst().orElse(null);
        if (again != null) {
            again.token = token;
        } else {
            leaving.add(new Leaving(permit, permit.detachment.permit.digest(),
                    bulkhead.nanoTime() + permit.definition.terms().leaseNanos(), token));
        }
    }

    void attach(SemaphoreDefinition definition, DetachedPermit detached, String method, CompletableFuture<HeldPermit> promise) {
        Joining join = new Joining(definition, detached, method, bulkhead.nanoTime() + bulkhead.leaseNanos, null, promise);
        Joining before = joining.stream().filter(each -> each.attach.id().equals(join.attach.id())).findFirst().orElse(null);
        Joining joined = unclaimed.remove(join.attach);
        if (joined != null && joined.permit.isHeld()) {
            promise.complete(joined.permit);
        } else if (before != null && before.isUnclaimed() && before.attach.equals(join.attach)) {
            before.promise = promise;
        } else if (before != null || attached.containsKey(detached.permitId())) {
            promise.completeExceptionally(Bulkhead.gone(definition, detached));
        } else {
            joining.add(join);
        }
    }

    // ---- Stating

    /** The permits that leave with the next statement: they count as returned. */
    List<Hold> holds(long now, List<Runnable> then) {
        if (leaving.isEmpty()) {
            return List.of();
        }
        List<Hold> holds = new ArrayList<>();
        leaving.removeIf(leave -> isLost(leave, then));
        for (Leaving leave : leaving) {
            if (holds.size() == MOST_STATED) {
                break;
            }
            SharePermit permit = leave.permit;
            if (!leave.counted) {
                leave.counted = true;
                // If the statement does not arrive, the store ends it with the share.
                if (permit.detachment != null) {
                    permit.detachment.validUntilNanos = bulkhead.share.validUntilNanos();
                }
                bulkhead.leave(permit);
                bulkhead.share.giveBack(permit.weight());
            }
            holds.add(new Hold(permit.id(), permit.weight(), millis(leave.endNanos - now),
                    Math.max(0, TimeUnit.NANOSECONDS.toMillis(now - permit.sinceNanos)), leave.digest, permit.method));
        }
        return holds;
    }

    /** The permits that join with the answer to the next statement. */
    List<Attach> attaches() {
        return joining.isEmpty() ? List.of() : joining.stream().limit(MOST_STATED).map(join -> join.attach).toList();
    }

    // A permit that was to be detached, and was released or lost before that was stated.
    private boolean isLost(Leaving leave, List<Runnable> then) {
        boolean lost = !leave.counted && !leave.digest.isEmpty() && !leave.permit.inUse;
        if (lost && leave.token != null) {
            then.add(() -> leave.token
                    .completeExceptionally(bulkhead.gone(leave.permit, "was released or lost before it was detached")));
        }
        return lost;
    }

    // A minimum hold: if the store has it, it ends there as well.
    private boolean isOver(Leaving leave, long now) {
        boolean isOver = leave.digest.isEmpty() && leave.endNanos - now <= 0;
        if (isOver && !leave.counted) {
            bulkhead.leave(leave.permit);
        }
        return isOver;
    }

    private static long millis(long nanos) {
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos));
    }

    // ---- Answers

    /** What the answer to a statement says about the permits in it. */
    void settle(Statement statement, Map<String, Attached> answered, List<Runnable> then) {
        for (Hold hold : statement.holds()) {
            Leaving leave = leaving.stream().filter(each -> hold.id().equals(each.permit.id)).findFirst().orElse(null);
            if (leave != null) {
                leaving.remove(leave);
                left(leave, Attached.REFUSED.equals(answered.get(hold.id())), then);
            }
        }
        for (Attach attach : statement.attaches()) {
            Joining join = joining.stream().filter(each -> each.attach.equals(attach)).findFirst().orElse(null);
            if (join != null) {
                joining.remove(join);
                joined(join, answered.get(attach.id()), then);
            }
        }
    }

    private void left(Leaving leave, boolean isRefused, List<Runnable> then) {
        SharePermit permit = leave.permit;
        if (leave.digest.isEmpty()) {
            return;
        }
        permit.detaching = false;
        permit.detachment.validUntilNanos = leave.endNanos - bulkhead.marginNanos;
        if (isRefused) {
            bulkhead.loseDetached(permit, Reason.GONE, then);
        }
        if (permit.state == State.HELD && leave.token != null) {
            permit.state = State.DETACHED;
            then.add(() -> {
                permit.fireReleased();
                leave.token.complete(permit.detachment.permit.token());
            });
            return;
        }
        // The caller was told that it failed, or released the permit meanwhile: it comes back, unless it is lost.
        if (leave.token != null) {
            then.add(() -> leave.token
                    .completeExceptionally(bulkhead.gone(permit, "was released or lost before it was detached")));
        }
        if (!isRefused) {
            takeBack(permit);
        }
    }

    /** Within the lock: a permit that was detached comes back to its execution; if that has released it, to the share. */
    void takeBack(SharePermit permit) {
        permit.detaching = permit.state == State.HELD;
        joining.add(new Joining(permit.definition, permit.detachment.permit, permit.method, 0, permit, null));
    }

    private void joined(Joining join, Attached found, List<Runnable> then) {
        SharePermit permit = join.permit;
        CompletableFuture<HeldPermit> promise = join.promise;
        if (found == null) {
            if (permit != null) {
                bulkhead.loseDetached(permit, Reason.GONE, then);
            } else if (promise != null) {
                then.add(() -> promise.completeExceptionally(Bulkhead.gone(join.definition, join.detached)));
            }
            return;
        }
        long now = bulkhead.nanoTime();
        if (permit == null) {
            attached.put(join.attach.id(), now + LEASES_REMEMBERED * bulkhead.leaseNanos);
            SemaphoreDefinition definition = join.definition.attached(found.weight());
            SharePermit own = new SharePermit(bulkhead, definition, join.method,
                    now - TimeUnit.MILLISECONDS.toNanos(found.startedMillis()), null, false);
            bulkhead.join(own);
            if (promise != null) {
                then.add(() -> promise.complete(own));
            } else {
                join.permit = own;
                unclaimed.put(join.attach, join);
            }
            return;
        }
        permit.detaching = false;
        if (permit.state == State.HELD) {
            bulkhead.join(permit);
        } else {
            bulkhead.share.startReturning(found.weight());
        }
    }

    /** The statement failed for a reason that does not pass in a moment. */
    void fail(Throwable failure, List<Runnable> then) {
        for (Leaving leave : leaving) {
            CompletableFuture<String> token = leave.token;
            if (token != null) {
                // It may have been detached; when the store answers, the permit comes back, unless the caller tries again.
                leave.token = null;
                leave.permit.detaching = false;
                then.add(() -> token.completeExceptionally(StoreFailures.rejection(bulkhead.id.name(), failure)));
            }
        }
        for (Joining join : List.copyOf(joining)) {
            CompletableFuture<HeldPermit> promise = join.promise;
            if (promise != null) {
                join.promise = null;
                then.add(() -> promise.completeExceptionally(StoreFailures.rejection(bulkhead.id.name(), failure)));
            }
        }
        // Otherwise, the caller gets it when it tries again.
        joining.removeIf(join -> join.isUnclaimed() && !join.mayBeAttached);
    }

    /** A statement got no answer. */
    void mayHaveArrived(Statement statement) {
        for (Joining join : joining) {
            join.mayBeAttached |= statement.attaches().contains(join.attach);
        }
    }

    /** The lease of the share has ended. A minimum hold is stated nevertheless, as long as it lasts. */
    void leaseOver() {
        newEpoch();
        for (Leaving leave : leaving) {
            if (!leave.counted && leave.digest.isEmpty()) {
                leave.counted = true;
                bulkhead.leave(leave.permit);
            }
        }
    }

    /** The share has become smaller: minimum holds that were not stated yet end, until no more than that is in use. */
    void endHoldsBeyond(int mostInUse) {
        leaving.removeIf(leave -> {
            boolean ends = bulkhead.share.inUse() > mostInUse && !leave.counted && leave.digest.isEmpty();
            if (ends) {
                bulkhead.leave(leave.permit);
            }
            return ends;
        });
    }

    /** The store has begun a new epoch, which knows of no attaching. */
    void newEpoch() {
        attached.clear();
    }

    /** Forgets what the store has forgotten, and ends the leases of permits that are being detached or taken back. */
    void tick(long now, List<Runnable> then) {
        for (Leaving leave : leaving) {
            if (leave.counted && leave.permit.isOver(now)) {
                bulkhead.loseDetached(leave.permit, Reason.LEASE_ENDED, then);
            }
        }
        for (Joining join : joining) {
            if (join.permit != null && join.permit.isOver(now)) {
                bulkhead.loseDetached(join.permit, Reason.LEASE_ENDED, then);
            }
        }
        leaving.removeIf(leave -> isOver(leave, now));
        joining.removeIf(join -> join.isUnclaimed() && join.endNanos - now <= 0);
        for (Joining join : List.copyOf(unclaimed.values())) {
            if (join.endNanos - now <= 0) {
                unclaimed.remove(join.attach);
                then.add(join.permit::release);
            }
        }
        attached.values().removeIf(until -> until - now <= 0);
    }
}
