package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.Backoff;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.InProcessPermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.InProcessPermitStore.Taken;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;

/**
 * Returns permits, and places among the waiters. A return that the store does not confirm is repeated in the background, with
 * growing pauses while the store is away. It is given up when the lease has ended, but not in the first minute, in which a copy
 * of the request may still reach the store. Thread-safe.
 */
final class PermitReturns {

    private static final Logger LOG = Logger.getLogger(PermitReturns.class);

    private static final String NO_PERMIT = "none";

    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    // A copy of a request may reach the store late: the operating system sends it again, or a server stands still.
    private static final Duration SHORTEST_REFUSAL = Duration.ofMinutes(1);
    private static final Duration LONGEST_REFUSAL = Duration.ofMinutes(15);

    /** What a return found. */
    enum Found {
        /** A permit, or what may have been one. */
        HELD,
        /** No permit. */
        NOT_HELD,
        /** No answer; the return is repeated in the background. */
        NOT_KNOWN
    }

    private final PermitStore store;
    // Null when the store is not in this process.
    private final InProcessPermitStore inProcess;
    private final Timers timers;
    private final InFlightCounter inFlight = new InFlightCounter();

    // Guarded by this. A bulkhead has a backlog exactly while an attempt for it is in flight or scheduled.
    private final Map<BulkheadId, Backlog> backlogs = new HashMap<>();

    private volatile boolean closed;

    /** What may be held or wait under an id, until the store confirms that it is not. */
    private record Unconfirmed(String permitId, Duration lease, Duration minHold, long giveUpNanos) {
    }

    private static final class Backlog {

        private final Set<Unconfirmed> returns = new LinkedHashSet<>();
        private final Backoff backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE, () -> 1);
        private Timers.Planned retry;
    }

    PermitReturns(PermitStore store, Timers timers) {
        this.store = store;
        this.inProcess = store instanceof InProcessPermitStore here ? here : null;
        this.timers = timers;
    }

    /** Whether the store is in this process, and answers at once. */
    boolean isImmediate() {
        return inProcess != null;
    }

    /**
     * As {@link #returnPermit}, where the store {@linkplain #isImmediate() replies at once} and no copy of the request may
     * follow.
     */
    Found returnNow(BulkheadId bulkhead, String permitId, Duration minHold) {
        return inProcess.releaseNow(bulkhead, permitId, minHold) ? Found.HELD : Found.NOT_HELD;
    }

    /** The same, for a permit that the store gave at once. */
    Found returnNow(Taken permit, Duration minHold) {
        return inProcess.releaseNow(permit, minHold) ? Found.HELD : Found.NOT_HELD;
    }

    /**
     * Returns what is held or waits under an id. Requests that this process makes after this call come behind the return.
     *
     * @param minHold how long a permit stays taken at least, from its start; zero where nothing ran with it
     * @param copyMayFollow whether a copy of the request may still be in flight, and must be refused
     * @param then receives what was found; a shutdown waits for that, too
     * @return the result of {@code then}; never fails
     */
    <T> CompletableFuture<T> returnPermit(BulkheadId bulkhead, String permitId, Duration lease, Duration minHold,
            boolean copyMayFollow, Function<Found, T> then) {
        if (inProcess != null && !copyMayFollow) {
            return CompletableFuture.completedFuture(then.apply(returnNow(bulkhead, permitId, minHold)));
        }
        inFlight.begin();
        CompletionStage<Boolean> answer = copyMayFollow ? releaseAndRefuse(bulkhead, permitId, lease, minHold)
                : store.release(bulkhead, permitId, minHold);
        return answer.handle((held, failure) -> {
            try {
                return then.apply(found(bulkhead, permitId, lease, minHold, held, failure));
            } finally {
                inFlight.end();
            }
        }).toCompletableFuture();
    }

    // A cancellation frees at once, so the release that states the minimum hold must come before it.
    private CompletionStage<Boolean> releaseAndRefuse(BulkheadId bulkhead, String permitId, Duration lease, Duration minHold) {
        CompletionStage<Boolean> released = minHold.isZero() ? CompletableFuture.completedStage(true)
                : store.release(bulkhead, permitId, minHold);
        return released.thenCompose(held -> store.cancel(bulkhead, List.of(permitId), refusalTime(lease)))
                .thenApply(done -> true);
    }

    private Found found(BulkheadId bulkhead, String permitId, Duration lease, Duration minHold, Boolean held,
            Throwable failure) {
        if (failure == null) {
            return held ? Found.HELD : Found.NOT_HELD;
        }
        LOG.debugf(failure, "Permit %s of bulkhead '%s' is released in the background", permitId, bulkhead);
        inBackground(bulkhead, permitId, lease, minHold);
        return Found.NOT_KNOWN;
    }

    /** Completes when the store has answered the returns to a bulkhead that have begun. Never fails. */
    CompletionStage<Void> behind(BulkheadId bulkhead) {
        // The store answers requests for a bulkhead in their order.
        return inFlight.isIdle() ? CompletableFuture.completedStage(null)
                : store.release(bulkhead, NO_PERMIT).handle((held, failure) -> null);
    }

    /** Completes when no return is in flight. Those in the background do not count. */
    CompletionStage<Void> idle() {
        return inFlight.idle();
    }

    /** Returns what may be held or wait under an id, and repeats that until the store answers. Nothing ran with it. */
    void inBackground(BulkheadId bulkhead, String permitId, Duration lease) {
        inBackground(bulkhead, permitId, lease, Duration.ZERO);
    }

    /**
     * Returns what may be held or wait under an id, and repeats that until the store answers.
     *
     * @param lease after that time it is free anyway, unless a copy of the request arrives later
     * @param minHold how long a permit stays taken at least, from its start; zero where nothing ran with it
     */
    void inBackground(BulkheadId bulkhead, String permitId, Duration lease, Duration minHold) {
        Duration tryFor = lease.compareTo(SHORTEST_REFUSAL) < 0 ? SHORTEST_REFUSAL : lease;
        long giveUpNanos = timers.nanoTime() + tryFor.toNanos();
        boolean first;
        synchronized (this) {
            Backlog backlog = backlogs.get(bulkhead);
            first = backlog == null;
            if (first) {
                backlog = new Backlog();
                backlogs.put(bulkhead, backlog);
            }
            backlog.returns.add(new Unconfirmed(permitId, lease, minHold, giveUpNanos));
        }
        if (first) {
            attempt(bulkhead);
        }
    }

    /** For how long the store refuses copies of a request whose permit was released, detached or given up. */
    static Duration refusalTime(Duration lease) {
        if (lease.compareTo(SHORTEST_REFUSAL) < 0) {
            return SHORTEST_REFUSAL;
        }
        return lease.compareTo(LONGEST_REFUSAL) > 0 ? LONGEST_REFUSAL : lease;
    }

    /** How many returns the store has not confirmed. */
    synchronized int pending() {
        return backlogs.values().stream().mapToInt(backlog -> backlog.returns.size()).sum();
    }

    /** The store is back: retries now, ahead of requests that are made later. */
    void reconnected() {
        List<BulkheadId> waiting;
        synchronized (this) {
            waiting = backlogs.entrySet().stream().filter(entry -> entry.getValue().retry != null).map(Map.Entry::getKey)
                    .toList();
            waiting.forEach(bulkhead -> {
                Backlog backlog = backlogs.get(bulkhead);
                backlog.retry.cancel();
                backlog.retry = null;
                backlog.backoff.reset();
            });
        }
        waiting.forEach(this::attempt);
    }

    /** Stops retrying. Permits whose return is not confirmed are free when their leases end. */
    void close() {
        closed = true;
    }

    private void attempt(BulkheadId bulkhead) {
        List<Unconfirmed> batch = nextBatch(bulkhead);
        if (batch.isEmpty() || closed) {
            return;
        }
        Duration lease = batch.stream().map(Unconfirmed::lease).max(Duration::compareTo).orElseThrow();
        releaseThoseWithMinHold(bulkhead, batch).thenCompose(
                released -> store.cancel(bulkhead, batch.stream().map(Unconfirmed::permitId).toList(), refusalTime(lease)))
                .whenComplete((done, failure) -> {
                    if (failure == null) {
                        confirmed(bulkhead, batch);
                        attempt(bulkhead);
                    } else {
                        LOG.debugf("%d permits of bulkhead '%s' are not released yet: %s", batch.size(), bulkhead,
                                failure.getMessage());
                        retryLater(bulkhead);
                    }
                });
    }

    // Before the cancellation, which frees the permit at once, regardless of min-hold.
    private CompletableFuture<Void> releaseThoseWithMinHold(BulkheadId bulkhead, List<Unconfirmed> batch) {
        return CompletableFuture.allOf(batch.stream().filter(entry -> !entry.minHold().isZero())
                .map(entry -> store.release(bulkhead, entry.permitId(), entry.minHold()).toCompletableFuture())
                .toArray(CompletableFuture[]::new));
    }

    // The entries stay until they are confirmed, so that pending() counts them.
    private synchronized List<Unconfirmed> nextBatch(BulkheadId bulkhead) {
        Set<Unconfirmed> returns = backlogs.get(bulkhead).returns;
        long now = timers.nanoTime();
        returns.removeIf(entry -> now - entry.giveUpNanos() >= 0);
        if (returns.isEmpty()) {
            backlogs.remove(bulkhead);
        }
        return returns.stream().limit(PermitStore.MAX_CANCELLED_AT_ONCE).toList();
    }

    private synchronized void confirmed(BulkheadId bulkhead, List<Unconfirmed> done) {
        Backlog backlog = backlogs.get(bulkhead);
        backlog.returns.removeAll(done);
        backlog.backoff.reset();
    }

    private synchronized void retryLater(BulkheadId bulkhead) {
        Backlog backlog = backlogs.get(bulkhead);
        backlog.retry = timers.after(backlog.backoff.next(), () -> {
            boolean due;
            synchronized (this) {
                due = backlog.retry != null;
                backlog.retry = null;
            }
            if (due) {
                attempt(bulkhead);
            }
        });
    }
}
