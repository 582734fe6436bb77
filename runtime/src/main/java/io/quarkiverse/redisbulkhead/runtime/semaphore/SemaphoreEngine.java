package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.HashSet;
import java.util.List;
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
import io.quarkiverse.redisbulkhead.runtime.store.PermitTerms;

/**
 * All semaphores over one store: creates what their requests work with, passes the store's notices on, and stops. Thread-safe.
 */
public final class SemaphoreEngine implements Engine {

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
        return new Semaphore(this, spec, true);
    }

    /**
     * A semaphore that limits nothing. Otherwise it works as any other.
     *
     * @param spec what it would be
     * @return the semaphore
     */
    public Semaphore openSemaphore(SemaphoreSpec spec) {
        return new Semaphore(this, spec, false);
    }

    @Override
    public Calls calls(SemaphoreDefinition bulkhead) {
        return new PermitCalls(bulkhead);
    }

    private final class PermitCalls implements Calls {

        private final SemaphoreDefinition bulkhead;
        // Those of the last call, as each guarded method has its own semaphore. Threads that race make the same.
        private PermitTerms lastTerms;

        private PermitCalls(SemaphoreDefinition bulkhead) {
            this.bulkhead = bulkhead;
        }

        @Override
        public Admission begin(String method, WaitsOn waitsOn, InFlightCounter executions, CallListener call,
                List<HeldPermit> heldByCallers) {
            PermitTerms terms = lastTerms;
            if (terms == null || !terms.method().equals(method)) {
                terms = dependencies.terms(bulkhead, method);
                lastTerms = terms;
            }
            return PermitRequest.begin(dependencies, bulkhead, terms, waitsOn, executions, call, heldByCallers);
        }
    }

    @Override
    public CallListener onCall(BulkheadId bulkhead, String method) {
        return dependencies.listener().onCall(bulkhead, method);
    }

    @Override
    public HeldPermit uncountedPermit(BulkheadId bulkhead) {
        return new UncountedPermit(bulkhead, CallListener.NONE, dependencies.timers());
    }

    @Override
    public CompletionStage<HeldPermit> attach(SemaphoreDefinition bulkhead, String token, String method) {
        return attacher.attach(bulkhead, token, method);
    }

    // After the releases of this process, so that a caller does not see the permit of its last call.
    @Override
    public CompletionStage<Occupancy> occupancy(BulkheadId bulkhead, int most) {
        return returns.behind(bulkhead).thenCompose(none -> store.occupancy(bulkhead, most));
    }

    @Override
    public CompletionStage<Boolean> revoke(BulkheadId bulkhead, String permitId) {
        return store.revoke(bulkhead, permitId);
    }

    @Override
    public CompletionStage<Void> resize(BulkheadId bulkhead, int permits) {
        return store.resize(bulkhead, permits);
    }

    @Override
    public CompletionStage<Boolean> resetSize(BulkheadId bulkhead) {
        return store.resetSize(bulkhead);
    }

    @Override
    public CompletionStage<BulkheadsInUse> inUse(int most) {
        return store.inUse(most);
    }

    @Override
    public Set<BulkheadId> inUseHere() {
        Set<BulkheadId> here = new HashSet<>(renewer.bulkheads());
        here.addAll(waiters.bulkheads());
        return here;
    }

    @Override
    public void refuseAndRejectWaiters() {
        requests.stop();
        waiters.stop();
        if (fallback != null) {
            fallback.refuseAndRejectWaiters();
        }
    }

    // And those granted to requests in flight.
    @Override
    public CompletionStage<Void> releaseAll() {
        return requests.idle().thenCompose(none -> {
            renewer.all().forEach(LeaseRenewer.Lease::releaseRunning);
            renewer.stop();
            return requests.idle().thenCompose(done -> returns.idle());
        }).thenRun(reconciler::stop).thenCompose(
                done -> fallback == null ? CompletableFuture.completedStage(null) : fallback.releaseAll());
    }

    @Override
    public void close() {
        requests.stop();
        returns.close();
        reconciler.stop();
        if (fallback != null) {
            fallback.close();
        }
    }
}
