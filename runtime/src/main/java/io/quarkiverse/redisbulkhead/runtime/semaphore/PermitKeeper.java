package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.PermitLost.Reason;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;

/**
 * Renews the permits that this process holds, all of one bulkhead in one command, when the first of them has lived for a
 * third of its lease. A renewal that fails is tried again until the lease has ended; then, and only then, or when the
 * store says so, the permit is lost. Safe for use by many threads.
 */
final class PermitKeeper {

    private static final Logger LOG = Logger.getLogger(PermitKeeper.class);

    private static final int RENEWALS_PER_LEASE = 3;
    private static final int TRIES_PER_LEASE = 12;
    private static final Duration SHORTEST_GAP = Duration.ofMillis(10);

    private final PermitStore store;
    private final Timers timers;
    private final Availability availability;
    private final SemaphoreListener listener;

    // A value is changed within compute() only, so by one thread at a time, and is in the map while it keeps a permit.
    private final Map<BulkheadId, Kept> kept = new ConcurrentHashMap<>();

    /** The permits of one bulkhead. */
    private static final class Kept {

        private final Map<String, Entry> entries = new LinkedHashMap<>();
        private final Alarm alarm;

        private Kept(Timers timers) {
            this.alarm = new Alarm(timers);
        }
    }

    private static final class Entry {

        private final LeasedPermit permit;
        private long renewAt;
        private boolean renewing;

        private Entry(LeasedPermit permit, long renewAt) {
            this.permit = permit;
            this.renewAt = renewAt;
        }

        private long nextEvent() {
            long end = permit.leaseEndNanos();
            return renewing || renewAt - end > 0 ? end : renewAt;
        }
    }

    PermitKeeper(PermitStore store, Timers timers, Availability availability, SemaphoreListener listener) {
        this.store = store;
        this.timers = timers;
        this.availability = availability;
        this.listener = listener;
    }

    /** Renews a permit from now on. */
    void keep(LeasedPermit permit) {
        kept.compute(permit.bulkheadId(), (bulkhead, known) -> {
            Kept here = known == null ? new Kept(timers) : known;
            long now = timers.nanoTime();
            // The first lease may be shorter than the others.
            Entry entry = new Entry(permit,
                    now + Math.min(interval(permit), (permit.endInStoreNanos() - now) / RENEWALS_PER_LEASE));
            here.entries.put(permit.id(), entry);
            here.alarm.noLaterThan(entry.nextEvent(), () -> round(bulkhead));
            return here;
        });
    }

    /** Does not renew a permit any more. */
    void forget(LeasedPermit permit) {
        kept.computeIfPresent(permit.bulkheadId(), (bulkhead, here) -> {
            here.entries.remove(permit.id());
            return unlessEmpty(here);
        });
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
        for (BulkheadId bulkhead : kept.keySet()) {
            List<LeasedPermit> found = new ArrayList<>();
            kept.computeIfPresent(bulkhead, (name, here) -> {
                Entry entry = here.entries.remove(permitId);
                if (entry != null) {
                    found.add(entry.permit);
                }
                return unlessEmpty(here);
            });
            found.forEach(permit -> permit.lose(Reason.REVOKED));
        }
    }

    /** Where permits are held now. */
    Set<BulkheadId> bulkheads() {
        return kept.keySet();
    }

    /** All permits that are held now. */
    List<LeasedPermit> all() {
        List<LeasedPermit> all = new ArrayList<>();
        for (BulkheadId bulkhead : kept.keySet()) {
            kept.computeIfPresent(bulkhead, (name, here) -> {
                here.entries.values().forEach(entry -> all.add(entry.permit));
                return here;
            });
        }
        return all;
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

    private static long interval(LeasedPermit permit) {
        return permit.lease().toNanos() / RENEWALS_PER_LEASE;
    }

    // Within compute().
    private Kept unlessEmpty(Kept here) {
        if (!here.entries.isEmpty()) {
            return here;
        }
        here.alarm.cancel();
        return null;
    }

    // Within compute().
    private Kept planNext(BulkheadId bulkhead, Kept here) {
        here.entries.values().stream().mapToLong(Entry::nextEvent).reduce((a, b) -> a - b <= 0 ? a : b)
                .ifPresent(at -> here.alarm.noLaterThan(at, () -> round(bulkhead)));
        return unlessEmpty(here);
    }

    private void round(BulkheadId bulkhead) {
        List<LeasedPermit> ended = new ArrayList<>();
        List<LeasedPermit> due = new ArrayList<>();
        kept.computeIfPresent(bulkhead, (name, here) -> {
            here.alarm.cancel();
            long now = timers.nanoTime();
            here.entries.values().removeIf(entry -> {
                boolean over = entry.permit.leaseEndNanos() - now <= 0;
                if (over) {
                    ended.add(entry.permit);
                }
                return over;
            });
            if (here.entries.values().stream().anyMatch(entry -> !entry.renewing && entry.renewAt - now <= 0)) {
                // Also those whose lease reaches to the end of max-hold: they learn whether they are still there.
                here.entries.values().stream().filter(entry -> !entry.renewing).forEach(entry -> {
                    entry.renewing = true;
                    due.add(entry.permit);
                });
            }
            return planNext(name, here);
        });
        for (int from = 0; from < due.size(); from += PermitStore.MAX_RENEWED_AT_ONCE) {
            renew(bulkhead, due.subList(from, Math.min(due.size(), from + PermitStore.MAX_RENEWED_AT_ONCE)));
        }
        ended.forEach(permit -> permit.lose(permit.reasonOfLeaseEnd()));
    }

    private void renew(BulkheadId bulkhead, Collection<LeasedPermit> permits) {
        long sentAt = timers.nanoTime();
        Map<String, Duration> leases = new HashMap<>();
        permits.forEach(permit -> leases.put(permit.id(), permit.nextLease(sentAt)));
        store.renew(bulkhead, leases).whenComplete((gone, failure) -> {
            availability.notice(failure);
            if (failure == null) {
                renewed(bulkhead, leases, gone, sentAt);
            } else {
                tryAgain(bulkhead, leases.keySet());
                listener.renewalFailed(bulkhead, leases.size(), Failures.cause(failure));
            }
        });
    }

    private void renewed(BulkheadId bulkhead, Map<String, Duration> leases, Set<String> gone, long sentAt) {
        List<LeasedPermit> lost = new ArrayList<>();
        kept.computeIfPresent(bulkhead, (name, here) -> {
            leases.forEach((id, lease) -> {
                Entry entry = here.entries.get(id);
                if (entry == null) {
                    // Released meanwhile, which beats the renewal.
                    return;
                }
                entry.renewing = false;
                if (gone.contains(id)) {
                    here.entries.remove(id);
                    lost.add(entry.permit);
                } else {
                    entry.permit.renewedUntil(sentAt + lease.toNanos());
                    entry.renewAt = sentAt + interval(entry.permit);
                }
            });
            return planNext(name, here);
        });
        lost.forEach(permit -> permit.lose(Reason.GONE));
    }

    private void tryAgain(BulkheadId bulkhead, Set<String> ids) {
        kept.computeIfPresent(bulkhead, (name, here) -> {
            long now = timers.nanoTime();
            for (String id : ids) {
                Entry entry = here.entries.get(id);
                if (entry != null) {
                    entry.renewing = false;
                    entry.renewAt = now
                            + Math.max(SHORTEST_GAP.toNanos(), entry.permit.lease().toNanos() / TRIES_PER_LEASE);
                }
            }
            return planNext(name, here);
        });
    }
}
