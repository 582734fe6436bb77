package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.Backoff;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.HandOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.HandedOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.PermitFree;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.PollReply;

/**
 * Wakes the waiters of this process. Pub/sub messages wake waiters. Messages can be lost and expiry is not published, so each
 * bulkhead also polls: at the next lease expiry, and at least once a second. Thread-safe.
 */
final class WaiterRegistry {

    private static final Logger LOG = Logger.getLogger(WaiterRegistry.class);

    // A poll is also a heartbeat of the waiters; Redis tolerates three missed ones.
    private static final Duration LONGEST_GAP = Duration.ofSeconds(1);
    private static final double JITTER = 0.2;
    private static final Duration SHORTEST_GAP = Duration.ofMillis(20);
    private static final Duration AFTER_LEASE_END = Duration.ofMillis(1);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(150);

    /** A call that waits. Methods with an id have no effect when the waiter has another one by now. */
    interface Waiter {

        BulkheadId bulkheadId();

        SemaphoreSpec spec();

        /** The id of the permit that it waits for. It changes when the store forgets the waiter. */
        String permitId();

        boolean isWaiting();

        /** How long its place in the store should live without a poll. */
        Duration place();

        /** The store granted the permit to it. */
        void handedOver(String permitId, HandOver handOver);

        /** A permit may be free. Returns whether the waiter requests it. */
        boolean permitMayBeFree();

        /** The store still has it among its waiters. */
        void polled(String permitId, long sentAt, long storeMillis, Duration nearestLeaseEnd);

        /** The store does not know it any more. */
        void placeLost(String permitId);

        /** A poll failed. */
        void pollFailed(String permitId, Throwable failure);

        /** The application stops: the waiter is rejected. The returned task leaves the queue. */
        Runnable stop();
    }

    private final PermitStore store;
    private final Timers timers;
    private final DoubleSupplier random;
    private final Map<String, Waiter> byId = new ConcurrentHashMap<>();

    // A line is changed only within compute(), thus by one thread at a time. It is in the map while it has waiters.
    private final Map<BulkheadId, Line> lines = new ConcurrentHashMap<>();

    /** The waiters of one bulkhead, in the order of arrival. */
    private final class Line {

        private final Set<Waiter> waiters = new LinkedHashSet<>();
        private final Timers.Alarm alarm = new Timers.Alarm(timers);
        // Created when first needed: most waiters have been served before that.
        private Backoff retries;
        private Backoff longerGaps;
        private Duration gap = SHORTEST_GAP;
        private boolean polling;
        private long polledAt;
        private boolean pollAgain;
    }

    /**
     * @param random numbers from 0 to 1, to spread the polls of several processes
     */
    WaiterRegistry(PermitStore store, Timers timers, DoubleSupplier random) {
        this.store = store;
        this.timers = timers;
        this.random = random;
    }

    /** Pauses between attempts while the store did nothing or is away. */
    Backoff newBackoff() {
        return new Backoff(FIRST_PAUSE, LONGEST_PAUSE, random);
    }

    /** Lets messages find a waiter. To be called before the store knows it, as a message may arrive before the reply. */
    void enter(Waiter waiter) {
        byId.put(waiter.permitId(), waiter);
        lines.compute(waiter.bulkheadId(), (bulkhead, known) -> {
            Line line = known == null ? new Line() : known;
            line.waiters.add(waiter);
            return line;
        });
    }

    /** The store has the waiter. */
    void waiting(Waiter waiter, Duration nearestLeaseEnd) {
        lines.computeIfPresent(waiter.bulkheadId(), (bulkhead, line) -> {
            if (!line.polling) {
                line.alarm.noLaterThan(nextPoll(line, timers.nanoTime(), nearestLeaseEnd), () -> poll(bulkhead));
            }
            return line;
        });
    }

    /** The waiter no longer waits for the permit with this id. */
    void leave(Waiter waiter, String permitId) {
        byId.remove(permitId, waiter);
        lines.computeIfPresent(waiter.bulkheadId(), (bulkhead, line) -> {
            line.waiters.remove(waiter);
            if (!line.waiters.isEmpty()) {
                return line;
            }
            line.alarm.cancel();
            return null;
        });
    }

    void handedOver(HandedOver notice) {
        Waiter waiter = byId.get(notice.permitId());
        if (waiter != null) {
            waiter.handedOver(notice.permitId(), notice.handOver());
        }
        // Otherwise it has left, and leaving the queue passes the permit on.
    }

    void permitFree(PermitFree notice) {
        Waiter waiter = byId.get(notice.permitId());
        // No other waiter requests it instead: the store notifies no other until this waiter has requested it or left.
        if (waiter != null) {
            waiter.permitMayBeFree();
        }
    }

    /** Messages may have been lost: polls for all waiters. */
    void noticesMissed() {
        lines.keySet().forEach(this::poll);
    }

    /** The application stops: rejects all waiters. */
    void stop() {
        // Stop all waiters first, so that the place of one is not passed on to another.
        List<Runnable> leave = byId.values().stream().map(Waiter::stop).toList();
        leave.forEach(Runnable::run);
    }

    /** The bulkheads for which this process waits. */
    Set<BulkheadId> bulkheads() {
        return lines.keySet();
    }

    int size() {
        return byId.size();
    }

    // Within compute(). A poll that found nothing doubles the interval, so that renewed leases do not cause a poll each. The longest interval
    // counts from when the last poll was sent, so that a slow reply does not delay the next one.
    private long nextPoll(Line line, long lastPollAt, Duration nearestLeaseEnd) {
        long nextHeartbeat = lastPollAt + (long) (LONGEST_GAP.toNanos() * (1 - JITTER * random.getAsDouble()));
        if (nearestLeaseEnd.isZero()) {
            return nextHeartbeat;
        }
        Duration leaseEnd = nearestLeaseEnd.plus(AFTER_LEASE_END);
        Duration early = leaseEnd.compareTo(line.gap) < 0 ? line.gap : leaseEnd;
        long earlyAt = timers.nanoTime() + early.toNanos();
        return earlyAt - nextHeartbeat < 0 ? earlyAt : nextHeartbeat;
    }

    private void poll(BulkheadId bulkhead) {
        List<Waiter> all = new ArrayList<>();
        lines.computeIfPresent(bulkhead, (name, line) -> {
            if (line.polling) {
                line.pollAgain = true;
                return line;
            }
            line.alarm.cancel();
            all.addAll(line.waiters);
            line.polling = !all.isEmpty();
            line.polledAt = timers.nanoTime();
            return line;
        });
        if (!all.isEmpty()) {
            // AnnotationDefinitions of one name may differ; the largest limit misses nothing that is free.
            int limit = all.stream().mapToInt(waiter -> waiter.spec().permits()).max().orElseThrow();
            poll(bulkhead, limit, batches(all), false, LONGEST_GAP);
        }
    }

    private static List<Map<String, Waiter>> batches(List<Waiter> all) {
        List<Map<String, Waiter>> batches = new ArrayList<>();
        for (Waiter waiter : all) {
            // Otherwise a request is in flight, and its reply has the same information.
            if (waiter.isWaiting()) {
                if (batches.isEmpty() || batches.get(batches.size() - 1).size() == PermitStore.MAX_POLLED_AT_ONCE) {
                    batches.add(new HashMap<>());
                }
                batches.get(batches.size() - 1).put(waiter.permitId(), waiter);
            }
        }
        return batches;
    }

    // One batch after the other.
    private void poll(BulkheadId bulkhead, int limit, List<Map<String, Waiter>> batches, boolean foundAny,
            Duration nearestLeaseEnd) {
        if (batches.isEmpty()) {
            polled(bulkhead, foundAny, nearestLeaseEnd);
            return;
        }
        Map<String, Waiter> batch = batches.get(0);
        // The store gives the longest place to all waiters of this process.
        Duration place = batch.values().stream().map(Waiter::place).max(Comparator.naturalOrder()).orElseThrow();
        long sentAt = timers.nanoTime();
        store.poll(bulkhead, limit, batch.keySet(), place).whenComplete((reply, failure) -> {
            if (failure != null && StoreFailures.isRetryable(failure)) {
                pollSoon(bulkhead);
            } else if (failure != null) {
                LOG.debugf("The poll for waiters of bulkhead '%s' failed: %s", bulkhead, failure.getMessage());
                batches.forEach(failed -> failed.forEach((id, waiter) -> waiter.pollFailed(id, failure)));
                polled(bulkhead, false, LONGEST_GAP);
            } else {
                boolean found = distribute(bulkhead, batch, reply, sentAt);
                poll(bulkhead, limit, batches.subList(1, batches.size()), foundAny || found, reply.nearestLeaseEnd());
            }
        });
    }

    private boolean distribute(BulkheadId bulkhead, Map<String, Waiter> batch, PollReply reply, long sentAt) {
        batch.forEach((id, waiter) -> {
            waiter.polled(id, sentAt, reply.storeMillis(), reply.nearestLeaseEnd());
            if (reply.handedOver().containsKey(id)) {
                waiter.handedOver(id, reply.handedOver().get(id));
            } else if (reply.gone().contains(id)) {
                waiter.placeLost(id);
            }
        });
        wake(bulkhead, reply.free());
        return !reply.handedOver().isEmpty() || !reply.gone().isEmpty();
    }

    // Waiters with the largest limit come first, then those that have waited longest; usually all have the same limit. Waiters that are too
    // heavy for what is free are skipped.
    private void wake(BulkheadId bulkhead, int free) {
        if (free < 1) {
            return;
        }
        List<Waiter> candidates = new ArrayList<>();
        lines.computeIfPresent(bulkhead, (name, line) -> {
            candidates.addAll(line.waiters);
            return line;
        });
        candidates.sort(Comparator.comparingInt((Waiter waiter) -> waiter.spec().permits()).reversed());
        int left = free;
        for (Waiter waiter : candidates) {
            if (left == 0) {
                break;
            }
            int weight = waiter.spec().weight();
            if (weight <= left && !waiter.spec().fair() && waiter.isWaiting() && waiter.permitMayBeFree()) {
                left -= weight;
            }
        }
    }

    // The store's state is unknown, so keep all waiters and poll again.
    private void pollSoon(BulkheadId bulkhead) {
        lines.computeIfPresent(bulkhead, (name, line) -> {
            line.polling = false;
            line.pollAgain = false;
            line.retries = line.retries == null ? newBackoff() : line.retries;
            line.alarm.noLaterThan(timers.nanoTime() + line.retries.next().toNanos(), () -> poll(name));
            return line;
        });
    }

    private void polled(BulkheadId bulkhead, boolean foundAny, Duration nearestLeaseEnd) {
        boolean[] again = new boolean[1];
        lines.computeIfPresent(bulkhead, (name, line) -> {
            line.polling = false;
            again[0] = line.pollAgain;
            line.pollAgain = false;
            line.retries = null;
            if (foundAny) {
                line.longerGaps = null;
                line.gap = SHORTEST_GAP;
            } else {
                line.longerGaps = line.longerGaps == null ? new Backoff(SHORTEST_GAP.multipliedBy(2), LONGEST_GAP, () -> 1)
                        : line.longerGaps;
                line.gap = line.longerGaps.next();
            }
            line.alarm.noLaterThan(nextPoll(line, line.polledAt, nearestLeaseEnd), () -> poll(name));
            return line;
        });
        if (again[0]) {
            poll(bulkhead);
        }
    }
}
