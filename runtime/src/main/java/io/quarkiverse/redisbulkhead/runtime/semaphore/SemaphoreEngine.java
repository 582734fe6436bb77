package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

import io.quarkiverse.redisbulkhead.PermitLost.Reason;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadsInUse;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.Gone;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.HandedOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.NoticesMissed;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.PermitFree;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.Reconnected;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.Revoked;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;

/**
 * All semaphores over one store: creates what their requests work with, passes the store's notices on, and stops. Thread-safe.
 */
public final class SemaphoreEngine {

    private final PermitStore store;
    // Null for the store of this process.
    private final SemaphoreEngine fallback;
    private final InFlightCounter requests = new InFlightCounter();
    private final LeaseRenewer renewer;
    private final PermitRequest.Dependencies dependencies;
    private final PermitAttacher attacher;

    // Tests look at these.
    final PermitReconciler reconciler;
    final PermitReturns returns;
    final WaiterRegistry waiters;
    final WaiterLimits limits;

    /**
     * An engine over the store that processes share. Its waiting calls and those of the fallback are counted together.
     *
     * @param store where permits live
     * @param timers the clock
     * @param identity who acquires permits here
     * @param listener receives events
     * @param fallback over a store of this process, for bulkheads with the outage policy {@code local}
     */
    public SemaphoreEngine(PermitStore store, Timers timers, HolderIdentity identity, SemaphoreListener listener,
            SemaphoreEngine fallback) {
        this(store, timers, identity, listener, true, fallback, fallback.limits,
                () -> ThreadLocalRandom.current().nextDouble());
    }

    /**
     * An engine over a store of this process, which is never away.
     *
     * @param store where permits live
     * @param timers the clock
     * @param identity who acquires permits here
     * @param listener receives events
     * @param fenced whether tickets are fencing tokens; not when another store issues them, too
     * @param limits bounds the waiting calls
     */
    public SemaphoreEngine(PermitStore store, Timers timers, HolderIdentity identity, SemaphoreListener listener,
            boolean fenced, WaiterLimits limits) {
        this(store, timers, identity, listener, fenced, null, limits, () -> ThreadLocalRandom.current().nextDouble());
    }

    SemaphoreEngine(PermitStore store, Timers timers, HolderIdentity identity, SemaphoreListener listener,
            boolean fenced, SemaphoreEngine fallback, WaiterLimits limits, DoubleSupplier random) {
        this.store = store;
        this.fallback = fallback;
        this.limits = limits;
        this.returns = new PermitReturns(store, timers);
        this.renewer = new LeaseRenewer(store, timers, listener);
        this.reconciler = new PermitReconciler(store, timers);
        this.waiters = new WaiterRegistry(store, timers, random);
        LeasedPermit.Dependencies permits = new LeasedPermit.Dependencies(store, timers, renewer, returns, reconciler, requests,
                listener, fenced);
        this.dependencies = new PermitRequest.Dependencies(store, timers, identity, waiters, limits, returns, reconciler,
                requests, listener, permits, fallback == null ? null : fallback.dependencies);
        this.attacher = new PermitAttacher(permits, identity);
        store.listen(this::notice, new LimitMismatchLogger()::log);
    }

    private void notice(Notice notice) {
        if (notice instanceof HandedOver handedOver) {
            waiters.handedOver(handedOver);
        } else if (notice instanceof PermitFree free) {
            waiters.permitFree(free);
        } else if (notice instanceof Revoked revoked) {
            renewer.lose(revoked.permitId(), Reason.REVOKED);
        } else if (notice instanceof Gone gone) {
            renewer.lose(gone.permitId(), Reason.GONE);
        } else if (notice instanceof NoticesMissed) {
            waiters.noticesMissed();
        } else if (notice instanceof Reconnected) {
            returns.reconnected();
            reconciler.reconnected();
        }
    }

    /**
     * A semaphore. Creating one is cheap; all with the same name share their permits.
     *
     * @param spec what it is
     * @return the semaphore
     */
    public Semaphore semaphore(SemaphoreSpec spec) {
        return new Semaphore(SemaphoreDefinition.of(spec), dependencies, attacher, true);
    }

    /**
     * A semaphore that limits nothing. Otherwise it works as any other.
     *
     * @param spec what it would be
     * @return the semaphore
     */
    public Semaphore openSemaphore(SemaphoreSpec spec) {
        return new Semaphore(SemaphoreDefinition.of(spec), dependencies, attacher, false);
    }

    /**
     * The holders and waiters of all processes.
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
     * @param most how many to return
     * @return the bulkheads; fails as the store does
     */
    public CompletionStage<BulkheadsInUse> inUse(int most) {
        return store.inUse(most);
    }

    /**
     * The bulkheads, and keys of bulkheads, at which this process holds permits or waits, without a request to the store.
     *
     * @return in no order
     */
    public Set<BulkheadId> inUseHere() {
        Set<BulkheadId> here = new HashSet<>(renewer.bulkheads());
        here.addAll(waiters.bulkheads());
        return here;
    }

    /** Refuses new requests from now on, and rejects all that wait. Executions that hold their permits continue. */
    public void refuseAndRejectWaiters() {
        requests.stop();
        waiters.stop();
        if (fallback != null) {
            fallback.refuseAndRejectWaiters();
        }
    }

    /**
     * Releases all permits that are still held, whether their executions have ended or not, and those granted to requests in
     * flight. To be called after {@link #refuseAndRejectWaiters()}.
     *
     * @return completes when the store has answered the releases, or they are left to the ends of the leases because it does
     *         not answer; never fails
     */
    public CompletionStage<Void> releaseAll() {
        return requests.idle().thenCompose(none -> {
            renewer.all().forEach(LeaseRenewer.Lease::releaseRunning);
            renewer.stop();
            return requests.idle().thenCompose(done -> returns.idle());
        }).thenRun(reconciler::stop).thenCompose(
                done -> fallback == null ? CompletableFuture.completedStage(null) : fallback.releaseAll());
    }

    /** Ends the work in the background. What is not released yet is free when its lease ends. */
    public void close() {
        requests.stop();
        returns.close();
        reconciler.stop();
        if (fallback != null) {
            fallback.close();
        }
    }
}
