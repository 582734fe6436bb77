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

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.HandedOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.PermitFree;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.PollReply;

/**
 * The waiters of this process. Pub/sub messages wake waiters. Messages can be lost and expiry is not published, so each
 * bulkhead also polls: at the next lease expiry, and at least once a second. Thread-safe.
 */
final class WaitingRoom {

    private static final Logger LOG = Logger.getLogger(WaitingRoom.class);

    // A poll also shows that the waiters live; Redis tolerates three missed ones.
    private static final Duration LONGEST_GAP = Duration.ofSeconds(1);
    private static final double JITTER = 0.2;
    private static final Duration SHORTEST_GAP = Duration.ofMillis(20);
    private static final Duration AFTER_LEASE_END = Duration.ofMillis(1);

    private final PermitStore store;
    private final Timers timers;
    private final DoubleSupplier random;
    private final Map<String, PermitAdmission> byId = new ConcurrentHashMap<>();

    // A value is changed within compute() only, so by one thread at a time, and is in the map while somebody waits there.
    private final Map<BulkheadId, Line> lines = new ConcurrentHashMap<>();

    /** Who waits at one bulkhead, in the order of arrival. */
    private static final class Line {

        private final Set<PermitAdmission> admissions = new LinkedHashSet<>();
        private final Alarm alarm;
        private final Backoff backoff;
        private boolean polling;
        private long polledAt;
        private boolean pollAgain;
        private Duration gap = SHORTEST_GAP;

        private Line(Timers timers, DoubleSupplier random) {
            this.alarm = new Alarm(timers);
            this.backoff = new Backoff(random);
        }
    }

    /**
     * @param random numbers from 0 to 1, to spread the polls of several processes
     */
    WaitingRoom(PermitStore store, Timers timers, DoubleSupplier random) {
        this.store = store;
        this.timers = timers;
        this.random = random;
    }

    /** Lets notices find an admission; before the store knows of it, as the notice may be faster than the answer. */
    void enter(PermitAdmission admission) {
        byId.put(admission.permitId(), admission);
        lines.compute(admission.bulkhead().id(), (bulkhead, known) -> {
            Line line = known == null ? new Line(timers, random) : known;
            line.admissions.add(admission);
            return line;
        });
    }

    /** The store has the admission among its waiters. */
    void waiting(PermitAdmission admission, Duration nearestLeaseEnd) {
        lines.computeIfPresent(admission.bulkhead().id(), (bulkhead, line) -> {
            if (!line.polling) {
                line.alarm.noLaterThan(nextPoll(line, timers.nanoTime(), nearestLeaseEnd), () -> poll(bulkhead));
            }
            return line;
        });
    }

    /** The admission does not wait any more for the permit of that id. */
    void leave(PermitAdmission admission, String permitId) {
        byId.remove(permitId, admission);
        lines.computeIfPresent(admission.bulkhead().id(), (bulkhead, line) -> {
            line.admissions.remove(admission);
            if (!line.admissions.isEmpty()) {
                return line;
            }
            line.alarm.cancel();
            return null;
        });
    }

    void handedOver(HandedOver notice) {
        PermitAdmission admission = byId.get(notice.permitId());
        if (admission != null) {
            admission.handedOver(notice.permitId(), notice.handOver());
        }
        // Else it has left, and the store is told so, or will be.
    }

    void permitFree(PermitFree notice) {
        PermitAdmission told = byId.get(notice.permitId());
        // No other waiter asks in its place: the store tells no one else of this permit until this waiter has asked or left.
        if (told != null) {
            told.permitMayBeFree();
        }
    }

    /** Asks what has become of all who wait. */
    void noticesMissed() {
        lines.keySet().forEach(this::poll);
    }

    /** The application is stopping. */
    void stop() {
        // All of them first: a place that one gives back must not go to another one.
        List<Runnable> leave = byId.values().stream().map(PermitAdmission::stop).toList();
        leave.forEach(Runnable::run);
    }

    /** Where somebody waits now. */
    Set<BulkheadId> bulkheads() {
        return lines.keySet();
    }

    int size() {
        return byId.size();
    }

    // Lets those ask for permits that are free who have the largest limit and, usually all have the same, have waited longest. Those
    // for whom too little is free are passed over.
    private void wake(BulkheadId bulkhead, int free) {
        if (free < 1) {
            return;
        }
        List<PermitAdmission> candidates = admissions(bulkhead);
        candidates.sort(Comparator.comparingInt((PermitAdmission admission) -> admission.spec().permits()).reversed());
        int left = free;
        for (PermitAdmission admission : candidates) {
            if (left == 0) {
                break;
            }
            int weight = admission.spec().weight();
            if (weight <= left && !admission.spec().fair() && admission.isWaiting() && admission.permitMayBeFree()) {
                left -= weight;
            }
        }
    }

    private List<PermitAdmission> admissions(BulkheadId bulkhead) {
        List<PermitAdmission> all = new ArrayList<>();
        lines.computeIfPresent(bulkhead, (name, line) -> {
            all.addAll(line.admissions);
            return line;
        });
        return all;
    }

    // Within compute(). A poll that found nothing doubles the interval, so that renewed leases do not cause a poll each. The longest interval
    // counts from when the last poll was sent, so that a slow reply does not delay the next one.
    private long nextPoll(Line line, long lastSignAt, Duration nearestLeaseEnd) {
        long nextSign = lastSignAt + (long) (LONGEST_GAP.toNanos() * (1 - JITTER * random.getAsDouble()));
        if (nearestLeaseEnd.isZero()) {
            return nextSign;
        }
        Duration leaseEnd = nearestLeaseEnd.plus(AFTER_LEASE_END);
        Duration early = leaseEnd.compareTo(line.gap) < 0 ? line.gap : leaseEnd;
        long earlyAt = timers.nanoTime() + early.toNanos();
        return earlyAt - nextSign < 0 ? earlyAt : nextSign;
    }

    /** One question, about up to {@link PermitStore#MAX_POLLED_AT_ONCE} waiters. */
    private record Part(Map<String, PermitAdmission> admissions) {

        /** The longest of their places; the store gives it to all waiters of this process. */
        Duration place() {
            return admissions.values().stream().map(PermitAdmission::place).max(Comparator.naturalOrder()).orElseThrow();
        }
    }

    private void poll(BulkheadId bulkhead) {
        List<PermitAdmission> all = new ArrayList<>();
        lines.computeIfPresent(bulkhead, (name, line) -> {
            if (line.polling) {
                line.pollAgain = true;
                return line;
            }
            line.alarm.cancel();
            all.addAll(line.admissions);
            line.polling = !all.isEmpty();
            line.polledAt = timers.nanoTime();
            return line;
        });
        if (!all.isEmpty()) {
            poll(bulkhead, all);
        }
    }

    private void poll(BulkheadId bulkhead, List<PermitAdmission> all) {
        List<Part> parts = new ArrayList<>();
        for (PermitAdmission admission : all) {
            if (!admission.isWaiting()) {
                // A request is on its way, which tells as much.
                continue;
            }
            if (parts.isEmpty() || parts.get(parts.size() - 1).admissions().size() == PermitStore.MAX_POLLED_AT_ONCE) {
                parts.add(new Part(new HashMap<>()));
            }
            parts.get(parts.size() - 1).admissions().put(admission.permitId(), admission);
        }
        // Definitions of one name may differ; the largest limit misses nothing that is free.
        int limit = all.stream().mapToInt(admission -> admission.spec().permits()).max().orElseThrow();
        poll(bulkhead, limit, parts, false, LONGEST_GAP);
    }

    // One part after the other.
    private void poll(BulkheadId bulkhead, int limit, List<Part> parts, boolean fruitful, Duration nearestLeaseEnd) {
        if (parts.isEmpty()) {
            polled(bulkhead, fruitful, nearestLeaseEnd);
            return;
        }
        Part part = parts.get(0);
        List<Part> rest = parts.subList(1, parts.size());
        long sentAt = timers.nanoTime();
        store.poll(bulkhead, limit, part.admissions().keySet(), part.place()).whenComplete((reply, failure) -> {
            if (failure != null && StoreFailures.isContention(failure)) {
                contended(bulkhead, failure);
            } else if (failure != null) {
                LOG.debugf("Waiters of bulkhead '%s' could not ask: %s", bulkhead, failure.getMessage());
                parts.forEach(failed -> failed.admissions().forEach((id, admission) -> admission.failed(id, failure)));
                polled(bulkhead, false, LONGEST_GAP);
            } else {
                boolean found = deal(bulkhead, part, reply, sentAt);
                poll(bulkhead, limit, rest, fruitful || found, reply.nearestLeaseEnd());
            }
        });
    }

    private boolean deal(BulkheadId bulkhead, Part part, PollReply reply, long sentAt) {
        part.admissions().forEach((id, admission) -> {
            admission.polled(id, sentAt, reply.storeMillis(), reply.nearestLeaseEnd());
            if (reply.handedOver().containsKey(id)) {
                admission.handedOver(id, reply.handedOver().get(id));
            } else if (reply.gone().contains(id)) {
                admission.gone(id);
            }
        });
        wake(bulkhead, reply.free());
        return !reply.handedOver().isEmpty() || !reply.gone().isEmpty();
    }

    // The store's state is unknown, so keep all waiters and poll again.
    private void contended(BulkheadId bulkhead, Throwable failure) {
        lines.computeIfPresent(bulkhead, (name, line) -> {
            line.polling = false;
            line.pollAgain = false;
            line.alarm.noLaterThan(timers.nanoTime() + line.backoff.failed(failure).toNanos(), () -> poll(name));
            return line;
        });
    }

    private void polled(BulkheadId bulkhead, boolean fruitful, Duration nearestLeaseEnd) {
        boolean[] again = new boolean[1];
        lines.computeIfPresent(bulkhead, (name, line) -> {
            line.polling = false;
            again[0] = line.pollAgain;
            line.pollAgain = false;
            line.backoff.succeeded();
            Duration longer = line.gap.multipliedBy(2);
            line.gap = fruitful ? SHORTEST_GAP : longer.compareTo(LONGEST_GAP) < 0 ? longer : LONGEST_GAP;
            line.alarm.noLaterThan(nextPoll(line, line.polledAt, nearestLeaseEnd), () -> poll(name));
            return line;
        });
        if (again[0]) {
            poll(bulkhead);
        }
    }
}
