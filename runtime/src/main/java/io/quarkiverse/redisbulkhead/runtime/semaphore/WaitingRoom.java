package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.Notice.HandedOver;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.PermitFree;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.PollReply;

/**
 * All who wait in this process. They wake by the store's notices; and as notices may be lost and nobody tells of leases
 * that end, the waiters of a bulkhead together ask the store at the nearest lease end, and else now and then. Safe for use
 * by many threads.
 */
final class WaitingRoom {

    /** For how long a place among the store's waiters lives without a sign of life. */
    static final Duration PLACE = Duration.ofSeconds(10);

    private static final Logger LOG = Logger.getLogger(WaitingRoom.class);

    // Between two questions there are from 2 to 4 seconds; fewer only around a lease end that really frees something.
    private static final Duration FALLBACK = Duration.ofSeconds(2);
    private static final Duration SHORTEST_GAP = Duration.ofMillis(20);
    private static final Duration AFTER_LEASE_END = Duration.ofMillis(1);

    private final PermitStore store;
    private final Timers timers;
    private final Availability availability;
    private final DoubleSupplier random;
    private final Map<String, PermitAdmission> byId = new ConcurrentHashMap<>();

    // A value is changed within compute() only, so by one thread at a time, and is in the map while somebody waits there.
    private final Map<String, Queue> queues = new ConcurrentHashMap<>();

    /** Who waits at one bulkhead, in the order of arrival. */
    private static final class Queue {

        private final Set<PermitAdmission> admissions = new LinkedHashSet<>();
        private Timers.Planned planned;
        private long plannedAt;
        private boolean polling;
        private boolean pollAgain;
        private Duration gap = SHORTEST_GAP;
    }

    /**
     * @param random numbers from 0 to 1, to spread the questions of several processes
     */
    WaitingRoom(PermitStore store, Timers timers, Availability availability, DoubleSupplier random) {
        this.store = store;
        this.timers = timers;
        this.availability = availability;
        this.random = random;
    }

    /** Lets notices find an admission; before the store knows of it, as the notice may be faster than the answer. */
    void enter(PermitAdmission admission) {
        byId.put(admission.permitId(), admission);
        queues.compute(admission.spec().name(), (bulkhead, known) -> {
            Queue queue = known == null ? new Queue() : known;
            queue.admissions.add(admission);
            return queue;
        });
    }

    /** The store has the admission among its waiters. */
    void waiting(PermitAdmission admission, Duration nearestLeaseEnd) {
        queues.computeIfPresent(admission.spec().name(), (bulkhead, queue) -> {
            if (!queue.polling) {
                plan(bulkhead, queue, nextPoll(queue, nearestLeaseEnd));
            }
            return queue;
        });
    }

    /** The admission does not wait any more, under its present id. */
    void leave(PermitAdmission admission) {
        byId.remove(admission.permitId(), admission);
        queues.computeIfPresent(admission.spec().name(), (bulkhead, queue) -> {
            queue.admissions.remove(admission);
            if (!queue.admissions.isEmpty()) {
                return queue;
            }
            if (queue.planned != null) {
                queue.planned.cancel();
            }
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
        if (told != null && wake(told.spec().name(), 1) == 0) {
            told.permitMayBeFree();
        }
    }

    /** Asks what has become of all who wait. */
    void noticesMissed() {
        queues.keySet().forEach(this::poll);
    }

    /** The application is stopping. */
    void stop() {
        // All of them first: a place that one gives back must not go to another one.
        List<Runnable> leave = byId.values().stream().map(PermitAdmission::stop).toList();
        leave.forEach(Runnable::run);
    }

    int size() {
        return byId.size();
    }

    // Lets those who have waited longest ask for permits that are free.
    private int wake(String bulkhead, int most) {
        int woken = 0;
        for (PermitAdmission admission : admissions(bulkhead)) {
            if (woken == most) {
                break;
            }
            if (!admission.spec().fair() && admission.isWaiting() && admission.permitMayBeFree()) {
                woken++;
            }
        }
        return woken;
    }

    private List<PermitAdmission> admissions(String bulkhead) {
        List<PermitAdmission> all = new ArrayList<>();
        queues.computeIfPresent(bulkhead, (name, queue) -> {
            all.addAll(queue.admissions);
            return queue;
        });
        return all;
    }

    // Within compute(). After a question in vain the next one comes later, so that leases that are renewed again and again, and so
    // end again and again, do not cause many.
    private long nextPoll(Queue queue, Duration nearestLeaseEnd) {
        Duration next = FALLBACK.plusNanos((long) (FALLBACK.toNanos() * random.getAsDouble()));
        if (!nearestLeaseEnd.isZero()) {
            Duration leaseEnd = nearestLeaseEnd.plus(AFTER_LEASE_END);
            Duration early = leaseEnd.compareTo(queue.gap) < 0 ? queue.gap : leaseEnd;
            next = early.compareTo(next) < 0 ? early : next;
        }
        return timers.nanoTime() + next.toNanos();
    }

    // Within compute().
    private void plan(String bulkhead, Queue queue, long at) {
        if (queue.planned != null) {
            if (queue.plannedAt - at <= 0) {
                return;
            }
            queue.planned.cancel();
        }
        queue.plannedAt = at;
        queue.planned = timers.after(Duration.ofNanos(Math.max(0, at - timers.nanoTime())), () -> poll(bulkhead));
    }

    /** One question, about up to {@link PermitStore#MAX_RENEWED_AT_ONCE} waiters. */
    private record Part(Map<String, PermitAdmission> admissions, Map<String, Duration> places) {

        Part() {
            this(new HashMap<>(), new HashMap<>());
        }

        void add(PermitAdmission admission) {
            String id = admission.permitId();
            admissions.put(id, admission);
            places.put(id, admission.place());
        }
    }

    private void poll(String bulkhead) {
        List<PermitAdmission> all = new ArrayList<>();
        queues.computeIfPresent(bulkhead, (name, queue) -> {
            if (queue.polling) {
                queue.pollAgain = true;
                return queue;
            }
            if (queue.planned != null) {
                queue.planned.cancel();
                queue.planned = null;
            }
            all.addAll(queue.admissions);
            queue.polling = !all.isEmpty();
            return queue;
        });
        if (!all.isEmpty()) {
            poll(bulkhead, all);
        }
    }

    private void poll(String bulkhead, List<PermitAdmission> all) {
        List<Part> parts = new ArrayList<>();
        for (PermitAdmission admission : all) {
            if (!admission.isWaiting()) {
                // A request is on its way, which tells as much.
                continue;
            }
            if (parts.isEmpty() || parts.get(parts.size() - 1).places().size() == PermitStore.MAX_RENEWED_AT_ONCE) {
                parts.add(new Part());
            }
            parts.get(parts.size() - 1).add(admission);
        }
        poll(bulkhead, all.get(0).spec().permits(), parts, false, FALLBACK);
    }

    // One part after the other.
    private void poll(String bulkhead, int limit, List<Part> parts, boolean fruitful, Duration nearestLeaseEnd) {
        if (parts.isEmpty()) {
            polled(bulkhead, fruitful, nearestLeaseEnd);
            return;
        }
        Part part = parts.get(0);
        List<Part> rest = parts.subList(1, parts.size());
        long sentAt = timers.nanoTime();
        store.poll(bulkhead, limit, part.places()).whenComplete((reply, failure) -> {
            availability.notice(failure);
            if (failure != null) {
                LOG.debugf("Waiters of bulkhead '%s' could not ask: %s", bulkhead, failure.getMessage());
                parts.forEach(failed -> failed.admissions().forEach((id, admission) -> admission.failed(id, failure)));
                polled(bulkhead, false, FALLBACK);
            } else {
                boolean found = deal(bulkhead, part, reply, sentAt);
                poll(bulkhead, limit, rest, fruitful || found, reply.nearestLeaseEnd());
            }
        });
    }

    private boolean deal(String bulkhead, Part part, PollReply reply, long sentAt) {
        part.admissions().forEach((id, admission) -> {
            admission.polled(id, sentAt, reply.storeMillis(), reply.nearestLeaseEnd());
            if (reply.handedOver().containsKey(id)) {
                admission.handedOver(id, reply.handedOver().get(id));
            } else if (reply.gone().contains(id)) {
                admission.gone(id);
            }
        });
        int woken = reply.free() > 0 ? wake(bulkhead, reply.free()) : 0;
        return woken > 0 || !reply.handedOver().isEmpty() || !reply.gone().isEmpty();
    }

    private void polled(String bulkhead, boolean fruitful, Duration nearestLeaseEnd) {
        boolean[] again = new boolean[1];
        queues.computeIfPresent(bulkhead, (name, queue) -> {
            queue.polling = false;
            again[0] = queue.pollAgain;
            queue.pollAgain = false;
            Duration longer = queue.gap.multipliedBy(2);
            queue.gap = fruitful ? SHORTEST_GAP : longer.compareTo(FALLBACK) < 0 ? longer : FALLBACK;
            plan(name, queue, nextPoll(queue, nearestLeaseEnd));
            return queue;
        });
        if (again[0]) {
            poll(bulkhead);
        }
    }
}
