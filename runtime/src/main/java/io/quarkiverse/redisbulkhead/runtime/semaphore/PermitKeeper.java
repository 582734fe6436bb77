package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.PermitLost.Reason;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.Weights;

/**
 * Renews the permits that this process holds, all of one bulkhead in one command, when the first of them has lived for a
 * third of its lease. A renewal that fails is tried again until the lease has ended; then, and only then, or when the
 * store says so, the permit is lost. Safe for use by many threads.
 */
final class PermitKeeper {

    private static final Logger LOG = Logger.getLogger(PermitKeeper.class);

    private static final int TRIES_PER_LEASE = 12;

    // What is left may be short: of the first lease after a hand-over, or near the end.
    private static final int TRIES_WHILE_IT_LASTS = 4;
    private static final Duration SHORTEST_GAP = Duration.ofMillis(10);

    // So many bulkheads keep their alarm when their last permit goes. Beyond that, each call plans one and unplans it.
    private static final int MOST_AT_REST = 100;

    private final PermitStore store;
    private final Timers timers;
    private final SemaphoreListener listener;
    private final Map<BulkheadId, KeptPermits> kept = new ConcurrentHashMap<>();
    private final Function<BulkheadId, KeptPermits> open;
    private volatile boolean stopping;

    PermitKeeper(PermitStore store, Timers timers, SemaphoreListener listener) {
        this.store = store;
        this.timers = timers;
        this.listener = listener;
        this.open = bulkhead -> new KeptPermits(bulkhead, timers, this::round);
    }

    /** Renews a permit from now on. */
    void keep(LeasedPermit permit) {
        BulkheadId bulkhead = permit.bulkheadId();
        KeptPermits here = kept.get(bulkhead);
        while (here == null || !here.add(permit)) {
            if (here != null) {
                kept.remove(bulkhead, here);
            }
            here = kept.computeIfAbsent(bulkhead, open);
        }
    }

    /** Does not renew a permit any more. */
    void forget(LeasedPermit permit) {
        KeptPermits here = kept.get(permit.bulkheadId());
        if (here != null && here.remove(permit) && (stopping || kept.size() > MOST_AT_REST)) {
            close(here);
        }
    }

    // When there is no permit; who comes at the same moment opens another one.
    private void close(KeptPermits here) {
        if (here.closeIfEmpty()) {
            kept.remove(here.bulkhead(), here);
        }
    }

    /** The application stops: no bulkhead keeps its alarm any more when its last permit goes. */
    void stop() {
        stopping = true;
        kept.values().forEach(this::close);
    }

    /** Whether the permit of that id is held here. */
    boolean keeps(BulkheadId bulkhead, String permitId) {
        KeptPermits here = kept.get(bulkhead);
        return here != null && here.contains(permitId);
    }

    /** Renews one permit at once; {@code false} when it is lost. */
    CompletionStage<Boolean> renewNow(LeasedPermit permit) {
        long sentAt = timers.nanoTime();
        Duration lease = permit.nextLease(sentAt);
        return store.renew(permit.bulkheadId(), Map.of(permit.id(), lease)).thenApply(gone -> {
            if (gone.isEmpty()) {
                permit.renewedUntil(sentAt + lease.toNanos());
            } else {
                forget(permit);
                permit.lose(Reason.GONE);
            }
            return permit.isHeld();
        });
    }

    /** An operator has taken a permit away, which may or may not be one of these. */
    void revoked(String permitId) {
        for (KeptPermits here : kept.values()) {
            List<LeasedPermit> found = here.takeOut(permitId);
            if (!found.isEmpty()) {
                close(here);
                found.forEach(permit -> permit.lose(Reason.REVOKED));
            }
        }
    }

    /** Where permits are held now. */
    Set<BulkheadId> bulkheads() {
        return kept.values().stream().filter(here -> !here.isEmpty()).map(KeptPermits::bulkhead).collect(Collectors.toSet());
    }

    /** All permits that are held now. */
    List<LeasedPermit> all() {
        return kept.values().stream().flatMap(here -> here.all().stream()).toList();
    }

    /** Tells of a loss. */
    void report(PermitLost loss) {
        LOG.warnf("The permit of %s in bulkhead '%s' was lost before the execution ended: %s. Another execution may run beside "
                + "it. Permit %s, fencing token %d", loss.method(), loss.bulkhead(), explanation(loss.reason()),
                loss.permitId(), loss.fencingToken());
        listener.lost(loss);
    }

    private static String explanation(Reason reason) {
        return switch (reason) {
            case LEASE_ENDED -> "its lease ended, because the process was paused or the store gave no answer";
            case MAX_HOLD -> "it was held for longer than max-hold";
            case REVOKED -> "it was revoked";
            case STOPPED -> "the application stops, and has given it back";
            case GONE ->
                "the store does not know it any more, because it was revoked, its lease ended during a pause, or data was "
                        + "lost";
        };
    }

    private void round(KeptPermits here) {
        KeptPermits.Due due = here.due();
        close(here);
        batches(due.renewed()).forEach(batch -> renew(here, batch));
        due.ended().forEach(permit -> permit.lose(permit.reasonOfLeaseEnd()));
    }

    // By weight, which is what a renewal costs the store.
    private static List<List<LeasedPermit>> batches(List<LeasedPermit> permits) {
        List<List<LeasedPermit>> batches = new ArrayList<>();
        int from = 0;
        int weight = 0;
        for (int i = 0; i < permits.size(); i++) {
            int next = Weights.of(permits.get(i).id());
            if (i > from && weight + next > PermitStore.MAX_RENEWED_AT_ONCE) {
                batches.add(permits.subList(from, i));
                from = i;
                weight = 0;
            }
            weight += next;
        }
        if (from < permits.size()) {
            batches.add(permits.subList(from, permits.size()));
        }
        return batches;
    }

    private void renew(KeptPermits here, List<LeasedPermit> permits) {
        long sentAt = timers.nanoTime();
        Map<String, Duration> leases = new HashMap<>();
        permits.forEach(permit -> leases.put(permit.id(), permit.nextLease(sentAt)));
        store.renew(here.bulkhead(), leases).whenComplete((gone, failure) -> {
            if (failure == null) {
                renewed(here, permits, leases, gone, sentAt);
            } else {
                tryAgain(here, permits);
                listener.renewalFailed(here.bulkhead(), leases.size(), Failures.cause(failure));
            }
        });
    }

    private void renewed(KeptPermits here, List<LeasedPermit> permits, Map<String, Duration> leases, Set<String> gone,
            long sentAt) {
        List<LeasedPermit> lost = here.renewed(permits, permit -> gone.contains(permit.id()), permit -> {
            permit.renewedUntil(sentAt + leases.get(permit.id()).toNanos());
            permit.renewAt = sentAt + permit.renewalInterval();
        });
        close(here);
        lost.forEach(permit -> permit.lose(Reason.GONE));
    }

    private void tryAgain(KeptPermits here, List<LeasedPermit> permits) {
        long now = timers.nanoTime();
        here.renewed(permits, permit -> false, permit -> permit.renewAt = now
                + Math.max(SHORTEST_GAP.toNanos(), Math.min(permit.lease().toNanos() / TRIES_PER_LEASE,
                        (permit.leaseEndNanos() - now) / TRIES_WHILE_IT_LASTS)));
        close(here);
    }
}
