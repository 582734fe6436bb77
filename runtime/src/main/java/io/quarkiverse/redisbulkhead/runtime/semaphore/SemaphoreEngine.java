package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadsInUse;
import io.quarkiverse.redisbulkhead.runtime.store.InProcessPermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.HandedOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.LimitsDiffer;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.NoticesMissed;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.PermitFree;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.Reconnected;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.Revoked;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;

/**
 * What all semaphores over one store share: who waits, who holds, and what is to be given back. Safe for use by many
 * threads.
 */
public final class SemaphoreEngine {

    private final PermitStore store;
    // Null when the store is not in this process.
    private final InProcessPermitStore inProcess;
    private final Timers timers;
    private final HolderIdentity identity;
    private final SemaphoreListener listener;
    private final boolean fenced;
    private final Optional<SemaphoreEngine> fallback;
    private final WaitingCalls waitingCalls;
    private final DoubleSupplier random;
    private final PermitIds ids = new PermitIds();
    private final PermitReclaimer reclaimer;
    private final PermitReturns returns;
    private final PermitKeeper keeper;
    private final PermitReconciler reconciler;
    private final WaitingRoom room;
    private final UnderWay underWay = new UnderWay();
    private final PermitHandOver handOver = new PermitHandOver(this);
    private final DisagreementLog disagreements = new DisagreementLog();
    private volatile boolean stopping;

    /**
     * An engine over the store that processes share. Its waiting calls and those of the fallback are counted together.
     *
     * @param store where permits live
     * @param timers the clock
     * @param identity who takes permits here
     * @param listener told what happens
     * @param fallback over a store of this process, for bulkheads that go by that while the store is away
     */
    public SemaphoreEngine(PermitStore store, Timers timers, HolderIdentity identity, SemaphoreListener listener,
            SemaphoreEngine fallback) {
        this(store, timers, identity, listener, true, Optional.of(fallback), fallback.waitingCalls,
                () -> ThreadLocalRandom.current().nextDouble());
    }

    /**
     * An engine over a store of this process, which is never away. Any number of calls may wait.
     *
     * @param store where permits live
     * @param timers the clock
     * @param identity who takes permits here
     * @param listener told what happens
     * @param fenced whether tickets count as fencing tokens; not when another store gives them, too
     */
    public SemaphoreEngine(PermitStore store, Timers timers, HolderIdentity identity, SemaphoreListener listener,
            boolean fenced) {
        this(store, timers, identity, listener, fenced, new WaitingCalls(Integer.MAX_VALUE));
    }

    /**
     * An engine over a store of this process, which is never away.
     *
     * @param store where permits live
     * @param timers the clock
     * @param identity who takes permits here
     * @param listener told what happens
     * @param fenced whether tickets count as fencing tokens; not when another store gives them, too
     * @param waitingCalls bounds the calls that wait
     */
    public SemaphoreEngine(PermitStore store, Timers timers, HolderIdentity identity, SemaphoreListener listener,
            boolean fenced, WaitingCalls waitingCalls) {
        this(store, timers, identity, listener, fenced, Optional.empty(), waitingCalls,
                () -> ThreadLocalRandom.current().nextDouble());
    }

    SemaphoreEngine(PermitStore store, Timers timers, HolderIdentity identity, SemaphoreListener listener, boolean fenced,
            Optional<SemaphoreEngine> fallback, DoubleSupplier random) {
        this(store, timers, identity, listener, fenced, fallback,
                fallback.map(SemaphoreEngine::waitingCalls).orElseGet(() -> new WaitingCalls(Integer.MAX_VALUE)), random);
    }

    private SemaphoreEngine(PermitStore store, Timers timers, HolderIdentity identity, SemaphoreListener listener,
            boolean fenced, Optional<SemaphoreEngine> fallback, WaitingCalls waitingCalls, DoubleSupplier random) {
        this.store = store;
        this.inProcess = store instanceof InProcessPermitStore here ? here : null;
        this.timers = timers;
        this.identity = identity;
        this.listener = listener;
        this.fenced = fenced;
        this.fallback = fallback;
        this.waitingCalls = waitingCalls;
        this.random = random;
        this.reclaimer = new PermitReclaimer(store, timers);
        this.returns = new PermitReturns(store, reclaimer, underWay);
        this.keeper = new PermitKeeper(store, timers, listener);
        this.reconciler = new PermitReconciler(store, timers);
        this.room = new WaitingRoom(store, timers, random);
        store.listen(this::notice);
    }

    private void notice(Notice notice) {
        if (notice instanceof HandedOver handedOver) {
            room.handedOver(handedOver);
        } else if (notice instanceof PermitFree free) {
            room.permitFree(free);
        } else if (notice instanceof Revoked revoked) {
            keeper.revoked(revoked.permitId());
        } else if (notice instanceof NoticesMissed) {
            room.noticesMissed();
        } else if (notice instanceof Reconnected) {
            reclaimer.reconnected();
            reconciler.reconnected();
        } else if (notice instanceof LimitsDiffer differ) {
            disagreements.tell(differ);
        }
    }

    /**
     * A semaphore. Making one costs nothing; all with the same name share their permits.
     *
     * @param spec what it is
     * @return the semaphore
     */
    public Semaphore semaphore(SemaphoreSpec spec) {
        return new Semaphore(Bulkhead.of(spec), this, true);
    }

    /**
     * A semaphore that limits nothing. It can be looked at and changed as any other.
     *
     * @param spec what it would be
     * @return the semaphore
     */
    public Semaphore openSemaphore(SemaphoreSpec spec) {
        return new Semaphore(Bulkhead.of(spec), this, false);
    }

    /**
     * Who holds and who waits, over all processes.
     *
     * @param bulkhead the bulkhead; any, whether this process uses it or not
     * @param most how many of each to list, from 0 to {@value PermitStore#MAX_LISTED}
     * @return the state; fails as the store does
     */
    public CompletionStage<Occupancy> occupancy(BulkheadId bulkhead, int most) {
        return store.occupancy(bulkhead, most);
    }

    /**
     * The bulkheads, and keys of bulkheads, that any process uses now.
     *
     * @param most how many to tell
     * @return the bulkheads; fails as the store does
     */
    public CompletionStage<BulkheadsInUse> inUse(int most) {
        return store.inUse(most);
    }

    /**
     * The bulkheads, and keys of bulkheads, at which this process holds permits or waits. The store is not asked.
     *
     * @return in no order
     */
    public Set<BulkheadId> inUseHere() {
        Set<BulkheadId> here = new HashSet<>(keeper.bulkheads());
        here.addAll(room.bulkheads());
        return here;
    }

    /** Begins to ask for a permit. */
    Admission admit(Bulkhead bulkhead, String method, WaitsOn waitsOn) {
        SemaphoreSpec spec = bulkhead.spec();
        if (inProcess != null) {
            LeasedPermit atOnce = takeIfFree(bulkhead, method);
            if (atOnce != null) {
                return new GrantedAdmission(atOnce);
            }
        }
        long begunAt = timers.nanoTime();
        Admission byStore = new PermitAdmission(this, bulkhead, method, waitsOn).begin();
        return switch (spec.onOutage()) {
            case REJECT -> byStore;
            case ALLOW -> new FallbackAdmission(byStore, () -> UncountedAdmission.of(bulkhead));
            case LOCAL -> fallback.<Admission> map(local -> new FallbackAdmission(byStore, () -> {
                Duration left = spec.maxWait().minusNanos(timers.nanoTime() - begunAt);
                return local.admit(local(bulkhead, left.isNegative() ? Duration.ZERO : left), method, waitsOn);
            })).orElse(byStore);
        };
    }

    // Null when it is to be asked for in the usual way.
    private LeasedPermit takeIfFree(Bulkhead bulkhead, String method) {
        SemaphoreSpec spec = bulkhead.spec();
        LeaseTerms terms = bulkhead.terms();
        // A shutdown sees the permit at any moment either under way or kept.
        underWay.begin();
        try {
            if (stopping) {
                return null;
            }
            long askedAt = timers.nanoTime();
            String id = ids.nextLocal(spec.weight());
            long ticket = inProcess.takeIfFree(new AcquireRequest(bulkhead.id(), id, spec.permits(), terms.lease(), spec.fair(),
                    Duration.ZERO, identity.application(), identity.instance(), method));
            if (ticket == InProcessPermitStore.NONE_FREE) {
                return null;
            }
            LeasedPermit permit = new LeasedPermit(this, bulkhead, id, method, ticket, false, askedAt,
                    askedAt + terms.leaseNanos(), terms.marginNanos());
            keeper.keep(permit);
            return permit;
        } finally {
            underWay.end();
        }
    }

    private static Bulkhead local(Bulkhead bulkhead, Duration maxWait) {
        SemaphoreSpec spec = bulkhead.spec();
        // A call that weighs more than this process keeps takes all of that.
        return new Bulkhead(bulkhead.id(), spec.toBuilder().permits(spec.localPermits())
                .weight(Math.min(spec.weight(), spec.localPermits())).maxWait(maxWait).build());
    }

    /** Refuses new requests from now on, and rejects all who wait. Executions that hold their permits go on. */
    public void refuseAndRejectWaiters() {
        stopping = true;
        room.stop();
        fallback.ifPresent(SemaphoreEngine::refuseAndRejectWaiters);
    }

    /**
     * Gives all permits back that are still held, whether their executions have ended or not, and those that are granted
     * to requests under way. To be called after {@link #refuseAndRejectWaiters()}.
     *
     * @return completes when that is done, or left to the ends of the leases because the store gives no answer; never
     *         fails
     */
    public CompletionStage<Void> giveAllBack() {
        return underWay.none().thenCompose(ended -> {
            keeper.all().forEach(LeasedPermit::giveBackRunning);
            keeper.stop();
            return underWay.none();
        }).thenRun(reconciler::stop).thenCompose(
                given -> fallback.map(SemaphoreEngine::giveAllBack).orElse(CompletableFuture.completedStage(null)));
    }

    /** Ends the work in the background. What is not given back yet is free when its lease ends. */
    public void close() {
        stopping = true;
        reclaimer.close();
        reconciler.stop();
        fallback.ifPresent(SemaphoreEngine::close);
    }

    boolean isStopping() {
        return stopping;
    }

    PermitStore store() {
        return store;
    }

    Timers timers() {
        return timers;
    }

    SemaphoreListener listener() {
        return listener;
    }

    HolderIdentity identity() {
        return identity;
    }

    boolean fenced() {
        return fenced;
    }

    Backoff newBackoff() {
        return new Backoff(random);
    }

    /** The id of a permit that is going to be asked for. */
    String newPermitId(SemaphoreSpec spec) {
        String id = ids.next(spec.permits(), spec.weight());
        reconciler.register(id);
        return id;
    }

    PermitIds ids() {
        return ids;
    }

    PermitReconciler reconciler() {
        return reconciler;
    }

    PermitReclaimer reclaimer() {
        return reclaimer;
    }

    PermitReturns returns() {
        return returns;
    }

    PermitKeeper keeper() {
        return keeper;
    }

    UnderWay underWay() {
        return underWay;
    }

    PermitHandOver handOver() {
        return handOver;
    }

    WaitingCalls waitingCalls() {
        return waitingCalls;
    }

    WaitingRoom room() {
        return room;
    }
}
